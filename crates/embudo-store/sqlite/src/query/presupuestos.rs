//! Quotes and what they are made from, as they are read.

use embudo_domain::empresa::Empresa;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::rendicion::Rendicion;
use embudo_domain::{EmpresaId, LeadId, PresupuestoId};
use embudo_store::StoreError;
use embudo_store::presupuestos::{MarcaGuardada, TarifaGuardada};
use jiff::civil::Date;
use rusqlite::Connection;

use super::{all, exists, first};
use crate::failure::Step;
use crate::rows;

/// One quote.
pub(crate) fn presupuesto(conexion: &Connection, id: PresupuestoId) -> Step<Presupuesto> {
    let found = first(conexion, include_str!("../../sql/presupuesto/get.sql"), (id.0,), rows::presupuesto)?;
    Ok(found.ok_or(StoreError::PresupuestoNotFound)?)
}

/// A lead's quotes, newest first.
pub(crate) fn presupuestos(conexion: &Connection, lead: LeadId) -> Step<Vec<Presupuesto>> {
    let sql = include_str!("../../sql/presupuesto/list.sql");
    let found = all(conexion, sql, (lead.0,), rows::presupuesto)?;
    if found.is_empty() && !exists(conexion, include_str!("../../sql/lead/exists.sql"), (lead.0,))? {
        return Err(StoreError::LeadNotFound.into());
    }
    Ok(found)
}

/// A company's price tables.
pub(crate) fn tarifas(conexion: &Connection, empresa: EmpresaId) -> Step<Vec<TarifaGuardada>> {
    all(conexion, include_str!("../../sql/tarifa/list.sql"), (empresa.0,), rows::tarifa)
}

/// The price table that holds on a day.
pub(crate) fn tarifa_vigente(
    conexion: &Connection,
    empresa: EmpresaId,
    dia: Date,
) -> Step<Option<TarifaGuardada>> {
    let sql = include_str!("../../sql/tarifa/vigente.sql");
    first(conexion, sql, (empresa.0, dia.to_string()), rows::tarifa)
}

/// A company's brand.
pub(crate) fn marca(conexion: &Connection, empresa: EmpresaId) -> Step<MarcaGuardada> {
    let sql = include_str!("../../sql/marca/get.sql");
    Ok(first(conexion, sql, (empresa.0,), rows::marca_guardada)?.unwrap_or_default())
}

/// A company's logo.
pub(crate) fn logo(conexion: &Connection, empresa: EmpresaId) -> Step<Option<Vec<u8>>> {
    let sql = include_str!("../../sql/marca/get_logo.sql");
    Ok(first(conexion, sql, (empresa.0,), |row| Ok(row.get(0)?))?.flatten())
}

/// The company of a slug, or the default one.
pub(crate) fn empresa_by_slug(conexion: &Connection, slug: Option<&str>) -> Step<Option<Empresa>> {
    match slug {
        Some(slug) => {
            first(conexion, include_str!("../../sql/empresa/get_by_slug.sql"), (slug,), rows::empresa)
        }
        None => first(conexion, include_str!("../../sql/empresa/get_default.sql"), (), rows::empresa),
    }
}

/// What was made of a lead's photos.
pub(crate) fn rendiciones(conexion: &Connection, lead: LeadId) -> Step<Vec<Rendicion>> {
    all(conexion, include_str!("../../sql/rendicion/list.sql"), (lead.0,), rows::rendicion)
}
