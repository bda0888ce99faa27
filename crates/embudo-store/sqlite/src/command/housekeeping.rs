//! Photos removed, blobs swept, old keys forgotten, and the sign of life.

use embudo_domain::{Digest, FotoId, LeadId, Timestamp};
use embudo_store::command::MARK_LIFE;
use embudo_store::{Outcome, StoreError};
use rusqlite::Connection;

use super::execute;
use crate::failure::Step;
use crate::query::{exists, first};

/// Removes a photo and what was made of it.
pub(crate) fn delete_foto(connection: &Connection, lead: LeadId, foto: FotoId) -> Step<()> {
    match execute(connection, include_str!("../../sql/foto/delete.sql"), (lead.0, foto.0))? {
        0 => Err(StoreError::FotoNotFound.into()),
        _ => execute(connection, include_str!("../../sql/rendicion/delete.sql"), (lead.0, foto.0)).map(drop),
    }
}

/// Marks a blob for sweeping, unless something names it.
pub(crate) fn mark_blob(
    connection: &Connection,
    lead: LeadId,
    digest: Digest,
    at: Timestamp,
) -> Step<Option<i64>> {
    if blob_in_use(connection, lead, digest)? {
        return Ok(None);
    }
    let sql = include_str!("../../sql/blob_marca/insert.sql");
    let dead = (at - MARK_LIFE).as_microsecond();
    first(connection, sql, (lead.0, digest.0, at.as_microsecond(), dead), |row| Ok(row.get(0)?))
}

/// Whether something names a blob.
pub(crate) fn blob_in_use(connection: &Connection, lead: LeadId, digest: Digest) -> Step<bool> {
    exists(connection, include_str!("../../sql/blob_marca/named.sql"), (lead.0, digest.0))
}

/// Turns the mark of a blob into a trace of its deletion.
pub(crate) fn blob_swept(connection: &Connection, lead: LeadId, digest: Digest, nth: i64) -> Step<()> {
    execute(connection, include_str!("../../sql/blob_marca/swept.sql"), (lead.0, digest.0, nth)).map(drop)
}

/// Deletes old traces.
pub(crate) fn purge_marks(connection: &Connection, antes: Timestamp, max: u32) -> Step<u64> {
    let sql = include_str!("../../sql/blob_marca/purge.sql");
    execute(connection, sql, (antes.as_microsecond(), max)).map(|n| n as u64)
}

/// Deletes keys that have expired.
pub(crate) fn purge_idempotency(connection: &Connection, at: Timestamp, max: u32) -> Step<u64> {
    let sql = include_str!("../../sql/idempotencia/purge.sql");
    execute(connection, sql, (at.as_microsecond(), max)).map(|n| n as u64)
}

/// Stores the final outcome of a call whose outcome was provisional.
pub(crate) fn complete_outcome(
    connection: &Connection,
    scope: &str,
    key: &str,
    outcome: &Outcome,
    expira_en: Option<Timestamp>,
) -> Step<()> {
    let sql = include_str!("../../sql/idempotencia/complete.sql");
    let expira_en = expira_en.map(Timestamp::as_microsecond);
    execute(connection, sql, (scope, key, outcome.write(), expira_en)).map(drop)
}

/// Writes something that nobody reads, because only a commit that reaches the disk shows that writing works.
pub(crate) fn touch(connection: &Connection) -> Step<()> {
    let version: i32 = connection.query_row("PRAGMA user_version", (), |row| row.get(0))?;
    connection.pragma_update(None, "user_version", version.wrapping_add(1))?;
    Ok(())
}
