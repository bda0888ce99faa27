//! Jobs that are held because their destination is paused.

use embudo_domain::job::HELD;
use embudo_domain::{JobId, ProcessId};
use rusqlite::{Connection, named_params};

use super::execute;
use crate::failure::Step;

/// Holds a job that is due while its destination is paused.
pub(super) fn hold(connection: &Connection, id: JobId) -> Step<()> {
    let sql = include_str!("../../sql/trabajo/hold.sql");
    execute(connection, sql, named_params! {":id": id.0, ":held": HELD.as_microsecond()}).map(drop)
}

/// Ends the leases of a process on these jobs. A job whose destination is paused is not due until the destination is
/// resumed.
pub(crate) fn hold_own(connection: &Connection, ids: &[JobId], who: ProcessId) -> Step<()> {
    for id in ids {
        let sql = include_str!("../../sql/trabajo/hold_own.sql");
        let values = named_params! {":id": id.0, ":quien": who.0, ":held": HELD.as_microsecond()};
        execute(connection, sql, values)?;
    }
    Ok(())
}
