//! What each engine does in its own way, for traits whose other methods are written once.

use embudo_domain::{Digest, JobId, LeadId, ProcessId, Timestamp};

use super::Engine;
use crate::Result;
use crate::loop_deadlines::OverdueLoop;
use crate::projection::{Heard, LeadChange};
use crate::touches::Touch;

/// The methods that an engine implements itself, because it locks or searches differently. The traits with the same
/// method names document them.
pub trait Native: Engine {
    /// Whether a scan of a table runs before the command instead of inside it, because other writes wait for the
    /// command.
    const LOOKS_FIRST: bool;

    fn ping(&self) -> impl Future<Output = Result<()>> + Send;
    fn hold(&self, ids: Vec<JobId>, who: ProcessId) -> impl Future<Output = Result<()>> + Send;
    fn purge_jobs(&self, before: Timestamp, max: u32) -> impl Future<Output = Result<u64>> + Send;
    /// Notifies the other processes that jobs are due.
    fn jobs_due(&self) -> impl Future<Output = ()> + Send;
    fn purge_idempotency(&self, at: Timestamp, max: u32) -> impl Future<Output = Result<u64>> + Send;
    fn mark_blob(
        &self,
        lead: LeadId,
        digest: Digest,
        at: Timestamp,
    ) -> impl Future<Output = Result<Option<i64>>> + Send;
    fn purge_marks(&self, before: Timestamp, max: u32) -> impl Future<Output = Result<u64>> + Send;
    fn overdue_loops(
        &self,
        now: Timestamp,
        max: u32,
    ) -> impl Future<Output = Result<Vec<OverdueLoop>>> + Send;
    /// Whether every transaction has ended that may have begun to write about a lead before it was erased.
    fn older_writes_ended(&self, lead: LeadId) -> impl Future<Output = Result<bool>> + Send;
    /// Removes the remains of deleted rows outside of the tables; `false` if a transaction still reads them.
    fn scrub(&self) -> impl Future<Output = Result<bool>> + Send;
    fn project(&self, touches: Vec<(LeadId, Touch)>) -> impl Future<Output = Result<Vec<LeadChange>>> + Send;
    fn commands_written(&self) -> Option<u64>;
    fn tell_changes(&self, changes: Heard);
    fn changes_told(&self) -> impl Future<Output = Heard> + Send;
    fn forget_statistics(&self) -> impl Future<Output = Result<()>> + Send;
}
