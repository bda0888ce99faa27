//! Erasures.

use embudo_domain::LeadId;
use rusqlite::Connection;

use super::execute;
use crate::failure::Step;
use crate::query::first;

/// Begins an erasure. `secure_delete` overwrites deleted data and freed pages; this costs writes and is off at other
/// times. The trigrams of a lead's text are deleted before the text, because they are found by it.
pub(crate) fn begin(connection: &Connection, lead: LeadId) -> Step<()> {
    connection.pragma_update(None, "secure_delete", true)?;
    let sql = include_str!("../../sql/lead_busqueda/get.sql");
    let text = first(connection, sql, (lead.0,), |c| Ok((c.get::<i64>("n")?, c.get::<String>("texto")?)))?;
    match text {
        Some(text) => execute(connection, include_str!("../../sql/lead_trigrama/delete.sql"), text).map(drop),
        None => Ok(()),
    }
}

pub(crate) fn end(connection: &Connection) -> Step<()> {
    Ok(connection.pragma_update(None, "secure_delete", "FAST")?)
}
