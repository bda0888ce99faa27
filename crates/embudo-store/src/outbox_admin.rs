//! What a person sees in the outbox and does there.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::job::{JobKind, JobStanding, JobState};
use embudo_domain::{EmpresaId, JobId, LeadId, Timestamp};

use crate::Result;

/// Which jobs a list shows.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    pub state: Option<JobState>,
    pub kind: Option<JobKind>,
    pub lead: Option<LeadId>,
}

/// How many jobs of a kind are in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobCount {
    pub kind: JobKind,
    pub state: JobState,
    pub count: u64,
}

/// The due jobs of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DueJobs {
    pub kind: JobKind,
    pub count: u64,
    /// Since when the job that has waited longest is due.
    pub oldest: Timestamp,
}

/// Which jobs of a company a list shows.
#[derive(Debug, Clone)]
pub struct OutboxFilter {
    pub empresa: EmpresaId,
    pub standing: Option<JobStanding>,
    pub kind: Option<JobKind>,
}

/// A job without its payload, for lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedJob {
    pub id: JobId,
    pub lead: LeadId,
    /// The lead's name, as long as the lead exists.
    pub nombre: Option<String>,
    pub empresa: EmpresaId,
    pub kind: JobKind,
    pub standing: JobStanding,
    pub intentos: u32,
    pub proximo_en: Timestamp,
    pub ultimo_error: Option<String>,
    pub creado_en: Timestamp,
    pub terminado_en: Option<Timestamp>,
}

/// How many jobs have a standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StandingCount {
    pub standing: JobStanding,
    pub count: u64,
}

/// Done, superseded, discarded and expired jobs are counted among this many of the newest ones.
pub const MOST_CLOSED: u32 = 1_000;
/// Jobs that wait for a person are counted up to this maximum where the exact number does not matter.
pub const MOST_STOPPED: u32 = 100;

/// Sends the content of a done job again.
#[derive(Debug, Clone)]
pub struct RepeatJob {
    pub id: JobId,
    /// The id of the new job that sends it.
    pub new: JobId,
    pub at: Timestamp,
    pub audit: AuditEntry,
}

/// The outbox from a person's side.
#[async_trait]
pub trait OutboxAdminStore: Send + Sync + 'static {
    /// Makes a job that ended otherwise than `Done` pending and due at `at`, with all attempts available again and no
    /// longer in doubt; a pending job becomes due now. [`crate::StoreError::JobNotFound`],
    /// [`crate::StoreError::JobFinished`] if it is `Done`.
    async fn retry(&self, id: JobId, at: Timestamp, audit: Option<AuditEntry>) -> Result<()>;
    /// Ends a job that need not be sent. [`crate::StoreError::JobNotFound`], [`crate::StoreError::JobFinished`] if it
    /// is `Done`.
    async fn discard(&self, id: JobId, at: Timestamp, audit: Option<AuditEntry>) -> Result<()>;
    /// Ends a parked job as done. `false`, and nothing done, if it is not parked.
    async fn take_as_sent(&self, id: JobId, at: Timestamp, audit: AuditEntry) -> Result<bool>;
    /// Makes a job with the payload of a done one, due at once. `false`, and nothing done, if the old job is not done,
    /// if a newer job of its kind and lead makes it pointless ([`JobKind::is_superseded_by_newer`]), or if the company
    /// does not want such jobs any more.
    async fn repeat_job(&self, command: RepeatJob) -> Result<bool>;
    /// Deletes at most `max` jobs that ended before `before`, with their logs; returns how many.
    async fn purge_jobs(&self, before: Timestamp, max: u32) -> Result<u64>;
}
