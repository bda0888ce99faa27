//! Quotes and what they are made from, as they are read.

use deadpool_postgres::Pool;
use embudo_domain::empresa::Empresa;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::rendition::Rendition;
use embudo_domain::{EmpresaId, LeadId, PresupuestoId};
use embudo_store::StoreError;
use embudo_store::presupuestos::{StoredBrand, StoredTarifa};
use jiff::civil::Date;

use super::all;
use crate::failure::Step;
use crate::rows;

/// One quote.
pub(crate) async fn presupuesto(pool: &Pool, id: PresupuestoId) -> Step<Presupuesto> {
    let rows = all(pool, include_str!("../../sql/presupuesto/get.sql"), &[&id.0]).await?;
    rows::presupuesto(rows.first().ok_or(StoreError::PresupuestoNotFound)?)
}

/// A lead's quotes, newest first.
pub(crate) async fn presupuestos(pool: &Pool, lead: LeadId) -> Step<Vec<Presupuesto>> {
    let rows = all(pool, include_str!("../../sql/presupuesto/list.sql"), &[&lead.0]).await?;
    if rows.is_empty() {
        let exists = all(pool, include_str!("../../sql/lead/exists.sql"), &[&lead.0]).await?;
        if !exists.first().map_or(Ok(false), |row| row.try_get(0))? {
            return Err(StoreError::LeadNotFound.into());
        }
    }
    rows.iter().map(rows::presupuesto).collect()
}

/// A company's price tables.
pub(crate) async fn tarifas(pool: &Pool, empresa: EmpresaId) -> Step<Vec<StoredTarifa>> {
    let rows = all(pool, include_str!("../../sql/tarifa/list.sql"), &[&empresa.0]).await?;
    rows.iter().map(rows::tarifa).collect()
}

/// The price table that holds on a day.
pub(crate) async fn current_tarifa(pool: &Pool, empresa: EmpresaId, day: Date) -> Step<Option<StoredTarifa>> {
    let rows = all(pool, include_str!("../../sql/tarifa/vigente.sql"), &[&empresa.0, &day]).await?;
    rows.first().map(rows::tarifa).transpose()
}

/// A company's brand.
pub(crate) async fn brand(pool: &Pool, empresa: EmpresaId) -> Step<StoredBrand> {
    let rows = all(pool, include_str!("../../sql/marca/get.sql"), &[&empresa.0]).await?;
    Ok(rows.first().map(rows::stored_brand).transpose()?.unwrap_or_default())
}

/// A company's logo.
pub(crate) async fn logo(pool: &Pool, empresa: EmpresaId) -> Step<Option<Vec<u8>>> {
    let rows = all(pool, include_str!("../../sql/marca/get_logo.sql"), &[&empresa.0]).await?;
    Ok(rows.first().map(|row| row.try_get::<_, Option<Vec<u8>>>(0)).transpose()?.flatten())
}

/// The company of a slug, or the default one.
pub(crate) async fn empresa_by_slug(pool: &Pool, slug: Option<&str>) -> Step<Option<Empresa>> {
    let rows = match slug {
        Some(slug) => all(pool, include_str!("../../sql/empresa/get_by_slug.sql"), &[&slug]).await?,
        None => all(pool, include_str!("../../sql/empresa/get_default.sql"), &[]).await?,
    };
    rows.first().map(rows::empresa).transpose()
}

/// What was made of a lead's photos.
pub(crate) async fn renditions(pool: &Pool, lead: LeadId) -> Step<Vec<Rendition>> {
    let rows = all(pool, include_str!("../../sql/rendicion/list.sql"), &[&lead.0]).await?;
    rows.iter().map(rows::rendition).collect()
}
