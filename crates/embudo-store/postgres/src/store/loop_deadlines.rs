//! The watched loop: steps of leads that are overdue.

use std::future::ready;

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_store::loop_deadlines::{MarkLoopOverdue, OverdueLoop};
use embudo_store::{LoopDeadlines, Result, write};

use crate::PgStore;
use crate::patience::patiently;
use crate::query::job;

#[async_trait]
impl LoopDeadlines for PgStore {
    async fn overdue_loops(&self, now: Timestamp, max: u32) -> Result<Vec<OverdueLoop>> {
        patiently!(read self, ready(()), job::overdue(&self.pool, now, max))
    }

    async fn mark_loop_overdue(&self, command: MarkLoopOverdue) -> Result<bool> {
        write::loops::mark_loop_overdue(self, command).await
    }
}
