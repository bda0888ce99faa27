//! The watched loop: steps of leads that are overdue.

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_store::loop_deadlines::{MarkLoopOverdue, OverdueLoop};
use embudo_store::{LoopDeadlineStore, Result};

use super::Memory;

#[async_trait]
impl LoopDeadlineStore for Memory {
    async fn overdue_loops(&self, now: Timestamp, max: u32) -> Result<Vec<OverdueLoop>> {
        Ok(self.world().overdue_ones(now).into_iter().take(max as usize).collect())
    }

    async fn mark_loop_overdue(&self, command: MarkLoopOverdue) -> Result<bool> {
        Ok(self.world().expire(command))
    }
}
