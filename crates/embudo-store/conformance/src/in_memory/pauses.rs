//! Paused destinations.

use async_trait::async_trait;
use embudo_domain::{JobId, ProcessId};
use embudo_store::pauses::SetPause;
use embudo_store::{AuditStore, PauseStore, Result};

use super::Memory;

#[async_trait]
impl PauseStore for Memory {
    async fn pause(&self, command: SetPause) -> Result<()> {
        self.world().pause(&command);
        self.record_audit(command.audit).await
    }

    async fn resume(&self, command: SetPause) -> Result<()> {
        self.world().resume(&command);
        self.record_audit(command.audit).await
    }

    async fn hold(&self, ids: Vec<JobId>, who: ProcessId) -> Result<()> {
        self.world().hold(&ids, who);
        Ok(())
    }
}
