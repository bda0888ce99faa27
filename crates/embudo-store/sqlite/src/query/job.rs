//! Queries for the next work of the outbox and of the watched loop.

use embudo_domain::Timestamp;
use embudo_domain::job::JobKind;
use embudo_store::loop_deadlines::OverdueLoop;
use embudo_store::rows;
use rusqlite::{Connection, Params};

use super::{all, first};
use crate::failure::Step;

/// When the next job can be taken: when a job that no process holds becomes due, or a lease runs out.
pub(crate) fn next_due(connection: &Connection, kinds: &[JobKind]) -> Step<Option<Timestamp>> {
    let mut next = moment(connection, include_str!("../../sql/trabajo/next_lapse.sql"), ())?;
    for kind in kinds {
        // One query per kind, because the index begins with the kind.
        let free = moment(connection, include_str!("../../sql/trabajo/next_free.sql"), (kind.as_str(),))?;
        let lapsed = moment(connection, include_str!("../../sql/trabajo/next_lapsed.sql"), (kind.as_str(),))?;
        next = [next, free, lapsed].into_iter().flatten().min();
    }
    Ok(next)
}

fn moment(connection: &Connection, sql: &str, params: impl Params) -> Step<Option<Timestamp>> {
    Ok(first(connection, sql, params, |c| c.get("moment"))?.flatten())
}

/// Leads whose step is overdue and not yet marked so, the longest overdue first.
pub(crate) fn overdue(connection: &Connection, now: Timestamp, max: u32) -> Step<Vec<OverdueLoop>> {
    let sql = include_str!("../../sql/bucle/overdue.sql");
    all(connection, sql, (now.as_microsecond(), max), rows::overdue)
}
