//! The watched loop: signal, renders, `finalizar`, and what happens when nothing comes back.

use std::time::Duration;

use embudo_delivery::Webhooks;
use embudo_delivery::webhook::Options;
use embudo_domain::LeadId;
use embudo_domain::event::EventKind;
use embudo_domain::job::JobState;
use embudo_domain::watched_loop::LoopStep;
use embudo_store::FinalizarOutcome;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, Mailbox, both_engines};
use jiff::SignedDuration;
use serde_json::json;

use crate::stage::{DAY, Stage, mail_to, render};

both_engines!(
    a_workflow_may_call_back_before_it_answers,
    the_loop_goes_from_signal_to_renders_to_finalizar,
    the_loop_signals_again_as_often_as_wanted_and_never_once_it_moved_on,
    a_slow_workflow_that_calls_back_runs_once,
);

/// The step of a lead in the loop, and whether it is overdue.
async fn step(e: &Stage, lead: LeadId) -> Option<(LoopStep, bool)> {
    e.record(lead).await.lead.watched_loop.map(|b| (b.step, b.overdue))
}

async fn a_workflow_may_call_back_before_it_answers(e: Stage) {
    let lead = e.new_lead().await;
    e.receiver.manners([Manner::Late]);
    let stream = async {
        e.receiver.await_requests(1).await;
        e.clock.advance(SignedDuration::from_secs(1));
        e.ingest(lead, json!({ "items": [render()] })).await;
        e.receiver.release();
    };
    let (signalled, ()) = tokio::join!(e.complete_perfil(lead), stream);
    assert!(signalled);
    assert_eq!(step(&e, lead).await, Some((LoopStep::AwaitingFinalizar, false)), "the render is in already");
}

async fn the_loop_goes_from_signal_to_renders_to_finalizar(e: Stage) {
    let lead = e.new_lead().await;
    assert_eq!(step(&e, lead).await, None);
    e.complete_perfil(lead).await;
    assert_eq!(step(&e, lead).await, Some((LoopStep::AwaitingRenders, false)));
    e.clock.advance(SignedDuration::from_mins(121));
    assert_eq!(e.app.housekeeping().watch_loops().await.unwrap(), 1);
    assert_eq!(e.app.housekeeping().watch_loops().await.unwrap(), 0, "marked once");
    assert_eq!(step(&e, lead).await, Some((LoopStep::AwaitingRenders, true)));
    assert_eq!(e.pass(SignedDuration::ZERO).await, 0, "nothing is sent again by itself unless wanted");
    e.ingest(lead, json!({ "items": [render()] })).await;
    assert_eq!(step(&e, lead).await, Some((LoopStep::AwaitingFinalizar, false)));
    e.finalizar(lead).await;
    assert_eq!(step(&e, lead).await, None);
    assert_eq!(e.events(lead, EventKind::OverdueLoop).await, [(false, false)]);
}

async fn the_loop_signals_again_as_often_as_wanted_and_never_once_it_moved_on(engine: Engine) {
    let e = Stage::signals(engine, |m| m.outbound.resignals = 2).await;
    let lead = e.new_lead().await;
    e.complete_perfil(lead).await;
    for expected_ones in [2, 3, 3] {
        e.clock.advance(SignedDuration::from_hours(3));
        e.app.housekeeping().watch_loops().await.unwrap();
        e.pass(SignedDuration::ZERO).await;
        assert_eq!(e.receiver.received().len(), expected_ones);
    }
    let ids = e.signal_ids();
    assert!(ids[0] != ids[1] && ids[1] != ids[2], "each its own id");
    e.ingest(lead, json!({ "items": [render()] })).await;
    e.clock.advance(SignedDuration::from_hours(3));
    e.app.housekeeping().watch_loops().await.unwrap();
    e.pass(SignedDuration::ZERO).await;
    assert_eq!(e.receiver.received().len(), 3, "the renders came");
}

/// The workflow answers after our time-out, and has called back by then: one run, one quote, one mail.
async fn a_slow_workflow_that_calls_back_runs_once(engine: Engine) {
    let mailbox = Mailbox::start().await;
    let mail = mail_to(&mailbox);
    let e = Stage::signals(engine, |m| {
        let options = Options { total_timeout: Duration::from_secs(2), ..Options::default() };
        m.outbound.webhooks = Webhooks::new(options).unwrap();
        m.outbound.mail = Some(mail);
    })
    .await;
    let lead = e.new_lead().await;
    e.receiver.manners([Manner::Late]);
    let stream = async {
        e.receiver.await_requests(1).await;
        e.clock.advance(SignedDuration::from_secs(1));
        e.ingest(lead, json!({ "items": [render()] })).await;
        let all = FinalizarOutcome { presupuesto: true, mail_accepted: true, pdf_accepted: true };
        assert_eq!(e.finalizar(lead).await, all);
    };
    let (signalled, ()) = tokio::join!(e.complete_perfil(lead), stream);
    assert!(!signalled, "what the call says is the HTTP answer alone, and there was none");
    e.receiver.release();
    for _ in 0..12 {
        e.pass(DAY).await;
    }
    let runs = e.receiver.received().iter().filter(|r| r.json().get("zonas").is_some()).count();
    let quotes = e.record(lead).await.presupuestos.len();
    assert_eq!((runs, quotes, mailbox.messages().len()), (1, 1, 1));
    assert_eq!(step(&e, lead).await, None);
    assert_eq!(e.events(lead, EventKind::PerfilComplete).await.last(), Some(&(true, false)));
    assert_eq!((e.jobs_in(JobState::Dead).await, e.jobs_in(JobState::Pending).await), (0, 0));
}
