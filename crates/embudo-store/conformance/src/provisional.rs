//! Outcomes that wait for jobs: provisional when the work is done, final once the jobs have been tried.

use std::sync::Arc;

use embudo_domain::job::{Job, JobKind};
use embudo_domain::{JobId, Timestamp};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::outbox::{job, only_jobs, process, take_ids};
use super::data::{ODD_TEXT, a_lead, foto, ingesta, key, micros, new_lead, outcome, t};
use super::idempotency::{ALL, Envelope, send, state};
use embudo_store::lead_writes::{Ingest, RecordEvent};
use embudo_store::leads::CreateLead;
use embudo_store::outbox_admin::JobFilter;
use embudo_store::{Done, Idempotency, Store};

/// A key with a provisional outcome that waits for these jobs.
fn provisional(scope: &str, body: u8, jobs: Vec<JobId>, at: Timestamp) -> Idempotency {
    Idempotency { outcome: outcome("de momento"), jobs, ..key(scope, "k", body, at) }
}

/// An outcome that waits for jobs is provisional until it is completed; the work itself is done only once.
pub async fn a_provisional_outcome_waits_to_be_completed(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for envelope in ALL {
        let scope = format!("POST {envelope:?}");
        let jobs = vec![JobId(Uuid::new_v4()), JobId(Uuid::new_v4())];
        let first = provisional(&scope, 1, jobs.clone(), t(1));
        assert_eq!(send(&store, envelope, lead, 1, first).await.expect("done"), Done::Now);
        let before = state(&store, lead).await;
        let in_progress = Done::InProgress { outcome: outcome("de momento"), jobs };
        for n in 2..4 {
            let done = send(&store, envelope, lead, n, key(&scope, "k", 1, t(n))).await;
            assert_eq!(done.expect("answered"), in_progress, "{envelope:?}");
        }
        assert_fails!(send(&store, envelope, lead, 4, key(&scope, "k", 2, t(4))).await, KeyReused);
        let whole = outcome(ODD_TEXT);
        store.complete_outcome(scope.clone(), "k".into(), whole.clone(), None).await.expect("completed");
        let done = send(&store, envelope, lead, 5, key(&scope, "k", 1, t(5))).await;
        assert_eq!(done.expect("replayed"), Done::Before(whole), "{envelope:?}");
        assert_fails!(send(&store, envelope, lead, 6, key(&scope, "k", 2, t(6))).await, KeyReused);
        assert_eq!(state(&store, lead).await, before, "{envelope:?}");
    }
}

/// Completing an outcome changes its own key and no other, and completing a deleted key is no error.
pub async fn completing_touches_its_own_key(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let jobs = vec![JobId(Uuid::new_v4())];
    for scope in ["a", "b"] {
        let k = provisional(scope, 1, jobs.clone(), t(1));
        send(&store, Envelope::Turno, lead, 1, k).await.expect("done");
    }
    for (scope, k) in [("a", "K"), ("A", "k"), ("c", "k"), ("a", "k")] {
        let done = store.complete_outcome(scope.into(), k.into(), outcome("entera"), None).await;
        done.expect("a key that the purge has taken is no error");
    }
    let job_of = async |scope| {
        send(&store, Envelope::Turno, lead, 2, key(scope, "k", 1, t(2))).await.expect("answered")
    };
    assert_eq!(job_of("a").await, Done::Before(outcome("entera")));
    assert_eq!(job_of("b").await, Done::InProgress { outcome: outcome("de momento"), jobs });
}

/// A provisional outcome expires like any other.
pub async fn a_provisional_outcome_expires(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let k = provisional("a", 1, vec![JobId(Uuid::new_v4())], t(1));
    send(&store, Envelope::Turno, lead, 1, k.clone()).await.expect("done");
    let another = key("a", "k", 2, k.expira_en);
    assert_eq!(send(&store, Envelope::Turno, lead, 2, another.clone()).await.expect("done"), Done::Now);
    let done = send(&store, Envelope::Turno, lead, 3, another).await.expect("replayed");
    assert_eq!(done, Done::Before(outcome("k")));
}

/// Completing an outcome can set once when its key expires; if no moment is given, the first one stays.
pub async fn a_final_outcome_can_expire_elsewhen(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let jobs = vec![JobId(Uuid::new_v4())];
    for (scope, expira_en) in [("antes", Some(t(5))), ("igual", None), ("despues", Some(t(500)))] {
        let k = provisional(scope, 1, jobs.clone(), t(1));
        let end = expira_en.unwrap_or(k.expira_en);
        send(&store, Envelope::Turno, lead, 1, k).await.expect("done");
        // The second outcome comes too late to change anything.
        for (whole, expira_en) in [("entera", expira_en), ("tardía", Some(t(9_000)))] {
            let done = store.complete_outcome(scope.into(), "k".into(), outcome(whole), expira_en).await;
            done.expect("completed");
        }
        let just_before = micros(end.as_microsecond() - 1);
        let done = send(&store, Envelope::Turno, lead, 2, key(scope, "k", 1, just_before)).await;
        assert_eq!(done.expect("replayed"), Done::Before(outcome("entera")), "{scope}");
        let done = send(&store, Envelope::Turno, lead, 3, key(scope, "k", 1, end)).await;
        assert_eq!(done.expect("done"), Done::Now, "{scope}");
    }
}

/// Sixteen racers with one key and a job each make one job, and the others learn which job to wait for; a worker that
/// claims meanwhile takes it once.
pub async fn racers_with_one_key_make_one_job(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    for envelope in [Envelope::Lead, Envelope::Ingesta, Envelope::Event] {
        let before = all_jobs(&store).await.len();
        let mut tasks = JoinSet::new();
        for _ in 0..16 {
            let (store, new) = (Arc::clone(&store), job(JobKind::Mensajeria));
            let idempotency = Some(provisional(&format!("POST {envelope:?}"), 1, vec![new.id], t(1)));
            tasks.spawn(async move {
                let (id, jobs) = (new.id, vec![new]);
                let done = match envelope {
                    Envelope::Lead => {
                        let command = CreateLead { jobs, idempotency, ..new_lead("Ana") };
                        store.create_lead(command).await
                    }
                    Envelope::Ingesta => {
                        let command = Ingest { jobs, idempotency, ..ingesta(lead, vec![foto()], t(1)) };
                        store.ingest(command).await
                    }
                    _ => {
                        let command = only_jobs(lead, jobs, t(1));
                        store.record_event(RecordEvent { idempotency, ..command }).await
                    }
                };
                let taken = take_ids(&store, process(), t(1)).await;
                (id, done.expect("done or replayed"), taken)
            });
        }
        let facts = tasks.join_all().await;
        let winners: Vec<JobId> =
            facts.iter().filter(|(_, h, _)| *h == Done::Now).map(|(id, ..)| *id).collect();
        assert_eq!(winners.len(), 1, "{envelope:?}");
        let in_progress = Done::InProgress { outcome: outcome("de momento"), jobs: winners.clone() };
        assert_eq!(facts.iter().filter(|(_, h, _)| *h == in_progress).count(), 15, "{envelope:?}");
        let taken: Vec<JobId> = facts.into_iter().flat_map(|(.., taken)| taken).collect();
        assert_eq!(taken, winners, "{envelope:?}");
        assert_eq!(all_jobs(&store).await.len(), before + 1, "{envelope:?}");
    }
}

async fn all_jobs(store: &Arc<dyn Store>) -> Vec<Job> {
    store.list_jobs(JobFilter::default(), None, 1000).await.expect("a list")
}
