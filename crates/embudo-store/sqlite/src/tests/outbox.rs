//! What only this engine can show of the outbox: leases on SQLite's clock, numbers that are never used again, a batch
//! shared with other commands.

use std::time::{Duration, Instant};

use embudo_domain::job::{Delivery, JobKind, JobState};
use embudo_domain::{Digest, JobId, LeadId, ProcessId};
use embudo_store::StoreError;
use embudo_store::lead_writes::RecordEvent;
use embudo_store::outbox::{Allotment, JobAttemptEnd, JobOutcome, Lease, NewJob, NewPayload};
use embudo_store::prelude::*;
use embudo_store_conformance::data::{foto_of, ingesta, t, turno};
use uuid::Uuid;

use super::{Desk, queued};

const A_WHILE: Duration = Duration::from_secs(60);

fn process() -> ProcessId {
    ProcessId(Uuid::new_v4())
}

fn new(kind: JobKind, lease: Option<Lease>) -> NewJob {
    NewJob {
        id: JobId(Uuid::new_v4()),
        kind,
        payload: NewPayload::Text("{}".into()),
        lease,
        proximo_en: None,
    }
}

fn pdf_order(lead: LeadId, job: NewJob) -> RecordEvent {
    RecordEvent { lead, event: None, jobs: vec![job], at: t(0), idempotency: None }
}

fn allotment(kind: JobKind) -> Vec<Allotment> {
    vec![Allotment { kind, how_many: 10, first_attempts_only: false }]
}

fn failure(id: JobId, who: ProcessId, result: JobOutcome) -> JobAttemptEnd {
    let delivery = Delivery {
        start: t(1),
        duracion_ms: 5,
        ok: false,
        status: Some(500),
        error: Some("500".into()),
        answer: None,
    };
    JobAttemptEnd {
        id,
        who,
        result,
        delivery,
        event: None,
        answered: None,
        watched_loop: None,
        jobs: vec![],
        at: t(2),
    }
}

/// Takes the next job as soon as there is one.
async fn take(desk: &Desk, who: ProcessId) -> JobId {
    let start = Instant::now();
    loop {
        let lease = Lease { who, lasts: A_WHILE };
        let taken = desk.store.claim(allotment(JobKind::Mensajeria), lease, t(10)).await.expect("claimed");
        if let [job] = taken.as_slice() {
            return job.id;
        }
        assert!(taken.is_empty() && start.elapsed() < A_WHILE, "the lease runs out");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_lease_that_ran_out_frees_the_job_on_the_database_clock() {
    let desk = Desk::new().await;
    let (dead, alive) = (process(), process());
    let short = Lease { who: dead, lasts: Duration::from_millis(30) };
    let job = new(JobKind::Mensajeria, Some(short));
    let id = job.id;
    desk.store.record_event(pdf_order(desk.lead, job)).await.expect("made");
    let expires = desk.store.next_due(JobKind::ALL.into()).await.expect("asked").expect("a lease runs out");
    assert!(expires >= t(0), "a living lease or, once it ran out, the job itself");
    assert_eq!(take(&desk, alive).await, id);
    let (before, now) = (failure(id, dead, JobOutcome::Done), failure(id, alive, JobOutcome::Done));
    assert_eq!(desk.store.renew(vec![id], Lease { who: dead, lasts: A_WHILE }).await.expect("asked"), vec![]);
    assert!(!desk.store.begin_send(id, dead).await.expect("asked"));
    assert!(!desk.store.finish(before).await.expect("asked"), "it is another's now");
    assert!(desk.store.finish(now).await.expect("asked"));
    assert_eq!(desk.store.job(id).await.expect("a job").0.state, JobState::Done);
}

#[tokio::test]
async fn a_late_attempt_is_written_down_while_nobody_else_took_the_job() {
    let desk = Desk::new().await;
    let who = process();
    let job = new(JobKind::Mensajeria, Some(Lease { who, lasts: Duration::ZERO }));
    let id = job.id;
    desk.store.record_event(pdf_order(desk.lead, job)).await.expect("made");
    let again = JobOutcome::Retry(t(7));
    assert!(desk.store.finish(failure(id, who, again)).await.expect("asked"));
    let (job, deliveries) = desk.store.job(id).await.expect("a job");
    assert_eq!((job.intentos, job.proximo_en, deliveries.len()), (1, t(7), 1));
    assert_eq!(desk.store.next_due(JobKind::ALL.into()).await.expect("asked"), Some(t(7)));
}

#[tokio::test]
async fn a_failing_end_harms_no_neighbour() {
    let desk = Desk::new().await;
    let who = process();
    let job = new(JobKind::Mensajeria, Some(Lease { who, lasts: A_WHILE }));
    let id = job.id;
    desk.store.record_event(pdf_order(desk.lead, job.clone())).await.expect("made");
    // The follow-up job has an id that is taken, so everything of this end is undone.
    let bad = JobAttemptEnd { jobs: vec![job], ..failure(id, who, JobOutcome::Dead) };
    let (held, gate) = desk.hold_writer();
    let before = queued(desk.store.append_turno(turno(desk.lead, "antes", t(1))));
    let bad = queued(desk.store.finish(bad));
    let after = queued(desk.store.append_turno(turno(desk.lead, "después", t(2))));
    drop(gate);
    held.await.expect("opened");
    before.await.expect("appended");
    assert!(matches!(bad.await, Err(StoreError::Internal(_))));
    after.await.expect("appended");
    let (job, deliveries) = desk.store.job(id).await.expect("a job");
    assert_eq!((job.state, job.intentos), (JobState::Pending, 0));
    assert!(deliveries.is_empty());
}

#[tokio::test]
async fn the_number_of_a_mark_never_comes_back() {
    let desk = Desk::new().await;
    let blob = Digest::of(b"vuelve");
    let mut last = 0;
    for round in 0..3 {
        let nth = desk.store.mark_blob(desk.lead, blob, t(round)).await.expect("answered").expect("marked");
        desk.store.blob_swept(desk.lead, blob, nth).await.expect("swept");
        let marks = desk.store.blob_marks(desk.lead).await.expect("marks");
        assert!(marks.len() == 1 && marks[0].sweep && marks[0].nth > last, "{marks:?}");
        let stale = last;
        last = marks[0].nth;
        let mut command = ingesta(desk.lead, vec![foto_of(blob)], t(round));
        command.swept = vec![(blob, stale)];
        assert!(matches!(desk.store.ingest(command.clone()).await, Err(StoreError::BlobMarked)));
        command.swept = vec![(blob, last)];
        let foto = command.fotos[0].id;
        desk.store.ingest(command).await.expect("put again after that deletion");
        assert!(desk.store.blob_marks(desk.lead).await.expect("marks").is_empty());
        desk.store.delete_foto(desk.lead, foto, t(9)).await.expect("removed");
    }
}
