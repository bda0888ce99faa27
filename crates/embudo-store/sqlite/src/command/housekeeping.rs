//! Photos removed, blobs swept, old keys forgotten, and the sign of life.

use embudo_domain::{FotoId, Huella, LeadId, Timestamp};
use embudo_store::command::MARK_LIFE;
use embudo_store::{Outcome, StoreError};
use rusqlite::Connection;

use super::execute;
use crate::failure::Step;
use crate::query::{exists, first};

/// Removes a photo and what was made of it.
pub(crate) fn delete_foto(conexion: &Connection, lead: LeadId, foto: FotoId) -> Step<()> {
    match execute(conexion, include_str!("../../sql/foto/delete.sql"), (lead.0, foto.0))? {
        0 => Err(StoreError::FotoNotFound.into()),
        _ => execute(conexion, include_str!("../../sql/rendicion/delete.sql"), (lead.0, foto.0)).map(drop),
    }
}

/// Marks a blob for sweeping, unless something names it.
pub(crate) fn mark_blob(
    conexion: &Connection,
    lead: LeadId,
    huella: Huella,
    en: Timestamp,
) -> Step<Option<i64>> {
    if blob_in_use(conexion, lead, huella)? {
        return Ok(None);
    }
    let sql = include_str!("../../sql/blob_marca/insert.sql");
    let dead = (en - MARK_LIFE).as_microsecond();
    first(conexion, sql, (lead.0, huella.0, en.as_microsecond(), dead), |row| Ok(row.get(0)?))
}

/// Whether something names a blob.
pub(crate) fn blob_in_use(conexion: &Connection, lead: LeadId, huella: Huella) -> Step<bool> {
    exists(conexion, include_str!("../../sql/blob_marca/named.sql"), (lead.0, huella.0))
}

/// Turns the mark of a blob into a trace of its deletion.
pub(crate) fn blob_swept(conexion: &Connection, lead: LeadId, huella: Huella, vez: i64) -> Step<()> {
    execute(conexion, include_str!("../../sql/blob_marca/swept.sql"), (lead.0, huella.0, vez)).map(drop)
}

/// Deletes old traces.
pub(crate) fn purge_marks(conexion: &Connection, antes: Timestamp, max: u32) -> Step<u64> {
    let sql = include_str!("../../sql/blob_marca/purge.sql");
    execute(conexion, sql, (antes.as_microsecond(), max)).map(|n| n as u64)
}

/// Deletes keys that have expired.
pub(crate) fn purge_idempotencia(conexion: &Connection, en: Timestamp, max: u32) -> Step<u64> {
    let sql = include_str!("../../sql/idempotencia/purge.sql");
    execute(conexion, sql, (en.as_microsecond(), max)).map(|n| n as u64)
}

/// Stores the final outcome of a call whose outcome was provisional.
pub(crate) fn complete_outcome(
    conexion: &Connection,
    ambito: &str,
    clave: &str,
    outcome: &Outcome,
    expira_en: Option<Timestamp>,
) -> Step<()> {
    let sql = include_str!("../../sql/idempotencia/complete.sql");
    let expira_en = expira_en.map(Timestamp::as_microsecond);
    execute(conexion, sql, (ambito, clave, outcome.write(), expira_en)).map(drop)
}

/// Writes something that nobody reads, because only a commit that reaches the disk shows that writing works.
pub(crate) fn touch(conexion: &Connection) -> Step<()> {
    let version: i32 = conexion.query_row("PRAGMA user_version", (), |row| row.get(0))?;
    conexion.pragma_update(None, "user_version", version.wrapping_add(1))?;
    Ok(())
}
