//! Photos removed, blobs swept, old keys forgotten, and the sign of life.

use embudo_domain::{FotoId, Huella, LeadId, Timestamp};
use embudo_store::StoreError;
use rusqlite::Connection;

use super::execute;
use crate::failure::Step;
use crate::query::exists;

/// Removes a photo.
pub(crate) fn delete_foto(conexion: &Connection, lead: LeadId, foto: FotoId) -> Step<()> {
    match execute(conexion, include_str!("../../sql/foto/delete.sql"), (lead.0, foto.0))? {
        0 => Err(StoreError::FotoNotFound.into()),
        _ => Ok(()),
    }
}

/// Marks a blob for sweeping, unless a photo names it.
pub(crate) fn mark_blob(conexion: &Connection, lead: LeadId, huella: Huella, en: Timestamp) -> Step<bool> {
    if exists(conexion, include_str!("../../sql/foto/names_blob.sql"), (lead.0, huella.0))? {
        return Ok(false);
    }
    let sql = include_str!("../../sql/blob_marca/insert.sql");
    execute(conexion, sql, (lead.0, huella.0, en.as_microsecond()))?;
    Ok(true)
}

/// Drops the mark of a blob.
pub(crate) fn unmark_blob(conexion: &Connection, lead: LeadId, huella: Huella) -> Step<()> {
    execute(conexion, include_str!("../../sql/blob_marca/delete.sql"), (lead.0, huella.0)).map(drop)
}

/// Deletes keys that have expired.
pub(crate) fn purge_idempotencia(conexion: &Connection, en: Timestamp, max: u32) -> Step<u64> {
    let sql = include_str!("../../sql/idempotencia/purge.sql");
    execute(conexion, sql, (en.as_microsecond(), max)).map(|n| n as u64)
}

/// Writes something that nobody reads, because only a commit that reaches the disk shows that writing works.
pub(crate) fn touch(conexion: &Connection) -> Step<()> {
    let version: i32 = conexion.query_row("PRAGMA user_version", (), |row| row.get(0))?;
    conexion.pragma_update(None, "user_version", version.wrapping_add(1))?;
    Ok(())
}
