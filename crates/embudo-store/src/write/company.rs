//! A company's public data and settings. A value that is replaced is read under the company's lock.

use embudo_domain::brand::Brand;
use embudo_domain::empresa::Empresa;
use embudo_domain::identity::Identity;
use embudo_domain::settings::Settings;
use embudo_domain::{Digest, EmpresaId};

use super::{Lock, Tx, audit, json, sql};
use crate::edited::Edited;
use crate::empresas::{ChangeLogo, EditEmpresa, EditSettings};
use crate::queries::{Statement, empresa as queries};
use crate::{Result, StoreError};

pub(super) async fn save_settings(tx: &Tx<'_>, empresa: EmpresaId, settings: &Settings) -> Result<()> {
    tx.lock(Lock::Empresa(empresa)).await?;
    tx.run_or(set_settings(empresa, settings)?, StoreError::EmpresaNotFound).await
}

/// Writes how a company wants to work, unless another person changed it since.
pub(super) async fn edit_settings(tx: &Tx<'_>, command: &EditSettings) -> Result<Edited> {
    let id = command.empresa;
    tx.lock(Lock::Empresa(id)).await?;
    tx.first(queries::get(id)).await?.ok_or(StoreError::EmpresaNotFound)?;
    let now = tx.first(queries::settings(id)).await?.unwrap_or_default();
    let end = Edited::decide(&command.seen, &now, &command.edited);
    if end == Edited::Saved {
        tx.run(set_settings(id, &command.edited)?).await?;
        audit::tell(tx, &command.audit).await?;
    }
    Ok(end)
}

pub(super) async fn save_brand(tx: &Tx<'_>, empresa: EmpresaId, brand: &Brand) -> Result<()> {
    tx.lock(Lock::Empresa(empresa)).await?;
    tx.run_or(set_brand(empresa, brand)?, StoreError::EmpresaNotFound).await
}

pub(super) async fn save_logo(tx: &Tx<'_>, empresa: EmpresaId, logo: Option<&[u8]>) -> Result<()> {
    tx.lock(Lock::Empresa(empresa)).await?;
    tx.run_or(set_logo(empresa, logo), StoreError::EmpresaNotFound).await
}

/// Writes a person's changes to a company's public data, unless another person changed the same fields since.
pub(super) async fn edit(tx: &Tx<'_>, command: &EditEmpresa) -> Result<Edited> {
    let id = command.empresa;
    tx.lock(Lock::Empresas).await?;
    tx.lock(Lock::Empresa(id)).await?;
    let found = tx.first(queries::get(id)).await?.ok_or(StoreError::EmpresaNotFound)?;
    let stored = tx.first(queries::brand(id)).await?.unwrap_or_default();
    let (Identity { nombre, brand }, entry) = match command.decide(&Identity::of(&found, &stored.brand)) {
        Ok(decided) => decided,
        Err(end) => return Ok(end),
    };
    tx.run(write(&Empresa { nombre, ..found })).await?;
    tx.run(set_brand(id, &brand)?).await?;
    audit::tell(tx, &entry).await?;
    Ok(Edited::Saved)
}

/// Writes or removes a company's logo, unless another person changed it since.
pub(super) async fn change_logo(tx: &Tx<'_>, command: &ChangeLogo) -> Result<Edited> {
    let id = command.empresa;
    tx.lock(Lock::Empresa(id)).await?;
    tx.first(queries::get(id)).await?.ok_or(StoreError::EmpresaNotFound)?;
    let stored = tx.first(queries::brand(id)).await?.unwrap_or_default();
    let entry = match command.decide(stored.logo) {
        Ok(entry) => entry,
        Err(end) => return Ok(end),
    };
    tx.run(set_logo(id, command.logo.as_deref())).await?;
    audit::tell(tx, &entry).await?;
    Ok(Edited::Saved)
}

fn set_settings(empresa: EmpresaId, settings: &Settings) -> Result<Statement> {
    let conecta = settings.connections.own_signals();
    Ok(sql!("ajustes/set.sql", empresa: empresa.0, datos: json(settings)?, conecta))
}

fn set_brand(empresa: EmpresaId, brand: &Brand) -> Result<Statement> {
    Ok(sql!("marca/set_datos.sql", empresa: empresa.0, datos: json(brand)?))
}

fn set_logo(empresa: EmpresaId, logo: Option<&[u8]>) -> Statement {
    sql!("marca/set_logo.sql", empresa: empresa.0, huella: logo.map(Digest::of), logo)
}

/// Writes all fields of an existing company.
pub(super) fn write(empresa: &Empresa) -> Statement {
    sql!(
        "empresa/update.sql",
        id: empresa.id.0,
        nombre: &empresa.nombre,
        slug: &empresa.slug,
        por_defecto: empresa.por_defecto,
        email_avisos: &empresa.email_avisos,
        avisos: empresa.notices,
    )
}
