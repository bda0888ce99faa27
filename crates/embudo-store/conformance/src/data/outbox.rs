//! Jobs ready to be made, claimed and ended, on the suite's fixed clock.
//!
//! Only leases run on the database's clock: [`LENGTH`] outlives any case, [`SHORT`] is over before the next call, and a
//! case that needs it to be over polls.

use std::sync::Arc;
use std::time::Duration;

use embudo_domain::empresa::Empresa;
use embudo_domain::job::{Delivery, Job, JobKind, JobState};
use embudo_domain::watched_loop::WatchedLoop;
use embudo_domain::{JobId, LeadId, ProcessId, Timestamp};
use uuid::Uuid;

use super::{empresa, new_lead, record, t};
use embudo_store::lead_writes::RecordEvent;
use embudo_store::leads::CreateLead;
use embudo_store::outbox::{Allotment, JobAttemptEnd, JobOutcome, Lease, NewJob, NewPayload};
use embudo_store::outbox_admin::JobFilter;
use embudo_store::{Done, Store};

/// A lease that outlives the case.
pub const LENGTH: Duration = Duration::from_secs(3600);
/// A lease that runs out at once.
pub const SHORT: Duration = Duration::from_millis(1);

pub fn process() -> ProcessId {
    ProcessId(Uuid::new_v4())
}

/// A job of this kind with a payload, held by no process.
pub fn job(kind: JobKind) -> NewJob {
    let payload = match kind {
        JobKind::Perfil => NewPayload::Perfil,
        JobKind::Mensajeria => NewPayload::Mensajeria,
        _ => NewPayload::Text(r#"{"a":1}"#.into()),
    };
    NewJob { id: JobId(Uuid::new_v4()), kind, payload, lease: None, proximo_en: None }
}

/// A job that this process will try first.
pub fn of(kind: JobKind, who: ProcessId, lasts: Duration) -> NewJob {
    NewJob { lease: Some(Lease { who, lasts }), ..job(kind) }
}

pub fn only_jobs(lead: LeadId, jobs: Vec<NewJob>, at: Timestamp) -> RecordEvent {
    RecordEvent { lead, event: None, jobs, at, idempotency: None }
}

/// Makes this job and returns its id.
pub async fn make(store: &Arc<dyn Store>, lead: LeadId, new: NewJob, at: Timestamp) -> JobId {
    let id = new.id;
    let done = store.record_event(only_jobs(lead, vec![new], at)).await.expect("made");
    assert_eq!(done, Done::Now);
    id
}

/// A lead of a default company that has an address for notices and wants them.
pub async fn lead_with_notices(store: &Arc<dyn Store>) -> LeadId {
    let company = Empresa { email_avisos: Some("avisos@ejemplo.es".into()), ..empresa("Reformas Uno") };
    store.ensure_default_empresa(company, t(0)).await.expect("ensured");
    let CreateLead { id, .. } = new_lead("Ana");
    store.create_lead(CreateLead { id, ..new_lead("Ana") }).await.expect("created");
    id
}

/// Up to a thousand jobs of every kind.
pub fn of_all() -> Vec<Allotment> {
    JobKind::ALL
        .into_iter()
        .map(|kind| Allotment { kind, how_many: 1000, first_attempts_only: false })
        .collect()
}

/// Up to `how_many` jobs of one kind.
pub fn allotment(kind: JobKind, how_many: u32) -> Vec<Allotment> {
    vec![Allotment { kind, how_many, first_attempts_only: false }]
}

/// Claims everything that is due, under a long lease.
pub async fn take(store: &Arc<dyn Store>, who: ProcessId, now: Timestamp) -> Vec<Job> {
    store.claim(of_all(), Lease { who, lasts: LENGTH }, now).await.expect("claimed")
}

/// The ids of what [`take`] takes, in a fixed order.
pub async fn take_ids(store: &Arc<dyn Store>, who: ProcessId, now: Timestamp) -> Vec<JobId> {
    let mut ids: Vec<JobId> = take(store, who, now).await.into_iter().map(|t| t.id).collect();
    ids.sort();
    ids
}

/// Claims until a lease that is about to run out has set this job free.
pub async fn take_when_due(store: &Arc<dyn Store>, id: JobId, lease: Lease, now: Timestamp) -> Job {
    for _ in 0..2_000 {
        let taken = store.claim(of_all(), lease, now).await.expect("claimed");
        if let Some(t) = taken.into_iter().find(|t| t.id == id) {
            return t;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("the lease never ran out");
}

/// Waits until leases of [`SHORT`] that were given before this call have run out: makes a job under such a lease, and
/// waits until it can be claimed.
pub async fn until_due(store: &Arc<dyn Store>, lead: LeadId) {
    let witness = make(store, lead, of(JobKind::Mensajeria, process(), SHORT), t(-1_000_000)).await;
    let allotment = || allotment(JobKind::Mensajeria, 1);
    for _ in 0..2_000 {
        let lease = Lease { who: process(), lasts: LENGTH };
        let taken = store.claim(allotment(), lease, t(-1_000_000)).await.expect("claimed");
        if taken.iter().any(|t| t.id == witness) {
            store.discard(witness, t(-1_000_000), None).await.expect("discarded");
            return;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("the lease never ran out");
}

/// An attempt that was accepted.
pub fn good_delivery(start: Timestamp) -> Delivery {
    Delivery { start, duracion_ms: 12, ok: true, status: Some(200), error: None, answer: Some("{}".into()) }
}

/// An attempt that was not accepted.
pub fn failed_delivery(start: Timestamp, error: &str) -> Delivery {
    Delivery { start, duracion_ms: 0, ok: false, status: None, error: Some(error.into()), answer: None }
}

/// The end of an attempt, with nothing that follows from it.
pub fn end(id: JobId, who: ProcessId, result: JobOutcome, at: Timestamp) -> JobAttemptEnd {
    let delivery =
        if result == JobOutcome::Done { good_delivery(at) } else { failed_delivery(at, "rechazado") };
    JobAttemptEnd {
        id,
        who,
        result,
        delivery,
        event: None,
        answered: None,
        watched_loop: None,
        jobs: Vec::new(),
        at,
    }
}

/// Ends an attempt of a job that the process holds.
pub async fn finish(store: &Arc<dyn Store>, end: JobAttemptEnd) {
    assert!(store.finish(end).await.expect("ended"), "the job is this process's");
}

/// A job as it is stored now.
pub async fn job_of(store: &Arc<dyn Store>, id: JobId) -> Job {
    store.job(id).await.expect("the job exists").0
}

pub async fn state(store: &Arc<dyn Store>, id: JobId) -> JobState {
    job_of(store, id).await.state
}

/// Every job of a lead, newest first.
pub async fn own(store: &Arc<dyn Store>, lead: LeadId) -> Vec<Job> {
    let filter = JobFilter { lead: Some(lead), ..Default::default() };
    store.list_jobs(filter, None, 1000).await.expect("a list")
}

/// The watched loop of a lead; record and list must show the same.
pub async fn watched_loop(store: &Arc<dyn Store>, lead: LeadId) -> Option<WatchedLoop> {
    let of_record = record(store, lead).await.lead.watched_loop;
    let list =
        store.list_leads(embudo_store::leads::LeadFilter::default(), None, 1000).await.expect("a list");
    let of_list = list.into_iter().find(|r| r.lead.id == lead).expect("the lead is listed").lead.watched_loop;
    assert_eq!(of_list, of_record);
    of_record
}
