//! What quotes are made from: price tables, brands, and what was made of photos; and secrets of our own.

use embudo_domain::brand::Brand;
use embudo_domain::rendition::Rendition;
use embudo_domain::{Digest, EmpresaId};
use embudo_store::StoreError;
use embudo_store::presupuestos::StoredTarifa;
use rusqlite::{Connection, Params};

use super::{execute, ingest};
use crate::failure::Step;
use crate::query::{exists, first};
use crate::rows;

/// Runs one statement that takes its company from the database: no row means that there is no such company.
fn execute_on_empresa(connection: &Connection, sql: &str, params: impl Params) -> Step<()> {
    match execute(connection, sql, params)? {
        0 => Err(StoreError::EmpresaNotFound.into()),
        _ => Ok(()),
    }
}

/// Loads a price table.
pub(crate) fn save_tarifa(connection: &Connection, empresa: EmpresaId, tarifa: &StoredTarifa) -> Step<()> {
    let sql = include_str!("../../sql/tarifa/get.sql");
    match first(connection, sql, (empresa.0, &tarifa.version), rows::tarifa)? {
        Some(antes) if antes.text == tarifa.text && antes.since == tarifa.since => Ok(()),
        Some(_) => Err(StoreError::TarifaTaken.into()),
        None => execute_on_empresa(
            connection,
            include_str!("../../sql/tarifa/insert.sql"),
            (
                empresa.0,
                &tarifa.version,
                tarifa.since.to_string(),
                &tarifa.text,
                tarifa.creada_en.as_microsecond(),
            ),
        ),
    }
}

/// Writes a company's brand.
pub(crate) fn save_brand(connection: &Connection, empresa: EmpresaId, brand: &Brand) -> Step<()> {
    let data =
        serde_json::to_string(brand).map_err(|e| StoreError::Internal(format!("a brand is no JSON: {e}")))?;
    execute_on_empresa(connection, include_str!("../../sql/marca/set_datos.sql"), (empresa.0, data))
}

/// Writes or removes a company's logo.
pub(crate) fn save_logo(connection: &Connection, empresa: EmpresaId, logo: Option<&[u8]>) -> Step<()> {
    let values = (empresa.0, logo.map(|l| Digest::of(l).0), logo);
    execute_on_empresa(connection, include_str!("../../sql/marca/set_logo.sql"), values)
}

/// The secret of a name, this one if there was none.
pub(crate) fn ensure_secret(connection: &Connection, nombre: &str, proposed: [u8; 32]) -> Step<[u8; 32]> {
    execute(connection, include_str!("../../sql/secreto/insert.sql"), (nombre, proposed))?;
    let sql = include_str!("../../sql/secreto/get.sql");
    Ok(connection.prepare_cached(sql)?.query_row((nombre,), |row| row.get(0))?)
}

/// Writes what was made of a photo.
pub(crate) fn save_rendition(
    connection: &Connection,
    rendition: &Rendition,
    swept: &[(Digest, i64)],
) -> Step<()> {
    let Rendition { lead, foto, copy, result, creada_en } = rendition;
    if !exists(connection, include_str!("../../sql/foto/exists.sql"), (lead.0, foto.0))? {
        return Err(StoreError::FotoNotFound.into());
    }
    for digest in rendition.digests() {
        ingest::check_blob(connection, *lead, digest, swept)?;
    }
    let (print, width, height, thumbnail, reason) = rows::rendition_columns(result);
    let values = (
        lead.0,
        foto.0,
        copy.map(|h| h.0),
        print,
        width,
        height,
        thumbnail,
        reason,
        creada_en.as_microsecond(),
    );
    execute(connection, include_str!("../../sql/rendicion/upsert.sql"), values).map(drop)
}
