//! The watched loop of a lead. The domain decides which step follows; here the step is stored, under the lead's lock.

use deadpool_postgres::Transaction;
use embudo_domain::LeadId;
use embudo_domain::watched_loop::WatchedLoop;

use super::column;
use crate::failure::Step;
use crate::rows::Instant;
use crate::statement::{Sql, params, sql};
use crate::writer::Session;

pub(super) static SET: &Sql = sql!("bucle/set.sql");

/// Writes the state of a lead's loop, if it changed.
pub(super) async fn set(
    tx: &Transaction<'_>,
    lead: LeadId,
    before: Option<WatchedLoop>,
    after: Option<WatchedLoop>,
) -> Step<()> {
    if before == after {
        return Ok(());
    }
    write(&Session::within(tx, &[SET]).await?, &[(lead, after)]).await
}

/// Writes the loops of leads.
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
