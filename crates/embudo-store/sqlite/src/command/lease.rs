//! Leases: work that only one process does at a time.

use std::time::Duration;

use embudo_domain::ProcessId;
use embudo_store::leases::Lease;
use rusqlite::{Connection, named_params};

use super::execute;
use crate::failure::Step;

pub(crate) fn take(connection: &Connection, lease: Lease, who: ProcessId, time: Duration) -> Step<bool> {
    let sql = include_str!("../../sql/arriendo/take.sql");
    let micros = i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
    let taken = named_params! {":nombre": lease.as_str(), ":quien": who.0, ":dura": micros};
    Ok(execute(connection, sql, taken)? > 0)
}

pub(crate) fn end(connection: &Connection, lease: Lease, who: ProcessId) -> Step<()> {
    let sql = include_str!("../../sql/arriendo/end.sql");
    execute(connection, sql, named_params! {":nombre": lease.as_str(), ":quien": who.0}).map(drop)
}
