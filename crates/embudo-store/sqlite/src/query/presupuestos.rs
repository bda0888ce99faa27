//! Quotes and what they are made from, as they are read.

use embudo_domain::empresa::Empresa;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::rendition::Rendition;
use embudo_domain::{EmpresaId, LeadId, PresupuestoId};
use embudo_store::StoreError;
use embudo_store::presupuestos::{StoredBrand, StoredTarifa};
use jiff::civil::Date;
use rusqlite::Connection;

use super::{all, exists, first};
use crate::failure::Step;
use crate::rows;

/// One quote.
pub(crate) fn presupuesto(connection: &Connection, id: PresupuestoId) -> Step<Presupuesto> {
    let found = first(connection, include_str!("../../sql/presupuesto/get.sql"), (id.0,), rows::presupuesto)?;
    Ok(found.ok_or(StoreError::PresupuestoNotFound)?)
}

/// A lead's quotes, newest first.
pub(crate) fn presupuestos(connection: &Connection, lead: LeadId) -> Step<Vec<Presupuesto>> {
    let sql = include_str!("../../sql/presupuesto/list.sql");
    let found = all(connection, sql, (lead.0,), rows::presupuesto)?;
    if found.is_empty() && !exists(connection, include_str!("../../sql/lead/exists.sql"), (lead.0,))? {
        return Err(StoreError::LeadNotFound.into());
    }
    Ok(found)
}

/// A company's price tables.
pub(crate) fn tarifas(connection: &Connection, empresa: EmpresaId) -> Step<Vec<StoredTarifa>> {
    all(connection, include_str!("../../sql/tarifa/list.sql"), (empresa.0,), rows::tarifa)
}

/// The price table that holds on a day.
pub(crate) fn current_tarifa(
    connection: &Connection,
    empresa: EmpresaId,
    day: Date,
) -> Step<Option<StoredTarifa>> {
    let sql = include_str!("../../sql/tarifa/vigente.sql");
    first(connection, sql, (empresa.0, day.to_string()), rows::tarifa)
}

/// A company's brand.
pub(crate) fn brand(connection: &Connection, empresa: EmpresaId) -> Step<StoredBrand> {
    let sql = include_str!("../../sql/marca/get.sql");
    Ok(first(connection, sql, (empresa.0,), rows::stored_brand)?.unwrap_or_default())
}

/// A company's logo.
pub(crate) fn logo(connection: &Connection, empresa: EmpresaId) -> Step<Option<Vec<u8>>> {
    let sql = include_str!("../../sql/marca/get_logo.sql");
    Ok(first(connection, sql, (empresa.0,), |row| Ok(row.get(0)?))?.flatten())
}

/// The company of a slug, or the default one.
pub(crate) fn empresa_by_slug(connection: &Connection, slug: Option<&str>) -> Step<Option<Empresa>> {
    match slug {
        Some(slug) => {
            first(connection, include_str!("../../sql/empresa/get_by_slug.sql"), (slug,), rows::empresa)
        }
        None => first(connection, include_str!("../../sql/empresa/get_default.sql"), (), rows::empresa),
    }
}

/// What was made of a lead's photos.
pub(crate) fn renditions(connection: &Connection, lead: LeadId) -> Step<Vec<Rendition>> {
    all(connection, include_str!("../../sql/rendicion/list.sql"), (lead.0,), rows::rendition)
}
