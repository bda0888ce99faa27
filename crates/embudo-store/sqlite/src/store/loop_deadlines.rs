//! The watched loop: steps of leads that are overdue.

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_store::loop_deadlines::{MarkLoopOverdue, OverdueLoop};
use embudo_store::{LoopDeadlines, Result, write};

use crate::SqliteStore;
use crate::query::job;

#[async_trait]
impl LoopDeadlines for SqliteStore {
    async fn overdue_loops(&self, now: Timestamp, max: u32) -> Result<Vec<OverdueLoop>> {
        self.readers.run(move |c| job::overdue(c, now, max)).await
    }

    async fn mark_loop_overdue(&self, command: MarkLoopOverdue) -> Result<bool> {
        write::loops::mark_loop_overdue(self, command).await
    }
}
