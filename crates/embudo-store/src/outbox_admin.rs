//! What a person sees and does of the outbox.

use async_trait::async_trait;
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::{JobId, LeadId, Timestamp};

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

/// The outbox, as a person sees it.
#[async_trait]
pub trait OutboxAdmin: Send + Sync + 'static {
    /// Makes a job that ended otherwise than `Done` pending and due at `en`, with all its attempts before it, and no longer in
    /// doubt; a pending one becomes due now. [`crate::StoreError::JobNotFound`], [`crate::StoreError::JobFinished`] if it is `Done`.
    async fn retry(&self, id: JobId, at: Timestamp) -> Result<()>;
    /// Ends a job that need not be sent. [`crate::StoreError::JobNotFound`], [`crate::StoreError::JobFinished`] if it is `Done`.
    async fn discard(&self, id: JobId, at: Timestamp) -> Result<()>;
    /// Deletes at most `max` jobs that ended before `antes`, with their logs; returns how many.
    async fn purge_jobs(&self, antes: Timestamp, max: u32) -> Result<u64>;
}
