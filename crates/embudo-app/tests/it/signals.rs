//! Signals (contract §4): tried during the call that causes them, retried, replaced, given up.

use std::time::Duration;

use embudo_app::Actor;
use embudo_delivery::webhook::Options;
use embudo_delivery::{Secrets, Webhooks};
use embudo_domain::JobId;
use embudo_domain::event::EventKind;
use embudo_domain::job::{Destination, JobKind, JobState};
use embudo_store::lead_writes::RecordEvent;
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::outbox_admin::JobFilter;
use embudo_testkit::receiver::Manner;
use embudo_testkit::{Engine, both_engines, data_uri, fake_jpeg};
use futures_util::future::join_all;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::stage::{DAY, Stage, perfil_accepted, render};

both_engines!(
    a_lead_that_lacks_everything_sends_nulls,
    a_failed_signal_is_retried_with_the_same_id_until_it_arrives,
    after_the_last_wait_it_is_dead_visible_and_can_be_replayed,
    gone_ends_it_at_once,
    retry_after_is_honoured,
    a_newer_profile_replaces_one_that_still_waits,
    a_signal_that_waits_is_not_repeated_once_its_work_came_back,
    ended_jobs_are_purged_after_their_time,
    with_a_secret_every_attempt_is_signed,
    a_receiver_that_hangs_does_not_hold_the_answer,
    what_nobody_is_configured_to_receive_is_held,
    a_signal_that_is_too_long_says_so,
    a_dead_receiver_is_not_hammered_and_first_attempts_go_through,
    nothing_goes_after_a_pause_however_many_calls_come_at_once,
);

async fn a_lead_that_lacks_everything_sends_nulls(e: Stage) {
    let lead = e.new_lead().await;
    assert!(e.complete_perfil(lead).await);
    let body = e.receiver.received().remove(0).json();
    assert_eq!(body["zonas"], json!([]));
    assert_eq!(body["cliente"]["provincia"], json!(null));
    assert!(body["reforma"].as_object().unwrap().values().all(Value::is_null));
}

async fn a_failed_signal_is_retried_with_the_same_id_until_it_arrives(e: Stage) {
    let lead = e.new_lead().await;
    e.receiver.manners([
        Manner::state(500),
        Manner::RstAfterBody,
        Manner::redirects(302, "/otro"),
        Manner::Ok,
    ]);
    assert!(!e.complete_perfil(lead).await);
    assert_eq!(e.pass(SignedDuration::from_secs(4)).await, 0, "not before its time");
    assert_eq!(e.pass(SignedDuration::from_secs(2)).await, 1);
    assert_eq!(
        e.pass(SignedDuration::from_secs(17)).await,
        1,
        "a receiver that is away for a moment costs little"
    );
    assert_eq!(e.pass(SignedDuration::from_secs(67)).await, 1);
    let ids = e.signal_ids();
    assert_eq!((ids.len(), ids.iter().all(|id| *id == ids[0])), (4, true));
    assert_eq!(
        e.events(lead, EventKind::PerfilComplete).await,
        [(false, false), (false, false), (false, false), (true, false)]
    );
    assert_eq!(e.pass(DAY * 30).await, 0, "it is done");
}

async fn after_the_last_wait_it_is_dead_visible_and_can_be_replayed(e: Stage) {
    let lead = e.new_lead().await;
    e.receiver.always(Manner::state(503));
    e.complete_perfil(lead).await;
    for _ in 0..11 {
        assert_eq!(e.pass(DAY + DAY / 5).await, 1);
    }
    assert_eq!((e.jobs_in(JobState::Dead).await, e.receiver.received().len()), (1, 12));
    assert_eq!(e.pass(DAY * 10).await, 0);
    let dead = e.jobs(JobFilter::default()).await.remove(0);
    let (_, deliveries) = e.app.store.job(dead.id).await.unwrap();
    assert_eq!((deliveries.len(), deliveries[0].status), (12, Some(503)));
    e.receiver.always(Manner::Ok);
    e.app.store.retry(dead.id, e.app.now(), None).await.unwrap();
    assert_eq!(e.pass(SignedDuration::ZERO).await, 1);
    assert_eq!(e.jobs_in(JobState::Done).await, 1);
}

async fn gone_ends_it_at_once(e: Stage) {
    let lead = e.new_lead().await;
    e.receiver.manners([Manner::state(410)]);
    assert!(!e.complete_perfil(lead).await);
    assert_eq!(e.jobs_in(JobState::Dead).await, 1);
}

async fn retry_after_is_honoured(e: Stage) {
    let lead = e.new_lead().await;
    e.receiver.manners([Manner::retries(429, "120")]);
    e.complete_perfil(lead).await;
    assert_eq!(e.pass(SignedDuration::from_secs(110)).await, 0);
    assert_eq!(e.pass(SignedDuration::from_secs(11)).await, 1);
}

async fn a_newer_profile_replaces_one_that_still_waits(e: Stage) {
    let lead = e.new_lead().await;
    e.receiver.manners([Manner::state(500)]);
    e.complete_perfil(lead).await;
    assert!(e.complete_perfil(lead).await);
    assert_eq!((e.jobs_in(JobState::Superseded).await, e.jobs_in(JobState::Done).await), (1, 1));
    let ids = e.signal_ids();
    assert_ne!(ids[0], ids[1], "each signal has its own id");
    assert_eq!(e.pass(DAY).await, 0);
}

async fn a_signal_that_waits_is_not_repeated_once_its_work_came_back(e: Stage) {
    for return_to in [json!({ "items": [render()] }), json!({ "finalizar": true })] {
        let lead = e.new_lead().await;
        e.receiver.manners([Manner::state(500)]);
        let before = e.receiver.received().len();
        assert!(!e.complete_perfil(lead).await);
        e.clock.advance(SignedDuration::from_secs(1));
        e.ingest(lead, return_to).await;
        e.pass(DAY).await;
        let own = e.receiver.received()[before..].iter().filter(|r| r.json().get("zonas").is_some()).count();
        assert_eq!(own, 1, "it was sent once");
        assert_eq!(e.events(lead, EventKind::PerfilComplete).await, [(false, false), (true, false)]);
    }
    assert_eq!(e.jobs_in(JobState::Pending).await, 0);
}

async fn ended_jobs_are_purged_after_their_time(e: Stage) {
    let lead = e.new_lead().await;
    e.complete_perfil(lead).await;
    e.clock.advance(DAY * 29);
    assert_eq!(e.app.housekeeping().purge_expired().await.unwrap(), 0);
    e.clock.advance(DAY * 2);
    assert_eq!(e.app.housekeeping().purge_expired().await.unwrap(), 1);
    assert_eq!(e.jobs_in(JobState::Done).await, 0);
    assert_eq!(e.events(lead, EventKind::PerfilComplete).await, [(true, false)], "events stay");
}

async fn with_a_secret_every_attempt_is_signed(engine: Engine) {
    let secrets = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let e = Stage::signals(engine, |m| {
        let options = Options { secrets: Secrets::read(secrets).unwrap(), ..Options::default() };
        m.outbound.webhooks = Webhooks::new(options).unwrap();
    })
    .await;
    let lead = e.new_lead().await;
    assert!(e.complete_perfil(lead).await);
    let received = e.receiver.received().remove(0);
    let id = received.header("webhook-id").unwrap();
    let second: i64 = received.header("webhook-timestamp").unwrap().parse().unwrap();
    let mut signer = Secrets::read(secrets).unwrap().signer(id, second);
    signer.update(&received.body);
    assert_eq!(received.header("webhook-signature"), signer.header().as_deref());
}

async fn a_receiver_that_hangs_does_not_hold_the_answer(engine: Engine) {
    let e = Stage::signals(engine, |m| m.outbound.wait = Duration::from_millis(100)).await;
    let lead = e.new_lead().await;
    e.receiver.manners([Manner::Late]);
    assert!(!e.complete_perfil(lead).await, "not known in time");
    assert_eq!(e.jobs_in(JobState::Pending).await, 1, "the attempt goes on");
    e.receiver.release();
    e.app.worker().run_jobs().await.unwrap();
    assert_eq!((e.jobs_in(JobState::Done).await, e.receiver.received().len()), (1, 1));
    assert_eq!(e.events(lead, EventKind::PerfilComplete).await, [(true, false)]);
}

/// A job without a configured receiver waits for any length of time. It costs no attempt, and is still there when a
/// receiver is configured.
async fn what_nobody_is_configured_to_receive_is_held(engine: Engine) {
    let e = Stage::signals(engine, |m| {
        m.outbound.perfil = None;
        m.outbound.mensajeria = None;
    })
    .await;
    let lead = e.new_lead().await;
    // Jobs that another process made, which had a receiver.
    let kinds = [JobKind::Perfil, JobKind::Mensajeria, JobKind::ClientMail];
    let jobs = kinds.map(|kind| NewJob {
        id: JobId(e.app.id()),
        kind,
        payload: if kind == JobKind::Perfil { NewPayload::Perfil } else { NewPayload::Mensajeria },
        lease: None,
        proximo_en: None,
    });
    let at = e.app.now();
    let jobs = RecordEvent { lead, event: None, jobs: jobs.into(), at, idempotency: None };
    e.app.store.record_event(jobs).await.unwrap();
    assert_eq!(e.pass(DAY * 30).await, 0);
    let filter = JobFilter { lead: Some(lead), ..JobFilter::default() };
    let all = e.jobs(filter).await;
    assert!(all.iter().all(|t| t.state == JobState::Pending && t.intentos == 0), "{all:?}");
    assert_eq!(e.receiver.received().len(), 0);
}

async fn a_signal_that_is_too_long_says_so(e: Stage) {
    let lead = e.new_lead().await;
    e.receiver.manners([Manner::state(500)]);
    let foto = data_uri(&fake_jpeg(1, 13 << 20));
    let body = json!({ "perfilCompleto": true, "items": [{ "tipo": "foto", "imagen": foto }] });
    assert!(!perfil_accepted(&e.ingest(lead, body).await));
    let record = e.record(lead).await;
    let event = record.events.iter().find(|e| e.kind == EventKind::PerfilComplete).unwrap();
    let job = e.jobs(JobFilter::default()).await.remove(0);
    for said in [event.detail.as_deref().unwrap(), job.ultimo_error.as_deref().unwrap()] {
        assert!(
            said.contains("contestó 500") && said.contains("17,3 MB") && said.contains("PUBLIC_URL"),
            "{said}"
        );
    }
}

async fn a_dead_receiver_is_not_hammered_and_first_attempts_go_through(e: Stage) {
    e.receiver.always(Manner::state(500));
    for _ in 0..8 {
        assert!(!e.complete_perfil(e.new_lead().await).await);
    }
    assert_eq!(e.receiver.received().len(), 8, "no first attempt is held back");
    e.pass(SignedDuration::from_secs(10)).await;
    assert_eq!(e.receiver.received().len(), 8, "retries wait while the receiver is known to be down");
    e.pass(SignedDuration::from_mins(10)).await;
    assert_eq!(e.receiver.received().len(), 9, "one looks whether it is back");
    e.receiver.always(Manner::Ok);
    e.pass(SignedDuration::from_hours(1)).await;
    assert_eq!(e.jobs_in(JobState::Done).await, 8);
}

/// Calls that come at once read together what is paused.
async fn nothing_goes_after_a_pause_however_many_calls_come_at_once(e: Stage) {
    let mut leads = Vec::new();
    for _ in 0..12 {
        leads.push(e.new_lead().await);
    }
    let all_at_once = async || {
        join_all(leads.iter().map(|lead| e.complete_perfil(*lead)))
            .await
            .into_iter()
            .filter(|sent| *sent)
            .count()
    };
    assert_eq!(all_at_once().await, leads.len());
    let empresa = e.empresa.id;
    for _ in 0..3 {
        let sent = e.receiver.received().len();
        let (some, others) = leads.split_at(6);
        let before = join_all(some.iter().map(|lead| e.complete_perfil(*lead)));
        let after = async {
            e.app.outbox().pause(empresa, Destination::Perfil, &Actor::command()).await.unwrap();
            join_all(others.iter().map(|lead| e.complete_perfil(*lead))).await
        };
        let (before, after) = tokio::join!(before, after);
        assert_eq!(after, [false; 6], "the pause was committed before these calls began");
        let before = before.into_iter().filter(|sent| *sent).count();
        assert_eq!(e.receiver.received().len() - sent, before);
        e.app.outbox().resume(empresa, Destination::Perfil, &Actor::command()).await.unwrap();
        e.pass(SignedDuration::ZERO).await;
        assert_eq!(
            e.receiver.received().len() - sent,
            leads.len(),
            "what was held goes after the resumption"
        );
    }
}
