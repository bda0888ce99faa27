//! The watched loop through the store: a signal accepted, renders, `finalizar`, and deadlines that pass.

use std::sync::Arc;

use embudo_domain::event::{Event, EventKind};
use embudo_domain::ingesta::Momento;
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::watched_loop::{Deadlines, LoopStep, WatchedLoop};
use embudo_domain::{JobId, LeadId, ProcessId, Timestamp};
use jiff::SignedDuration;
use tokio::task::JoinSet;

use super::data::outbox::{
    LENGTH, end, failed_delivery, finish, job, job_of, lead_with_notices, make, of, own, process, take_ids,
    watched_loop,
};
use super::data::{a_lead, event, foto, ingesta, nobody, other_lead, record, t};
use embudo_store::Store;
use embudo_store::lead_writes::{Ingest, NewFoto};
use embudo_store::loop_deadlines::{MarkLoopOverdue, OverdueLoop};
use embudo_store::outbox::{JobAttemptEnd, JobOutcome};

/// The two deadlines differ, so that a deadline shows to which step it belongs.
const DEADLINES: Deadlines =
    Deadlines { renders: SignedDuration::from_secs(100), finalizar: SignedDuration::from_secs(200) };

fn wait(step: LoopStep, since: i64) -> WatchedLoop {
    let deadline = if step == LoopStep::AwaitingRenders { 100 } else { 200 };
    WatchedLoop { step, since: t(since), limit: t(since + deadline), overdue: false, resignals: 0 }
}

fn render() -> NewFoto {
    NewFoto { momento: Momento::After, ..foto() }
}

/// An ingestion of these photos under the unequal deadlines.
fn brings(lead: LeadId, fotos: Vec<NewFoto>, n: i64) -> Ingest {
    Ingest { deadlines: DEADLINES, ..ingesta(lead, fotos, t(n)) }
}

/// The same call with `finalizar`, which leaves its event in the history.
fn finalizes(command: Ingest) -> Ingest {
    Ingest { finalizar: true, events: vec![event(EventKind::Finalizar, command.at)], ..command }
}

async fn ingest(store: &Arc<dyn Store>, command: Ingest) {
    store.ingest(command).await.expect("saved");
}

/// Makes a profile signal at one moment; it is accepted at another.
async fn signal(store: &Arc<dyn Store>, lead: LeadId, done: i64, accepted: i64) {
    let who = process();
    let id = make(store, lead, of(JobKind::Perfil, who, LENGTH), t(done)).await;
    accept(store, id, who, accepted).await;
}

async fn accept(store: &Arc<dyn Store>, id: JobId, who: ProcessId, n: i64) {
    let end = JobAttemptEnd { watched_loop: Some(DEADLINES), ..end(id, who, JobOutcome::Done, t(n)) };
    finish(store, end).await;
}

/// Signal, renders, `finalizar`: each step shows in record and list, and only the first render moves on.
pub async fn the_steps_follow_each_other(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let another = other_lead(&store).await;
    ingest(&store, brings(lead, vec![render()], 1)).await;
    assert_eq!(watched_loop(&store, lead).await, None, "renders without a signal start nothing");
    signal(&store, lead, 2, 3).await;
    let one = wait(LoopStep::AwaitingRenders, 3);
    assert_eq!(watched_loop(&store, lead).await, Some(one));
    ingest(&store, brings(lead, vec![foto()], 4)).await;
    assert_eq!(watched_loop(&store, lead).await, Some(one), "a photo `antes` is no render");
    ingest(&store, brings(lead, vec![foto(), render()], 5)).await;
    let two = wait(LoopStep::AwaitingFinalizar, 5);
    assert_eq!(watched_loop(&store, lead).await, Some(two));
    ingest(&store, brings(lead, vec![render()], 6)).await;
    assert_eq!(watched_loop(&store, lead).await, Some(two), "only the first render counts");
    ingest(&store, finalizes(brings(lead, vec![], 7))).await;
    assert_eq!(watched_loop(&store, lead).await, None);
    assert_eq!(watched_loop(&store, another).await, None);
    signal(&store, lead, 8, 9).await;
    assert_eq!(watched_loop(&store, lead).await, Some(wait(LoopStep::AwaitingRenders, 9)), "a new round");
    ingest(&store, finalizes(brings(lead, vec![render()], 10))).await;
    assert_eq!(watched_loop(&store, lead).await, None, "both steps at once");
}

/// A workflow may bring renders, or everything, before it answers the signal that asked for them.
pub async fn a_workflow_may_call_back_before_it_answers(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for (renders, finalizar, expected) in [
        (true, false, Some(wait(LoopStep::AwaitingFinalizar, 20))),
        (false, true, None),
        (true, true, None),
        (false, false, Some(wait(LoopStep::AwaitingRenders, 20))),
    ] {
        let lead = other_lead(&store).await;
        let who = process();
        let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(10)).await;
        let fotos = if renders { vec![render()] } else { vec![foto()] };
        let call = brings(lead, fotos, 15);
        ingest(&store, if finalizar { finalizes(call) } else { call }).await;
        assert_eq!(watched_loop(&store, lead).await, None);
        accept(&store, id, who, 20).await;
        assert_eq!(watched_loop(&store, lead).await, expected, "{renders} {finalizar}");
    }
}

/// Photos that came before the signal was made, or in the very call that made it, are not what the signal asked for.
pub async fn only_what_came_since_counts(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    ingest(&store, finalizes(brings(lead, vec![render()], 5))).await;
    let signal = of(JobKind::Perfil, who, LENGTH);
    let id = signal.id;
    ingest(&store, Ingest { jobs: vec![signal], ..brings(lead, vec![render()], 10) }).await;
    accept(&store, id, who, 20).await;
    assert_eq!(watched_loop(&store, lead).await, Some(wait(LoopStep::AwaitingRenders, 20)));
}

/// An accepted signal of a lead that already waits restarts its step.
pub async fn a_new_signal_starts_anew(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    signal(&store, lead, 1, 2).await;
    ingest(&store, brings(lead, vec![render()], 3)).await;
    signal(&store, lead, 4, 5).await;
    assert_eq!(watched_loop(&store, lead).await, Some(wait(LoopStep::AwaitingRenders, 5)));
}

/// A refused ingestion and a replayed one move no loop.
pub async fn a_refused_call_moves_nothing(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    signal(&store, lead, 1, 2).await;
    let blob = embudo_domain::Digest::of(b"barrido");
    assert!(store.mark_blob(lead, blob, t(3)).await.expect("answered").is_some());
    let marked = NewFoto { momento: Momento::After, ..super::data::foto_of(blob) };
    let command = finalizes(brings(lead, vec![marked], 4));
    assert_fails!(store.ingest(command).await, BlobMarked);
    assert_eq!(watched_loop(&store, lead).await, Some(wait(LoopStep::AwaitingRenders, 2)));
    let with_key = |n| Ingest {
        idempotency: Some(super::data::key("POST", "k", 1, t(5))),
        ..brings(lead, vec![render()], n)
    };
    ingest(&store, with_key(5)).await;
    signal(&store, lead, 6, 7).await;
    ingest(&store, with_key(8)).await;
    assert_eq!(watched_loop(&store, lead).await, Some(wait(LoopStep::AwaitingRenders, 7)));
}

/// A failed attempt of a profile signal that began at one moment and ended at another.
fn failed(id: JobId, who: ProcessId, result: JobOutcome, start: i64, at: i64) -> JobAttemptEnd {
    JobAttemptEnd {
        delivery: failed_delivery(t(start), "no contestó"),
        event: Some(Event {
            ok: false,
            detail: Some("se repite".into()),
            ..event(EventKind::PerfilComplete, t(at))
        }),
        answered: Some("ya ha vuelto".into()),
        watched_loop: Some(DEADLINES),
        ..end(id, who, result, t(at))
    }
}

/// The last event of a lead: whether it is ok, and its detail.
async fn last(store: &Arc<dyn Store>, lead: LeadId) -> (bool, Option<String>) {
    let e = record(store, lead).await.events.pop().expect("an event");
    (e.ok, e.detail)
}

/// The receiver takes too long to answer, or answers with an error, but calls back meanwhile: the signal is done, the
/// loop goes on, and no failure is reported.
pub async fn a_signal_whose_work_came_back_is_done_whatever_its_answer(store: Arc<dyn Store>) {
    lead_with_notices(&store).await;
    for result in [JobOutcome::Retry(t(99)), JobOutcome::Dead] {
        for notices in [vec![], vec![job(JobKind::EmpresaMail)]] {
            for (call, expected) in
                [(vec![render()], Some(wait(LoopStep::AwaitingFinalizar, 40))), (vec![], None)]
            {
                let lead = other_lead(&store).await;
                let who = process();
                let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(10)).await;
                let call = brings(lead, call, 20);
                let call = if call.fotos.is_empty() { finalizes(call) } else { call };
                ingest(&store, call).await;
                assert_eq!(job_of(&store, id).await.state, JobState::Pending, "it is being tried");
                let end = JobAttemptEnd { jobs: notices.clone(), ..failed(id, who, result, 11, 40) };
                finish(&store, end).await;
                let read = job_of(&store, id).await;
                assert_eq!((read.state, read.terminado_en), (JobState::Done, Some(t(40))));
                assert_eq!((read.intentos, read.ultimo_error.as_deref()), (1, Some("no contestó")));
                assert_eq!(last(&store, lead).await, (true, Some("ya ha vuelto".into())));
                assert_eq!(watched_loop(&store, lead).await, expected);
                assert_eq!(own(&store, lead).await.len(), 1, "nobody is told");
            }
        }
    }
}

/// Renders that came before the first attempt were not asked for by it; renders that came since then count, whichever
/// attempt fails.
pub async fn what_came_before_it_was_sent_is_no_answer(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(10)).await;
    ingest(&store, brings(lead, vec![render()], 12)).await;
    finish(&store, failed(id, who, JobOutcome::Retry(t(30)), 12, 20)).await;
    assert_eq!(job_of(&store, id).await.state, JobState::Pending);
    assert_eq!(last(&store, lead).await, (false, Some("se repite".into())));
    assert_eq!(watched_loop(&store, lead).await, None, "it was not accepted either");
    assert_eq!(take_ids(&store, who, t(30)).await, [id]);
    // The call took long: it began while the signal waited and ends while the signal is tried again.
    ingest(&store, brings(lead, vec![render()], 25)).await;
    finish(&store, failed(id, who, JobOutcome::Retry(t(90)), 30, 60)).await;
    assert_eq!(job_of(&store, id).await.state, JobState::Done);
}

/// The renders may belong to the newer signal: the older one ends as superseded, and the loop is that of the newer one.
pub async fn a_newer_signal_comes_before_the_answer(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for (result, state) in
        [(JobOutcome::Retry(t(90)), JobState::Superseded), (JobOutcome::Dead, JobState::Dead)]
    {
        let who = process();
        let old = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(10)).await;
        make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(11)).await;
        ingest(&store, brings(lead, vec![render()], 20)).await;
        finish(&store, failed(old, who, result, 10, 40)).await;
        assert_eq!(job_of(&store, old).await.state, state);
        assert_eq!(watched_loop(&store, lead).await, None);
    }
}

/// A signal that failed and waits for its next attempt is not sent again once its renders have come.
pub async fn a_signal_that_waits_is_done_when_its_work_comes_back(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for (finalizar, expected) in [(false, Some(wait(LoopStep::AwaitingFinalizar, 30))), (true, None)] {
        let lead = other_lead(&store).await;
        let who = process();
        let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(10)).await;
        finish(&store, failed(id, who, JobOutcome::Retry(t(90)), 10, 20)).await;
        ingest(&store, brings(lead, vec![foto()], 25)).await;
        assert_eq!(job_of(&store, id).await.state, JobState::Pending, "a photo `antes` is no answer");
        let call = brings(lead, vec![render()], 30);
        ingest(&store, if finalizar { finalizes(call) } else { call }).await;
        let read = job_of(&store, id).await;
        assert_eq!((read.state, read.terminado_en), (JobState::Done, Some(t(30))));
        assert_eq!(watched_loop(&store, lead).await, expected);
        let Event { ok, detail, .. } = Event::signal_answered(t(30));
        assert_eq!(last(&store, lead).await, (ok, detail));
        assert_eq!(take_ids(&store, who, t(99)).await, []);
    }
    // A signal that was never sent is not answered by renders from elsewhere; nor is a job of another kind.
    let lead = other_lead(&store).await;
    let new = make(&store, lead, job(JobKind::Perfil), t(10)).await;
    let who = process();
    let pdf = make(&store, lead, of(JobKind::Pdf, who, LENGTH), t(10)).await;
    finish(&store, end(pdf, who, JobOutcome::Retry(t(90)), t(11))).await;
    ingest(&store, finalizes(brings(lead, vec![render()], 20))).await;
    for id in [new, pdf] {
        assert_eq!(job_of(&store, id).await.state, JobState::Pending);
    }
}

/// A person who replays a dead signal wants it sent: an answer to an earlier run does not count.
pub async fn a_signal_that_a_person_tries_again_is_sent(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(10)).await;
    finish(&store, failed(id, who, JobOutcome::Dead, 10, 11)).await;
    ingest(&store, brings(lead, vec![render()], 20)).await;
    store.retry(id, t(30), None).await.expect("due");
    assert_eq!(take_ids(&store, who, t(30)).await, [id]);
    finish(&store, failed(id, who, JobOutcome::Retry(t(50)), 30, 40)).await;
    assert_eq!(job_of(&store, id).await.state, JobState::Pending);
    assert_eq!(take_ids(&store, who, t(50)).await, [id]);
    finish(&store, failed(id, who, JobOutcome::Retry(t(70)), 50, 60)).await;
    assert_eq!(job_of(&store, id).await.state, JobState::Pending);
    ingest(&store, brings(lead, vec![render()], 65)).await;
    assert_eq!(job_of(&store, id).await.state, JobState::Done);
}

async fn overdue_ones(store: &Arc<dyn Store>, now: Timestamp) -> Vec<OverdueLoop> {
    let mut list = store.overdue_loops(now, 100).await.expect("a list");
    list.sort_by_key(|v| v.lead);
    list
}

fn expire(lead: LeadId, step: LoopStep, n: i64) -> MarkLoopOverdue {
    let detail = Some(step.to_string());
    let event = Event { detail, ..event(EventKind::OverdueLoop, t(n)) };
    MarkLoopOverdue { lead, step, event, resignal: None, notices: Vec::new(), at: t(n) }
}

/// Steps past their deadline are found, up to the given number; steps that still have time, moved on or are marked are
/// not.
pub async fn overdue_steps_are_found(store: Arc<dyn Store>) {
    let (a, b, c) = (a_lead(&store).await, other_lead(&store).await, other_lead(&store).await);
    for lead in [a, b, c] {
        signal(&store, lead, 1, 10).await;
    }
    ingest(&store, brings(b, vec![render()], 20)).await;
    ingest(&store, finalizes(brings(c, vec![], 20))).await;
    let of = |lead, step| OverdueLoop { lead, step, resignals: 0 };
    let (va, vb) = (of(a, LoopStep::AwaitingRenders), of(b, LoopStep::AwaitingFinalizar));
    assert_eq!(overdue_ones(&store, t(109)).await, vec![]);
    assert_eq!(overdue_ones(&store, t(111)).await, [va]);
    assert_eq!(overdue_ones(&store, t(219)).await, [va]);
    let mut both = [va, vb];
    both.sort_by_key(|v| v.lead);
    assert_eq!(overdue_ones(&store, t(221)).await, both);
    assert_eq!(store.overdue_loops(t(221), 1).await.expect("a list").len(), 1);
    assert_eq!(store.overdue_loops(t(221), 0).await.expect("a list"), vec![]);
    assert!(store.mark_loop_overdue(expire(a, va.step, 222)).await.expect("marked"));
    assert_eq!(overdue_ones(&store, t(999)).await, [vb]);
}

/// A deadline is marked once, with its event; the lead shows it until it moves on.
pub async fn a_deadline_passes_once(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    signal(&store, lead, 1, 10).await;
    let step = LoopStep::AwaitingRenders;
    assert!(store.mark_loop_overdue(expire(lead, step, 150)).await.expect("marked"));
    let is_marked = WatchedLoop { overdue: true, ..wait(step, 10) };
    assert_eq!(watched_loop(&store, lead).await, Some(is_marked));
    for n in 151..153 {
        assert!(!store.mark_loop_overdue(expire(lead, step, n)).await.expect("answered"));
    }
    assert_eq!(record(&store, lead).await.events, vec![expire(lead, step, 150).event]);
    assert_eq!(own(&store, lead).await.len(), 1, "no signal was asked for");
    ingest(&store, brings(lead, vec![render()], 160)).await;
    let step = LoopStep::AwaitingFinalizar;
    assert_eq!(watched_loop(&store, lead).await, Some(wait(step, 160)), "late renders are renders");
    assert!(store.mark_loop_overdue(expire(lead, step, 400)).await.expect("marked"));
    assert_eq!(watched_loop(&store, lead).await, Some(WatchedLoop { overdue: true, ..wait(step, 160) }));
    ingest(&store, finalizes(brings(lead, vec![], 500))).await;
    assert_eq!(watched_loop(&store, lead).await, None);
}

/// A lead that moved on is not marked: neither event nor signal.
pub async fn a_lead_that_moved_on_is_left_alone(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let step = LoopStep::AwaitingRenders;
    let with_signal = |n| MarkLoopOverdue { resignal: Some(job(JobKind::Perfil)), ..expire(lead, step, n) };
    let rejected = async |n: i64| {
        let before = (record(&store, lead).await, own(&store, lead).await.len());
        assert!(!store.mark_loop_overdue(with_signal(n)).await.expect("answered"));
        assert_eq!((record(&store, lead).await, own(&store, lead).await.len()), before);
    };
    rejected(150).await;
    signal(&store, lead, 1, 10).await;
    ingest(&store, brings(lead, vec![render()], 20)).await;
    rejected(400).await;
    ingest(&store, finalizes(brings(lead, vec![], 401))).await;
    rejected(500).await;
    // The step that was found overdue started again before it was marked.
    signal(&store, lead, 510, 600).await;
    rejected(620).await;
    assert!(!store.mark_loop_overdue(expire(nobody(), step, 900)).await.unwrap_or(false));
}

/// A signal that is sent again automatically is made together with the mark and counted; the mark stays until the
/// signal is accepted.
pub async fn a_signal_by_itself_is_counted(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let step = LoopStep::AwaitingRenders;
    signal(&store, lead, 1, 10).await;
    for (n, resignals) in [(200, 1), (600, 2)] {
        let who = process();
        let signal = of(JobKind::Perfil, who, LENGTH);
        let id = signal.id;
        let command = MarkLoopOverdue { resignal: Some(signal), ..expire(lead, step, n) };
        assert!(store.mark_loop_overdue(command).await.expect("marked"));
        let b = watched_loop(&store, lead).await.expect("it waits");
        assert_eq!((b.step, b.overdue, b.resignals), (step, true, resignals));
        let read = job_of(&store, id).await;
        assert_eq!((read.kind, read.state), (JobKind::Perfil, JobState::Pending));
        assert_eq!((read.creado_en, read.proximo_en), (t(n), t(n)));
        accept(&store, id, who, n + 10).await;
        assert_eq!(watched_loop(&store, lead).await, Some(WatchedLoop { resignals, ..wait(step, n + 10) }));
        assert_eq!(overdue_ones(&store, t(n + 200)).await, [OverdueLoop { lead, step, resignals }]);
    }
    ingest(&store, brings(lead, vec![render()], 700)).await;
    let two = wait(LoopStep::AwaitingFinalizar, 700);
    assert_eq!(watched_loop(&store, lead).await, Some(WatchedLoop { resignals: 2, ..two }));
}

/// The notice to the company is made together with the mark and not without it, once for each step.
pub async fn notices_come_with_the_mark(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    signal(&store, lead, 1, 10).await;
    let notices = async || own(&store, lead).await.iter().filter(|t| t.kind == JobKind::EmpresaMail).count();
    for (step, n, is_marked, expected_ones) in [
        (LoopStep::AwaitingRenders, 50, false, 0),
        (LoopStep::AwaitingRenders, 150, true, 1),
        (LoopStep::AwaitingRenders, 160, false, 1),
        (LoopStep::AwaitingFinalizar, 400, true, 2),
    ] {
        if step == LoopStep::AwaitingFinalizar {
            ingest(&store, brings(lead, vec![render()], 170)).await;
        }
        let notice = vec![job(JobKind::EmpresaMail)];
        let command = MarkLoopOverdue { notices: notice, ..expire(lead, step, n) };
        assert_eq!(store.mark_loop_overdue(command).await.expect("answered"), is_marked);
        assert_eq!(notices().await, expected_ones);
    }
}

/// Of many processes that mark the same deadline one succeeds.
pub async fn racers_mark_a_deadline_once(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    signal(&store, lead, 1, 10).await;
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let command = expire(lead, LoopStep::AwaitingRenders, 200);
            let resignal = Some(job(JobKind::Perfil));
            store.mark_loop_overdue(MarkLoopOverdue { resignal, ..command }).await.expect("answered")
        });
    }
    assert_eq!(tasks.join_all().await.into_iter().filter(|is_marked| *is_marked).count(), 1);
    assert_eq!(watched_loop(&store, lead).await.map(|b| b.resignals), Some(1));
    assert_eq!((record(&store, lead).await.events.len(), own(&store, lead).await.len()), (1, 2));
}
