//! The watched loop: steps of leads that are overdue.

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_store::loop_deadlines::{MarkLoopOverdue, OverdueLoop};
use embudo_store::touches::Touch;
use embudo_store::{LoopDeadlines, Result};

use super::{ROW, bytes_of};
use crate::SqliteStore;
use crate::command::watched_loop;
use crate::query::job;
use crate::writer::Shape;

#[async_trait]
impl LoopDeadlines for SqliteStore {
    async fn overdue_loops(&self, now: Timestamp, max: u32) -> Result<Vec<OverdueLoop>> {
        self.readers.run(move |c| job::overdue(c, now, max)).await
    }

    async fn mark_loop_overdue(&self, command: MarkLoopOverdue) -> Result<bool> {
        let bytes = 2 * ROW + bytes_of(command.resignal.as_slice()) + bytes_of(&command.notices);
        let lead = command.lead;
        let marked =
            self.writer.run(Shape::Several, bytes, move |c| watched_loop::expire(c, &command)).await?;
        self.touches.note(lead, Touch::anew());
        Ok(marked)
    }
}
