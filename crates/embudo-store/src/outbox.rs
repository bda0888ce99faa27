//! The outbox: jobs committed with the data that caused them, taken under a lease, kept until they end.
//!
//! A lease says which process works on a job; it runs on the database's clock, so that the clocks of several processes
//! do not matter. Whether a job is *due* depends on the caller's clock, which tests can move. An expired lease frees
//! the job.

use std::time::Duration;

use async_trait::async_trait;
use embudo_domain::event::Event;
use embudo_domain::job::{Delivery, Job, JobKind, JobState};
use embudo_domain::notice::NoticeTopic;
use embudo_domain::record::LeadRecord;
use embudo_domain::signal::{MensajeriaSignal, NewEvent, PerfilSignal};
use embudo_domain::watched_loop::Deadlines;
use embudo_domain::{JobId, ProcessId, Timestamp};

use crate::{JobReads, Result, StoreError};

/// A job to be made, inside the command that causes it.
///
/// The engine fills in lead and company. A newer job of a kind that [`JobKind::is_superseded_by_newer`] ends older jobs
/// of the same kind and lead that wait (pending and under no living lease) as [`JobState::Superseded`]. A mail to the
/// company or its people ([`JobKind::is_notice`]) is made only if the company's own address or somebody in it wants it.
#[derive(Debug, Clone)]
pub struct NewJob {
    pub id: JobId,
    pub kind: JobKind,
    pub payload: NewPayload,
    /// The process that will try first; if `None`, any process may.
    pub lease: Option<Lease>,
    /// When it is due; `None`: at once.
    pub proximo_en: Option<Timestamp>,
}

/// The payload of a new job.
#[derive(Debug, Clone)]
pub enum NewPayload {
    /// The profile at the end of this transaction ([`PerfilSignal::from`](embudo_domain::signal::PerfilSignal::from),
    /// as JSON).
    Perfil,
    /// The start of a conversation ([`MensajeriaSignal::from`](embudo_domain::signal::MensajeriaSignal::from), as
    /// JSON).
    Mensajeria,
    Text(String),
    /// An event for the company's workflows ([`NewEvent::signal`], as JSON, under the job's own id).
    Event(NewEvent),
    /// A notice on this topic, made only if somebody wants it.
    Notice {
        topic: NoticeTopic,
        text: String,
        /// The installation cannot send mails, so the wishes of the company's own address do not count.
        without_mail: bool,
    },
}

impl NewJob {
    /// The job as it will be stored, with its payload fixed now. `None`: the lead's company does not want it.
    ///
    /// A record without photos and notes is enough, except for [`NewPayload::Perfil`].
    pub fn make(&self, record: &LeadRecord, at: Timestamp) -> Result<Option<Job>> {
        let empresa = &record.lead.empresa;
        let is_wanted = match &self.payload {
            NewPayload::Notice { topic, without_mail: true, .. } => empresa.personal_topics.has(*topic),
            NewPayload::Notice { topic, .. } => empresa.wants(*topic),
            _ => !self.kind.is_notice() || empresa.wants_notices(),
        };
        if !is_wanted {
            return Ok(None);
        }
        Ok(Some(Job {
            id: self.id,
            lead: record.lead.id,
            empresa: empresa.id,
            kind: self.kind,
            payload: self.text(record, at)?,
            state: JobState::Pending,
            intentos: 0,
            proximo_en: self.proximo_en.unwrap_or(at),
            en_duda: false,
            ultimo_error: None,
            creado_en: at,
            terminado_en: None,
            repeats: None,
        }))
    }

    fn text(&self, record: &LeadRecord, at: Timestamp) -> Result<String> {
        let lead = &record.lead;
        let json = match &self.payload {
            NewPayload::Perfil => serde_json::to_string(&PerfilSignal::from(record)),
            NewPayload::Mensajeria => serde_json::to_string(&MensajeriaSignal::from(lead)),
            NewPayload::Event(event) => {
                serde_json::to_string(&event.signal(self.id, lead.empresa.id, lead.id, at))
            }
            NewPayload::Text(text) | NewPayload::Notice { text, .. } => return Ok(text.clone()),
        };
        json.map_err(|e| StoreError::Internal(format!("a signal cannot be written as JSON: {e}")))
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Lease {
    pub who: ProcessId,
    /// How long the lease is valid, counted from now by the database's clock.
    pub lasts: Duration,
}

/// How many jobs of a kind a process can take.
#[derive(Debug, Clone, Copy)]
pub struct Allotment {
    pub kind: JobKind,
    /// At most this many.
    pub how_many: u32,
    /// Only jobs that were never tried: the receiver is known to be down.
    pub first_attempts_only: bool,
}

/// The end of an attempt, to be written as a whole.
#[derive(Debug, Clone)]
pub struct JobAttemptEnd {
    pub id: JobId,
    pub who: ProcessId,
    /// What happens to the job.
    pub result: JobOutcome,
    /// The entry for the delivery log.
    pub delivery: Delivery,
    /// The event for the lead's history.
    pub event: Option<Event>,
    /// For a failed attempt of a profile signal: the detail of its event if something that it asked for came in since
    /// its first attempt (of this run, if a person retried it). The job is then `Done` all the same, its event is ok,
    /// and `jobs` are not made. If there is a newer job of its kind, the job is superseded instead.
    pub answered: Option<String>,
    /// Starts the loop if the job is `Done`
    /// ([`WatchedLoop::after_signal`](embudo_domain::watched_loop::WatchedLoop::after_signal), with what came in since
    /// the job was made).
    pub watched_loop: Option<Deadlines>,
    /// Jobs to be made in the same transaction (a notice to the company).
    pub jobs: Vec<NewJob>,
    pub at: Timestamp,
}

/// What happens to a job after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOutcome {
    Done,
    /// Try again at this moment; if a newer job has superseded it meanwhile, it ends as `Superseded` instead.
    Retry(Timestamp),
    /// Never tried again automatically.
    Dead,
    Parked,
    /// The notice or signal is not wanted any more.
    Discarded,
    /// It was not sent in time.
    Expired,
}

/// The outbox from the worker's side.
#[async_trait]
pub trait OutboxStore: JobReads {
    /// Takes jobs that are pending, due at `now` and under no living lease, those that are due longest first, and
    /// leases them. Jobs whose destination is paused are held instead ([`crate::PauseStore`]). Several processes never
    /// take the same job.
    async fn claim(&self, allotments: Vec<Allotment>, lease: Lease, now: Timestamp) -> Result<Vec<Job>>;
    /// Prolongs the leases of these jobs; returns those that this process still holds.
    async fn renew(&self, ids: Vec<JobId>, lease: Lease) -> Result<Vec<JobId>>;
    /// Ends the leases of all jobs that this process holds: at a clean stop, and at the start after a crash. Does not
    /// clear `en_duda`, because a mail whose sending was interrupted is still in doubt.
    async fn release(&self, who: ProcessId) -> Result<u64>;
    /// Notes that a mail is about to be handed over (`en_duda`). `false` if the process does not hold the job any more.
    async fn begin_send(&self, id: JobId, who: ProcessId) -> Result<bool>;
    /// Writes the end of an attempt, counts it, and frees the job. `false`, and nothing done, if the process does not
    /// hold the job any more. Clears `en_duda` except for [`JobOutcome::Parked`].
    async fn finish(&self, end: JobAttemptEnd) -> Result<bool>;
    /// When the next pending job of these kinds that no process holds is due, or the next lease of any kind runs out.
    async fn next_due(&self, kinds: Vec<JobKind>) -> Result<Option<Timestamp>>;
    /// Resolves when another process may have made work for this one; may never resolve.
    async fn woken(&self);
    /// Jobs that this process has just made under its own lease, to be tried at once; in the order of `ids`, unknown
    /// ones left out. An engine may have them in memory ([`crate::Recent`]).
    async fn just_made(&self, ids: Vec<JobId>) -> Result<Vec<Job>> {
        self.jobs(ids).await
    }
}
