//! The audit log.

use embudo_domain::AuditId;
use embudo_domain::audit::AuditEntry;
use rusqlite::{Connection, named_params};

use super::execute;
use crate::failure::Step;

/// Appends an entry.
pub(crate) fn record(connection: &Connection, entry: &AuditEntry) -> Step<()> {
    execute(
        connection,
        include_str!("../../sql/auditoria/insert.sql"),
        named_params! {
            ":id": entry.id.0,
            ":en": entry.at.as_microsecond(),
            ":usuario": entry.user.map(|user| user.0),
            ":quien": entry.who,
            ":empresa": entry.empresa.map(|empresa| empresa.0),
            ":accion": entry.action.as_str(),
            ":objeto": entry.object,
            ":ip": entry.ip.map(|ip| ip.to_string()),
            ":antes": entry.before,
            ":despues": entry.after,
        },
    )
    .map(drop)
}

/// What an entry tells goes on.
pub(crate) fn grow(connection: &Connection, id: AuditId, after: &str) -> Step<()> {
    let sql = include_str!("../../sql/auditoria/grow.sql");
    execute(connection, sql, named_params! {":id": id.0, ":despues": after}).map(drop)
}
