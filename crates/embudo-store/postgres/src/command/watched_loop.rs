//! The watched loop of a lead. Which step follows is the domain's decision; here it is kept, under the lead's lock.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::LeadId;
use embudo_domain::watched_loop::WatchedLoop;
use embudo_store::loop_deadlines::MarkLoopOverdue;
use uuid::Uuid;

use super::alone::commit;
use super::{column, event, job};
use crate::failure::Step;
use crate::rows::{self, Instant};
use crate::statement::{OnPool, Sql, params, sql};
use crate::writer::Session;

pub(super) static SET: &Sql = sql!("bucle/set.sql");

/// Locks a lead; its company and where it stands. `None` if there is no such lead.
pub(super) async fn lock(tx: &Transaction<'_>, lead: LeadId) -> Step<Option<(Uuid, Option<WatchedLoop>)>> {
    let row = tx.row_opt(sql!("bucle/lock.sql"), params! { lead: lead.0 }).await?;
    row.map(|row| Ok((row.try_get("empresa_id")?, rows::watched_loop(&row)?))).transpose()
}

/// Writes where a lead stands, if that is somewhere else than before.
pub(super) async fn set(
    tx: &Transaction<'_>,
    lead: LeadId,
    antes: Option<WatchedLoop>,
    after: Option<WatchedLoop>,
) -> Step<()> {
    if antes == after {
        return Ok(());
    }
    write(&Session::within(tx, &[SET]).await?, &[(lead, after)]).await
}

/// Writes where leads stand.
pub(super) async fn write(on: &Session<'_>, loops: &[(LeadId, Option<WatchedLoop>)]) -> Step<()> {
    if loops.is_empty() {
        return Ok(());
    }
    let params = params! {
        lead: column(loops, |(lead, _)| lead.0),
        paso: column(loops, |(_, b)| b.map(|b| b.step.as_str())),
        desde: column(loops, |(_, b)| b.map(|b| Instant::from(b.since))),
        limite: column(loops, |(_, b)| b.map(|b| Instant::from(b.limit))),
        vencido: column(loops, |(_, b)| b.is_some_and(|b| b.overdue)),
        resenales: column(loops, |(_, b)| b.map_or(0, |b| i64::from(b.resignals))),
    };
    on.query(SET, params).await.map(drop)
}

/// Marks a step as overdue. `None`: the lead has moved on or is marked already; else whether a job waits for any process.
pub(crate) async fn expire(pool: &Pool, command: &MarkLoopOverdue) -> Step<Option<bool>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let Some((empresa, antes)) = lock(&tx, command.lead).await? else { return Ok(None) };
    let Some(after) = command.decide(antes) else { return Ok(None) };
    set(&tx, command.lead, antes, Some(after)).await?;
    event::insert(&tx, command.lead, empresa, std::slice::from_ref(&command.event)).await?;
    let resent = job::insert(&tx, command.lead, command.resignal.as_slice(), command.at).await?;
    let told = job::insert(&tx, command.lead, &command.notices, command.at).await?;
    commit(tx).await?;
    Ok(Some(resent || told))
}
