//! Paused destinations.

use async_trait::async_trait;
use embudo_domain::{JobId, ProcessId};
use embudo_store::pauses::SetPause;
use embudo_store::{Pauses, Result, write};

use super::ROW;
use crate::SqliteStore;
use crate::command::pause;
use crate::writer::Shape;

#[async_trait]
impl Pauses for SqliteStore {
    async fn pause(&self, command: SetPause) -> Result<()> {
        write::pauses::pause(self, command).await
    }

    async fn resume(&self, command: SetPause) -> Result<()> {
        write::pauses::resume(self, command).await
    }

    async fn hold(&self, ids: Vec<JobId>, who: ProcessId) -> Result<()> {
        self.writer.run(Shape::Several, ROW * ids.len(), move |c| pause::hold_own(c, &ids, who)).await
    }
}
