//! Destinations that a company has paused: their jobs are held, and cost no attempt, until they are resumed.
//!
//! A pause is stored per company and kind of job. A job is held ([`HELD`](embudo_domain::job::HELD)) at the moment when
//! it would have been tried: a claim holds the paused jobs that it finds, so that each is found only once, and a
//! process holds the paused jobs that it has just made. A job that is not due yet keeps its time.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::job::JobKind;
use embudo_domain::{EmpresaId, JobId, ProcessId, Timestamp};

use crate::Result;

/// A kind of job that a company has paused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    pub kind: JobKind,
    pub since: Timestamp,
    /// The name that the person who paused it had then.
    pub who: String,
}

/// Pauses kinds of job of a company, or resumes them.
#[derive(Debug, Clone)]
pub struct SetPause {
    pub empresa: EmpresaId,
    pub kinds: Vec<JobKind>,
    pub at: Timestamp,
    pub audit: AuditEntry,
}

/// Paused destinations.
#[async_trait]
pub trait PauseStore: Send + Sync + 'static {
    /// Pauses these kinds; a kind that is paused already stays as it is. A running attempt goes on.
    async fn pause(&self, command: SetPause) -> Result<()>;
    /// Resumes these kinds; their held jobs are due at the command's moment.
    async fn resume(&self, command: SetPause) -> Result<()>;
    /// Gives back jobs that this process holds; jobs whose destination is paused are held.
    async fn hold(&self, ids: Vec<JobId>, who: ProcessId) -> Result<()>;
}
