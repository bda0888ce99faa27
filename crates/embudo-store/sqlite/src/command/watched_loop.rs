//! The state of a lead in the watched loop. `embudo_domain::watched_loop` decides the steps; here they are only stored.

use embudo_domain::watched_loop::{CameBack, WatchedLoop};
use embudo_domain::{LeadId, Timestamp};
use embudo_store::{StoreError, rows};
use rusqlite::{Connection, named_params};

use super::{etapa, execute_on_lead};
use crate::failure::Step;
use crate::query::{first, one};

/// Changes the state of a lead's loop.
pub(super) fn change(
    connection: &Connection,
    lead: LeadId,
    at: Timestamp,
    next: impl FnOnce(Option<WatchedLoop>) -> Option<WatchedLoop>,
) -> Step<()> {
    let before = get(connection, lead)?;
    let after = next(before);
    if after == before {
        return Ok(());
    }
    set(connection, lead, after)?;
    etapa::after_loop(connection, lead, before, after, at)
}

/// What came in for the lead after this moment.
pub(super) fn since(connection: &Connection, lead: LeadId, since: Timestamp) -> Step<CameBack> {
    let sql = include_str!("../../sql/bucle/since.sql");
    one(connection, sql, (lead.0, since.as_microsecond()), |c| {
        Ok(CameBack { renders: c.get("renders")?, finalizar: c.get("finalizar")? })
    })
}

pub(super) fn get(connection: &Connection, lead: LeadId) -> Step<Option<WatchedLoop>> {
    let found = first(connection, include_str!("../../sql/bucle/lock.sql"), (lead.0,), rows::watched_loop)?;
    Ok(found.ok_or(StoreError::LeadNotFound)?)
}

pub(super) fn set(connection: &Connection, lead: LeadId, watched_loop: Option<WatchedLoop>) -> Step<()> {
    execute_on_lead(
        connection,
        include_str!("../../../sql/bucle/put.sql"),
        named_params! {
            ":lead": lead.0,
            ":paso": watched_loop.map(|b| b.step.as_str()),
            ":desde": watched_loop.map(|b| b.since.as_microsecond()),
            ":limite": watched_loop.map(|b| b.limit.as_microsecond()),
            ":vencido": watched_loop.is_some_and(|b| b.overdue),
            ":resenales": watched_loop.map_or(0, |b| b.resignals),
        },
    )
}
