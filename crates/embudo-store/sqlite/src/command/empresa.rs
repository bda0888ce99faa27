//! Companies. Exactly one of them is the default one, once there is any.

use embudo_domain::empresa::Empresa;
use embudo_domain::{EmpresaId, Timestamp};
use embudo_store::StoreError;
use embudo_store::empresas::EmpresaPatch;
use embudo_store::queries;
use rusqlite::{Connection, named_params};

use super::execute;
use crate::failure::Step;
use crate::query::{exists, run_first};

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
    let found = run_first(connection, &queries::empresa::get(id))?;
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
        topics: before.topics,
        personal_topics: before.personal_topics,
    };
    if exists(connection, include_str!("../../sql/empresa/slug_taken.sql"), (&after.slug, id.0))? {
        return Err(StoreError::SlugTaken.into());
    }
    if after.por_defecto {
        clear_default(connection)?;
    }
    let sql = include_str!("../../sql/empresa/update.sql");
    execute(
        connection,
        sql,
        named_params! {
            ":id": id.0,
            ":nombre": after.nombre,
            ":slug": after.slug,
            ":por_defecto": after.por_defecto,
            ":email_avisos": after.email_avisos,
            ":avisos": after.notices,
        },
    )?;
    Ok(after)
}

fn insert(connection: &Connection, empresa: &Empresa, at: Timestamp) -> Step<()> {
    if empresa.por_defecto {
        clear_default(connection)?;
    }
    match execute(
        connection,
        include_str!("../../sql/empresa/insert.sql"),
        named_params! {
            ":id": empresa.id.0,
            ":nombre": empresa.nombre,
            ":slug": empresa.slug,
            ":por_defecto": empresa.por_defecto,
            ":email_avisos": empresa.email_avisos,
            ":avisos": empresa.notices,
            ":avisos_elegidos": empresa.topics.to_string(),
            ":now": at.as_microsecond(),
        },
    )? {
        0 => Err(StoreError::SlugTaken.into()),
        _ => Ok(()),
    }
}

fn default(connection: &Connection) -> Step<Option<Empresa>> {
    run_first(connection, &queries::empresa::default())
}

fn clear_default(connection: &Connection) -> Step<()> {
    execute(connection, include_str!("../../sql/empresa/clear_default.sql"), ()).map(drop)
}
