//! Steps of the watched loop that are overdue.

use async_trait::async_trait;
use embudo_domain::watched_loop::WatchedLoop;
use embudo_domain::{LeadId, Timestamp};

use super::{Load, Lock, Native, Tx, sql};
use crate::loop_deadlines::{MarkLoopOverdue, OverdueLoop};
use crate::queries::{Statement, lead as queries};
use crate::touches::Touch;
use crate::{LoopDeadlineStore, Result};

#[async_trait]
impl<E: Native> LoopDeadlineStore for E {
    async fn overdue_loops(&self, now: Timestamp, max: u32) -> Result<Vec<OverdueLoop>> {
        Native::overdue_loops(self, now, max).await
    }

    async fn mark_loop_overdue(&self, command: MarkLoopOverdue) -> Result<bool> {
        let lead = command.lead;
        let end =
            self.write(Load::on(lead.0), command, |tx, command| Box::pin(mark_overdue(tx, command))).await?;
        self.tell_of(end == Some(true));
        self.touched().note(lead, Touch::anew());
        Ok(end.is_some())
    }
}

/// Marks a step as overdue. Returns whether a job was made that any process may take; `None` if nothing was done.
async fn mark_overdue(tx: &Tx<'_>, command: &MarkLoopOverdue) -> Result<Option<bool>> {
    let lead = command.lead;
    tx.lock(Lock::Lead(lead)).await?;
    let before = tx.first(queries::watched_loop(lead)).await?.flatten();
    let Some(after) = command.decide(before) else { return Ok(None) };
    tx.run(set(lead, &after)).await?;
    tx.events(lead, std::slice::from_ref(&command.event)).await?;
    let resent = tx.jobs(lead, command.resignal.as_slice(), command.at).await?;
    let noticed = tx.jobs(lead, &command.notices, command.at).await?;
    Ok(Some(resent || noticed))
}

fn set(lead: LeadId, watched_loop: &WatchedLoop) -> Statement {
    sql!(
        "bucle/put.sql",
        lead: lead.0,
        paso: watched_loop.step.as_str(),
        desde: watched_loop.since,
        limite: watched_loop.limit,
        vencido: watched_loop.overdue,
        resenales: watched_loop.resignals,
    )
}
