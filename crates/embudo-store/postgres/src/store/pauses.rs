//! Paused destinations.

use async_trait::async_trait;
use embudo_domain::{JobId, ProcessId};
use embudo_store::pauses::SetPause;
use embudo_store::{Pauses, Result, write};

use crate::PgStore;
use crate::command::pause;
use crate::patience::patiently;

#[async_trait]
impl Pauses for PgStore {
    async fn pause(&self, command: SetPause) -> Result<()> {
        write::pauses::pause(self, command).await
    }

    async fn resume(&self, command: SetPause) -> Result<()> {
        write::pauses::resume(self, command).await?;
        self.announcer.now().await;
        Ok(())
    }

    async fn hold(&self, ids: Vec<JobId>, who: ProcessId) -> Result<()> {
        patiently!(self, self.turns.command(), pause::hold(&self.pool, &ids, who))
    }
}
