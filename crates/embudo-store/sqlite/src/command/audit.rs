//! The audit log.

use embudo_domain::audit::AuditEntry;
use embudo_store::write::audit;
use rusqlite::Connection;

use crate::failure::Step;
use crate::query::run;

/// Appends an entry.
pub(crate) fn record(connection: &Connection, entry: &AuditEntry) -> Step<()> {
    run(connection, &audit::record(entry)).map(drop)
}
