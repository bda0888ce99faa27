//! Destinations that a company has paused: their jobs are held, and cost no attempt, until they are resumed.
//!
//! A pause is kept per company and kind of job. A job is held ([`HELD`](embudo_domain::job::HELD)) when it would have
//! been tried: a claim holds what it meets, so that it is met once, and a process holds what it has just made. One that
//! is not due yet keeps its moment.

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
    /// What the person who paused it was called.
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
    /// Pauses these kinds; one that is paused stays as it is. An attempt that runs is let run.
    async fn pause(&self, command: SetPause) -> Result<()>;
    /// Resumes these kinds; what was held is due at the command's moment.
    async fn resume(&self, command: SetPause) -> Result<()>;
    /// Gives back jobs that this process holds; those whose destination is paused are held.
    async fn hold(&self, ids: Vec<JobId>, who: ProcessId) -> Result<()>;
}
