//! What quotes are made from: price tables, brands, and what was made of photos; and secrets of our own.

use embudo_domain::brand::Brand;
use embudo_domain::rendition::Rendition;
use embudo_domain::{Digest, EmpresaId};
use embudo_store::empresas::StoredTarifa;
use embudo_store::{StoreError, queries, rows};
use rusqlite::{Connection, Params, named_params};

use super::{blob, execute};
use crate::failure::Step;
use crate::query::{exists, run_first};

/// Runs one statement that takes its company from the database: no row means that there is no such company.
fn execute_on_empresa(connection: &Connection, sql: &str, params: impl Params) -> Step<()> {
    match execute(connection, sql, params)? {
        0 => Err(StoreError::EmpresaNotFound.into()),
        _ => Ok(()),
    }
}

/// Loads a price table.
pub(crate) fn save_tarifa(connection: &Connection, empresa: EmpresaId, tarifa: &StoredTarifa) -> Step<()> {
    match run_first(connection, &queries::empresa::tarifa(empresa, &tarifa.version))? {
        Some(antes) if antes.text == tarifa.text && antes.since == tarifa.since => Ok(()),
        Some(_) => Err(StoreError::TarifaTaken.into()),
        None => execute_on_empresa(
            connection,
            include_str!("../../sql/tarifa/insert.sql"),
            named_params! {
                ":empresa": empresa.0,
                ":version": tarifa.version,
                ":desde": tarifa.since.to_string(),
                ":texto": tarifa.text,
                ":creado_en": tarifa.creada_en.as_microsecond(),
            },
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
    execute_on_empresa(
        connection,
        include_str!("../../sql/marca/set_logo.sql"),
        named_params! {":empresa": empresa.0, ":huella": logo.map(|l| Digest::of(l).0), ":logo": logo},
    )
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
    if !exists(connection, include_str!("../../sql/foto/hold.sql"), (lead.0, foto.0))? {
        return Err(StoreError::FotoNotFound.into());
    }
    for digest in rendition.digests() {
        blob::check(connection, *lead, digest, swept)?;
    }
    let (print, width, height, thumbnail, reason) = rows::rendition_columns(result);
    execute(
        connection,
        include_str!("../../sql/rendicion/upsert.sql"),
        named_params! {
            ":lead": lead.0,
            ":foto": foto.0,
            ":copia": copy.map(|h| h.0),
            ":impresion": print,
            ":ancho": width,
            ":alto": height,
            ":miniatura": thumbnail,
            ":motivo": reason,
            ":creado_en": creada_en.as_microsecond(),
        },
    )
    .map(drop)
}
