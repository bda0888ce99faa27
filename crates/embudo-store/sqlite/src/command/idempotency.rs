//! Idempotency keys, under which a call is done once.

use embudo_domain::Timestamp;
use embudo_store::idempotency::{decide, write_jobs};
use embudo_store::{Done, Idempotency, rows};
use rusqlite::{Connection, named_params};

use super::execute;
use crate::failure::Step;
use crate::query::first;

/// Does the work once per key: for a known key it returns the first outcome instead.
pub(super) fn once(
    connection: &Connection,
    key: Option<&Idempotency>,
    work: impl FnOnce() -> Step<()>,
) -> Step<Done> {
    let Some(key) = key else {
        work()?;
        return Ok(Done::Now);
    };
    let sql = include_str!("../../sql/idempotencia/get.sql");
    let row = first(connection, sql, (&key.scope, &key.key), rows::idempotency_key)?;
    if let Some(known) = row.and_then(|row| decide(&row, key)) {
        return Ok(known?);
    }
    work()?;
    execute(
        connection,
        include_str!("../../sql/idempotencia/insert.sql"),
        named_params! {
            ":ambito": key.scope,
            ":clave": key.key,
            ":cuerpo_sha256": key.cuerpo_sha256,
            ":cuerpo": key.outcome.write(),
            ":trabajos": write_jobs(&key.jobs),
            ":now": key.creada_en.as_microsecond(),
            ":expira_en": key.expira_en.as_microsecond(),
        },
    )?;
    Ok(Done::Now)
}

/// Deletes keys that have expired.
pub(crate) fn purge(connection: &Connection, at: Timestamp, max: u32) -> Step<u64> {
    let sql = include_str!("../../sql/idempotencia/purge.sql");
    execute(connection, sql, (at.as_microsecond(), max)).map(|n| n as u64)
}
