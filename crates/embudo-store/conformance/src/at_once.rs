//! Jobs made and attempts ended by many callers at once: an engine may write them together, but each has the same
//! result as if it were alone.

use std::collections::HashMap;
use std::sync::Arc;

use embudo_domain::event::EventKind;
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::watched_loop::{Deadlines, LoopStep};
use embudo_domain::{JobId, LeadId};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::outbox::{
    LENGTH, end, finish, job, job_of, lead_with_notices, make, of, only_jobs, own, process, state,
    watched_loop,
};
use super::data::{a_lead, event, ingesta, nota, other_lead, record, t};
use embudo_store::lead_writes::Ingest;
use embudo_store::outbox::{JobAttemptEnd, JobOutcome};
use embudo_store::{Done, Store, StoreError};

const MANY: usize = 48;

/// Attempts end at once with every outcome, also of another process's job and of an unknown job: each end has the
/// result that it would have alone.
pub async fn ends_at_once_are_each_written_down(store: Arc<dyn Store>) {
    lead_with_notices(&store).await;
    let (me, other) = (process(), process());
    let mut expected_ones = HashMap::new();
    let mut attempt_ends = Vec::new();
    for n in 0..MANY {
        let lead = other_lead(&store).await;
        let id = make(&store, lead, of(JobKind::Perfil, me, LENGTH), t(1)).await;
        let with = |result| JobAttemptEnd {
            event: Some(event(EventKind::PerfilComplete, t(2))),
            ..end(id, me, result, t(2))
        };
        let (end, ends, heard) = match n % 8 {
            0 => (with(JobOutcome::Retry(t(60))), JobState::Pending, true),
            1 => (with(JobOutcome::Dead), JobState::Dead, true),
            2 => (with(JobOutcome::Parked), JobState::Parked, true),
            3 => {
                let jobs = vec![job(JobKind::EmpresaMail)];
                (JobAttemptEnd { jobs, ..with(JobOutcome::Dead) }, JobState::Dead, true)
            }
            4 => {
                make(&store, lead, of(JobKind::Perfil, other, LENGTH), t(2)).await;
                (with(JobOutcome::Retry(t(60))), JobState::Superseded, true)
            }
            5 => (JobAttemptEnd { who: other, ..with(JobOutcome::Done) }, JobState::Pending, false),
            6 => {
                let nobody = JobId(Uuid::new_v4());
                (JobAttemptEnd { id: nobody, ..with(JobOutcome::Done) }, JobState::Pending, false)
            }
            _ => {
                let watched_loop = Some(Deadlines::default());
                (JobAttemptEnd { watched_loop, ..with(JobOutcome::Done) }, JobState::Done, true)
            }
        };
        expected_ones.insert(id, (lead, n % 8, ends, heard));
        attempt_ends.push((id, end));
    }
    let mut tasks = JoinSet::new();
    for (id, end) in attempt_ends {
        let store = Arc::clone(&store);
        tasks.spawn(async move { (id, store.finish(end).await.expect("answered")) });
    }
    for (id, heard) in tasks.join_all().await {
        let (lead, n, ends, expected) = expected_ones[&id];
        assert_eq!(heard, expected, "{n}");
        let (read, deliveries) = store.job(id).await.expect("it exists");
        let times = usize::from(expected);
        assert_eq!((read.state, read.intentos as usize, deliveries.len()), (ends, times, times), "{n}");
        assert_eq!(record(&store, lead).await.events.len(), times, "{n}");
        assert_eq!(own(&store, lead).await.len(), 1 + usize::from(n == 3 || n == 4), "{n}");
        let step = watched_loop(&store, lead).await.map(|b| (b.step, b.since));
        assert_eq!(step, (n == 7).then_some((LoopStep::AwaitingRenders, t(2))), "{n}");
    }
}

/// Two accepted signals of one lead end at once: both are in the log and in the history, and the lead waits only once.
pub async fn two_ends_of_one_lead_at_once(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let who = process();
    for _ in 0..12 {
        let lead = other_lead(&store).await;
        let mut tasks = JoinSet::new();
        for n in [1, 2, 3] {
            let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(n)).await;
            let store = Arc::clone(&store);
            tasks.spawn(async move {
                let event = Some(event(EventKind::PerfilComplete, t(10 + n)));
                let watched_loop = Some(Deadlines::default());
                finish(
                    &store,
                    JobAttemptEnd { event, watched_loop, ..end(id, who, JobOutcome::Done, t(10 + n)) },
                )
                .await;
            });
        }
        tasks.join_all().await;
        assert!(own(&store, lead).await.iter().all(|j| j.state == JobState::Done && j.intentos == 1));
        assert_eq!(record(&store, lead).await.events.len(), 3);
        let watched_loop = watched_loop(&store, lead).await.expect("it waits");
        assert_eq!(watched_loop.step, LoopStep::AwaitingRenders);
        assert!([t(11), t(12), t(13)].contains(&watched_loop.since), "{watched_loop:?}");
    }
}

/// An end sees what came in before it, also when many end at once: renders move the lead on, `finalizar` ends the loop.
pub async fn ends_at_once_see_what_came_in(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let who = process();
    let mut tasks = JoinSet::new();
    for n in 0..MANY {
        let lead = other_lead(&store).await;
        let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await;
        let mut return_to = ingesta(lead, Vec::new(), t(2));
        match n % 3 {
            0 => {}
            1 => {
                let foto = super::data::foto();
                return_to.fotos = vec![embudo_store::lead_writes::NewFoto {
                    momento: embudo_domain::ingesta::Momento::After,
                    ..foto
                }];
            }
            _ => {
                return_to.finalizar = true;
                return_to.events = vec![event(EventKind::Finalizar, t(2))];
            }
        }
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            store.ingest(return_to).await.expect("saved");
            let watched_loop = Some(Deadlines::default());
            finish(&store, JobAttemptEnd { watched_loop, ..end(id, who, JobOutcome::Done, t(3)) }).await;
            (n, lead)
        });
    }
    for (n, lead) in tasks.join_all().await {
        let step = watched_loop(&store, lead).await.map(|b| b.step);
        let expected = [Some(LoopStep::AwaitingRenders), Some(LoopStep::AwaitingFinalizar), None][n % 3];
        assert_eq!(step, expected, "{n}");
    }
}

/// Calls that send something out, at once: each makes its own job with its own note in it, and a call for an unknown
/// lead fails alone.
pub async fn calls_at_once_make_each_their_job(store: Arc<dyn Store>) {
    lead_with_notices(&store).await;
    let who = process();
    let mut leads = Vec::new();
    for n in 0..MANY {
        leads.push(if n % 12 == 5 { LeadId(Uuid::new_v4()) } else { other_lead(&store).await });
    }
    let mut tasks = JoinSet::new();
    for (n, lead) in leads.into_iter().enumerate() {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let own = of(JobKind::Perfil, who, LENGTH);
            let (id, notice) = (own.id, job(JobKind::EmpresaMail));
            let notas = vec![nota(&format!("nota {n}"), None)];
            let events = vec![event(EventKind::PerfilComplete, t(1))];
            let jobs = vec![notice, own];
            let end = store.ingest(Ingest { notas, events, jobs, ..ingesta(lead, vec![], t(1)) }).await;
            (n, lead, id, end)
        });
    }
    for (n, lead, id, end) in tasks.join_all().await {
        if n % 12 == 5 {
            assert_fails!(end, LeadNotFound);
            assert!(store.jobs(vec![id]).await.expect("read").is_empty());
            continue;
        }
        assert_eq!(end.expect("saved"), Done::Now);
        let read = job_of(&store, id).await;
        assert!(read.payload.contains(&format!(r#""nota {n}""#)), "{}", read.payload);
        assert_eq!((read.lead, read.creado_en), (lead, t(1)));
        let stored = record(&store, lead).await;
        assert_eq!((stored.notas.len(), stored.events.len()), (1, 1));
        assert_eq!(own(&store, lead).await.len(), 2, "the signal and the notice");
    }
}

/// Many calls for one lead at once: one signal waits, the others are superseded by it.
pub async fn calls_at_once_for_one_lead_leave_one_signal(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut tasks = JoinSet::new();
    for n in 0..16 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let new = job(JobKind::Perfil);
            store.record_event(only_jobs(lead, vec![new], t(n))).await.expect("made");
        });
    }
    tasks.join_all().await;
    let jobs = own(&store, lead).await;
    let pending = jobs.iter().filter(|j| j.state == JobState::Pending).count();
    assert_eq!((jobs.len(), pending), (16, 1));
    assert!(jobs.iter().all(|j| matches!(j.state, JobState::Pending | JobState::Superseded)));
}

/// Jobs that were just made read like the jobs in the database, also when they are asked for twice.
pub async fn what_was_just_made_is_known(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let who = process();
    let mut ids = Vec::new();
    for kind in JobKind::ALL {
        ids.push(make(&store, lead, of(kind, who, LENGTH), t(1)).await);
    }
    let parsed = store.jobs(ids.clone()).await.expect("read");
    assert_eq!(parsed.len(), ids.len());
    assert_eq!(store.just_made(ids.clone()).await.expect("known"), parsed);
    assert_eq!(store.just_made(ids.clone()).await.expect("read"), parsed);
    // One job that exists and one that never did.
    let strange = JobId(Uuid::new_v4());
    assert_eq!(store.just_made(vec![ids[0], strange]).await.expect("read"), parsed[..1]);
    finish(&store, end(ids[0], who, JobOutcome::Done, t(2))).await;
    assert_eq!(state(&store, ids[0]).await, JobState::Done);
    // A call that fails leaves no job behind.
    let nobody = LeadId(Uuid::new_v4());
    let new = of(JobKind::Perfil, who, LENGTH);
    let id = new.id;
    match store.record_event(only_jobs(nobody, vec![new], t(1))).await {
        Err(StoreError::LeadNotFound) => {}
        other => panic!("{other:?}"),
    }
    assert!(store.just_made(vec![id]).await.expect("read").is_empty());
}
