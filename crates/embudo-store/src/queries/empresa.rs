//! Companies, their brands and price tables.

use embudo_domain::EmpresaId;
use embudo_domain::empresa::Empresa;
use embudo_domain::settings::Settings;
use jiff::civil::Date;

use super::Query;
use crate::empresas::StoredBrand;
use crate::empresas::{StoredTarifa, TarifaVersion};
use crate::rows;

/// Every company, in no order.
pub fn list() -> Query<Empresa> {
    Query::new(include_str!("../../sql/empresa/list.sql"), rows::empresa)
}

pub fn get(id: EmpresaId) -> Query<Empresa> {
    list().only("id = :id").bind("id", id.0)
}

pub fn by_slug(slug: &str) -> Query<Empresa> {
    list().only("slug = :slug").bind("slug", slug)
}

/// The company that had this slug before.
pub fn by_former_slug(slug: &str) -> Query<Empresa> {
    list().only("id = (SELECT empresa_id FROM slug_anterior WHERE slug = :slug)").bind("slug", slug)
}

pub fn default() -> Query<Empresa> {
    list().only("por_defecto = true")
}

/// Price tables, the latest `desde` first, then the one loaded last.
pub fn tarifas(empresa: EmpresaId) -> Query<StoredTarifa> {
    loaded_for(empresa).then(NEWEST_FIRST)
}

/// [`tarifas`] without their texts.
pub fn tarifa_versions(empresa: EmpresaId) -> Query<TarifaVersion> {
    let query = Query::new(include_str!("../../sql/tarifa/versions.sql"), rows::tarifa_version);
    query.only("empresa_id = :empresa").bind("empresa", empresa.0).then(NEWEST_FIRST)
}

/// The table of [`tarifas`] that is in force on a day.
pub fn tarifa_in_force(empresa: EmpresaId, day: Date) -> Query<StoredTarifa> {
    loaded_for(empresa).only("desde <= :day").then(NEWEST_FIRST).then("LIMIT 1").bind("day", day)
}

pub fn tarifa(empresa: EmpresaId, version: &str) -> Query<StoredTarifa> {
    loaded_for(empresa).only("version = :version").bind("version", version)
}

const NEWEST_FIRST: &str = "ORDER BY desde DESC, creado_en DESC, n DESC";

fn loaded_for(empresa: EmpresaId) -> Query<StoredTarifa> {
    let text = include_str!("../../sql/tarifa/list.sql");
    Query::new(text, rows::tarifa).only("empresa_id = :empresa").bind("empresa", empresa.0)
}

pub fn brand(empresa: EmpresaId) -> Query<StoredBrand> {
    Query::new(include_str!("../../sql/marca/get.sql"), rows::brand).bind("empresa", empresa.0)
}

pub fn settings(empresa: EmpresaId) -> Query<Settings> {
    Query::new("SELECT datos FROM ajustes WHERE empresa_id = :empresa", rows::settings)
        .bind("empresa", empresa.0)
}

/// The signals that companies receive themselves: each distinct text of the column `conecta`.
pub fn own_receivers() -> Query<String> {
    Query::new("SELECT DISTINCT conecta FROM ajustes WHERE conecta <> ''", |c| c.get("conecta"))
}

pub fn logo(empresa: EmpresaId) -> Query<Option<Vec<u8>>> {
    Query::new(include_str!("../../sql/marca/get_logo.sql"), |c| c.get("logo")).bind("empresa", empresa.0)
}
