//! Signed-in browsers.

use embudo_domain::audit::AuditEntry;
use embudo_domain::{EmpresaId, SessionId, Timestamp, UserId};
use embudo_store::StoreError;
use embudo_store::sessions::NewSession;
use rusqlite::{Connection, named_params};

use super::{audit, execute};
use crate::failure::Step;

/// Opens a session in the place of another.
pub(crate) fn create(connection: &Connection, new: &NewSession) -> Step<()> {
    if let Some(before) = new.replaces {
        let sql = include_str!("../../sql/sesion/replace.sql");
        execute(connection, sql, named_params! {":huella": before.0})?;
    }
    let session = &new.session;
    let written = execute(
        connection,
        include_str!("../../sql/sesion/insert.sql"),
        named_params! {
            ":id": session.id.0,
            ":huella": new.token.0,
            ":usuario": session.user.0,
            ":empresa": session.empresa.map(|empresa| empresa.0),
            ":propio": session.own_device,
            ":a_medias": session.halfway,
            ":agente": session.agent,
            ":ip": session.ip.map(|ip| ip.to_string()),
            ":creada_en": session.creada_en.as_microsecond(),
            ":usada_en": session.usada_en.as_microsecond(),
            ":expira_en": session.expira_en.as_microsecond(),
        },
    )?;
    if written == 0 {
        return Err(StoreError::UserNotFound.into());
    }
    match &new.audit {
        Some(entry) => audit::record(connection, entry),
        None => Ok(()),
    }
}

/// Writes down that a session was used.
pub(crate) fn touch(connection: &Connection, id: SessionId, at: Timestamp) -> Step<()> {
    let sql = include_str!("../../sql/sesion/touch.sql");
    execute(connection, sql, named_params! {":id": id.0, ":now": at.as_microsecond()}).map(drop)
}

/// Writes down which company the person looks at.
pub(crate) fn choose_empresa(connection: &Connection, id: SessionId, empresa: EmpresaId) -> Step<()> {
    let sql = include_str!("../../sql/sesion/set_empresa.sql");
    execute(connection, sql, named_params! {":id": id.0, ":empresa": empresa.0}).map(drop)
}

/// Ends one session of a person.
pub(crate) fn end(connection: &Connection, user: UserId, id: SessionId, entry: &AuditEntry) -> Step<bool> {
    let sql = include_str!("../../sql/sesion/delete.sql");
    if execute(connection, sql, named_params! {":usuario": user.0, ":id": id.0})? == 0 {
        return Ok(false);
    }
    audit::record(connection, entry)?;
    Ok(true)
}

/// Ends all sessions of a person but one.
pub(crate) fn end_others(
    connection: &Connection,
    user: UserId,
    keep: SessionId,
    entry: &AuditEntry,
) -> Step<u64> {
    let ended = delete_all(connection, user, Some(keep))?;
    audit::record(connection, entry)?;
    Ok(ended as u64)
}

pub(super) fn delete_all(connection: &Connection, user: UserId, keep: Option<SessionId>) -> Step<usize> {
    let sql = include_str!("../../sql/sesion/delete_all.sql");
    execute(connection, sql, named_params! {":usuario": user.0, ":keep": keep.map(|id| id.0)})
}

/// Deletes what ended by its time.
pub(crate) fn purge(connection: &Connection, now: Timestamp, max: u32) -> Step<u64> {
    let mut deleted = 0;
    for sql in [include_str!("../../sql/sesion/purge.sql"), include_str!("../../sql/recuperacion/purge.sql")]
    {
        deleted += execute(connection, sql, named_params! {":now": now.as_microsecond(), ":max": max})?;
    }
    Ok(deleted as u64)
}
