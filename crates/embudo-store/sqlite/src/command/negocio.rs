//! What quotes are made from: price tables, brands, and what was made of photos; and secrets of our own.

use embudo_domain::marca::Marca;
use embudo_domain::rendicion::Rendicion;
use embudo_domain::{EmpresaId, Huella};
use embudo_store::StoreError;
use embudo_store::presupuestos::TarifaGuardada;
use rusqlite::{Connection, Params};

use super::{execute, ingest};
use crate::failure::Step;
use crate::query::{exists, first};
use crate::rows;

/// Runs one statement that takes its company from the database: no row means that there is no such company.
fn execute_on_empresa(conexion: &Connection, sql: &str, params: impl Params) -> Step<()> {
    match execute(conexion, sql, params)? {
        0 => Err(StoreError::EmpresaNotFound.into()),
        _ => Ok(()),
    }
}

/// Loads a price table.
pub(crate) fn save_tarifa(conexion: &Connection, empresa: EmpresaId, tarifa: &TarifaGuardada) -> Step<()> {
    let sql = include_str!("../../sql/tarifa/get.sql");
    match first(conexion, sql, (empresa.0, &tarifa.version), rows::tarifa)? {
        Some(antes) if antes.texto == tarifa.texto && antes.desde == tarifa.desde => Ok(()),
        Some(_) => Err(StoreError::TarifaTaken.into()),
        None => execute_on_empresa(
            conexion,
            include_str!("../../sql/tarifa/insert.sql"),
            (
                empresa.0,
                &tarifa.version,
                tarifa.desde.to_string(),
                &tarifa.texto,
                tarifa.creada_en.as_microsecond(),
            ),
        ),
    }
}

/// Writes a company's brand.
pub(crate) fn save_marca(conexion: &Connection, empresa: EmpresaId, marca: &Marca) -> Step<()> {
    let datos =
        serde_json::to_string(marca).map_err(|e| StoreError::Internal(format!("a brand is no JSON: {e}")))?;
    execute_on_empresa(conexion, include_str!("../../sql/marca/set_datos.sql"), (empresa.0, datos))
}

/// Writes or removes a company's logo.
pub(crate) fn save_logo(conexion: &Connection, empresa: EmpresaId, logo: Option<&[u8]>) -> Step<()> {
    let values = (empresa.0, logo.map(|l| Huella::of(l).0), logo);
    execute_on_empresa(conexion, include_str!("../../sql/marca/set_logo.sql"), values)
}

/// The secret of a name, this one if there was none.
pub(crate) fn ensure_secreto(conexion: &Connection, nombre: &str, propuesto: [u8; 32]) -> Step<[u8; 32]> {
    execute(conexion, include_str!("../../sql/secreto/insert.sql"), (nombre, propuesto))?;
    let sql = include_str!("../../sql/secreto/get.sql");
    Ok(conexion.prepare_cached(sql)?.query_row((nombre,), |row| row.get(0))?)
}

/// Writes what was made of a photo.
pub(crate) fn save_rendicion(
    conexion: &Connection,
    rendicion: &Rendicion,
    barridos: &[(Huella, i64)],
) -> Step<()> {
    let Rendicion { lead, foto, copia, resultado, creada_en } = rendicion;
    if !exists(conexion, include_str!("../../sql/foto/exists.sql"), (lead.0, foto.0))? {
        return Err(StoreError::FotoNotFound.into());
    }
    for huella in rendicion.huellas() {
        ingest::check_blob(conexion, *lead, huella, barridos)?;
    }
    let (impresion, ancho, alto, miniatura, motivo) = rows::columnas_rendicion(resultado);
    let values = (
        lead.0,
        foto.0,
        copia.map(|h| h.0),
        impresion,
        ancho,
        alto,
        miniatura,
        motivo,
        creada_en.as_microsecond(),
    );
    execute(conexion, include_str!("../../sql/rendicion/upsert.sql"), values).map(drop)
}
