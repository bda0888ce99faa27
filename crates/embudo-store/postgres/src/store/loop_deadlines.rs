//! The watched loop: steps of leads that are overdue.

use std::future::ready;

use async_trait::async_trait;
use embudo_domain::Timestamp;
use embudo_store::loop_deadlines::{MarkLoopOverdue, OverdueLoop};
use embudo_store::touches::Touch;
use embudo_store::{LoopDeadlines, Result};

use crate::PgStore;
use crate::command::watched_loop;
use crate::patience::patiently;
use crate::query::job;

#[async_trait]
impl LoopDeadlines for PgStore {
    async fn overdue_loops(&self, now: Timestamp, max: u32) -> Result<Vec<OverdueLoop>> {
        patiently!(read self, ready(()), job::overdue(&self.pool, now, max))
    }

    async fn mark_loop_overdue(&self, command: MarkLoopOverdue) -> Result<bool> {
        let end =
            patiently!(self, self.turns.on(command.lead.0), watched_loop::expire(&self.pool, &command))?;
        self.tell_of(end == Some(true));
        self.touches.note(command.lead, Touch::anew());
        Ok(end.is_some())
    }
}
