//! Companies. Exactly one of them is the default one, once there is any.

use embudo_domain::empresa::Empresa;
use embudo_domain::{EmpresaId, Timestamp};
use embudo_store::StoreError;
use embudo_store::command::EmpresaPatch;
use rusqlite::Connection;

use super::execute;
use crate::failure::Step;
use crate::query::{exists, first};
use crate::rows;

/// Creates a company; the first one is the default one.
pub(crate) fn create(connection: &Connection, mut empresa: Empresa, at: Timestamp) -> Step<()> {
    if default(connection)?.is_none() {
        empresa.por_defecto = true;
    }
    insert(connection, &empresa, at)
}

/// The default company, this one if there is none.
pub(crate) fn ensure_default(connection: &Connection, mut empresa: Empresa, at: Timestamp) -> Step<Empresa> {
    if let Some(existing) = default(connection)? {
        return Ok(existing);
    }
    empresa.por_defecto = true;
    insert(connection, &empresa, at)?;
    Ok(empresa)
}

/// Changes a company.
pub(crate) fn update(connection: &Connection, id: EmpresaId, patch: EmpresaPatch) -> Step<Empresa> {
    let found = first(connection, include_str!("../../sql/empresa/get.sql"), (id.0,), rows::empresa)?;
    let before = found.ok_or(StoreError::EmpresaNotFound)?;
    let after = Empresa {
        id,
        nombre: patch.nombre.unwrap_or(before.nombre),
        slug: patch.slug.unwrap_or(before.slug),
        por_defecto: before.por_defecto || patch.por_defecto,
        email_avisos: match patch.email_avisos {
            Some(new) => Some(new).filter(|e| !e.is_empty()),
            None => before.email_avisos,
        },
        notices: patch.notices.unwrap_or(before.notices),
    };
    if exists(connection, include_str!("../../sql/empresa/slug_taken.sql"), (&after.slug, id.0))? {
        return Err(StoreError::SlugTaken.into());
    }
    if after.por_defecto {
        clear_default(connection)?;
    }
    let sql = include_str!("../../sql/empresa/update.sql");
    let values = (id.0, &after.nombre, &after.slug, after.por_defecto, &after.email_avisos, after.notices);
    execute(connection, sql, values)?;
    Ok(after)
}

fn insert(connection: &Connection, empresa: &Empresa, at: Timestamp) -> Step<()> {
    if empresa.por_defecto {
        clear_default(connection)?;
    }
    let values = (
        empresa.id.0,
        &empresa.nombre,
        &empresa.slug,
        empresa.por_defecto,
        &empresa.email_avisos,
        empresa.notices,
        at.as_microsecond(),
    );
    match execute(connection, include_str!("../../sql/empresa/insert.sql"), values)? {
        0 => Err(StoreError::SlugTaken.into()),
        _ => Ok(()),
    }
}

fn default(connection: &Connection) -> Step<Option<Empresa>> {
    first(connection, include_str!("../../sql/empresa/get_default.sql"), (), rows::empresa)
}

fn clear_default(connection: &Connection) -> Step<()> {
    execute(connection, include_str!("../../sql/empresa/clear_default.sql"), ()).map(drop)
}
