//! What quotes are made from: price tables, brands, and what was made of photos; and secrets of our own.

use embudo_domain::brand::Brand;
use embudo_domain::identity::Identity;
use embudo_domain::rendition::Rendition;
use embudo_domain::settings::Settings;
use embudo_domain::{Digest, EmpresaId};
use embudo_store::empresas::{
    AddTarifa, ChangeLogo, EditEmpresa, EditSettings, EmpresaPatch, StoredTarifa, WithdrawTarifa, Withdrawal,
};
use embudo_store::sheet::Edited;
use embudo_store::{StoreError, queries, rows};
use rusqlite::{Connection, Params, named_params};

use super::{audit, blob, empresa, execute};
use crate::failure::Step;
use crate::query::{exists, run, run_first};

/// Runs one statement that takes its company from the database: no row means that there is no such company.
fn execute_on_empresa(connection: &Connection, sql: &str, params: impl Params) -> Step<()> {
    match execute(connection, sql, params)? {
        0 => Err(StoreError::EmpresaNotFound.into()),
        _ => Ok(()),
    }
}

pub(crate) fn save_settings(connection: &Connection, empresa: EmpresaId, settings: &Settings) -> Step<()> {
    let datos = serde_json::to_string(settings).expect("plain data becomes JSON");
    let sql = include_str!("../../sql/ajustes/set.sql");
    let conecta = settings.connections.words();
    let values = named_params! {":empresa": empresa.0, ":datos": datos, ":conecta": conecta};
    execute_on_empresa(connection, sql, values)
}

/// Writes how a company wants to work, unless somebody else changed it.
pub(crate) fn edit_settings(connection: &Connection, command: &EditSettings) -> Step<Edited> {
    run_first(connection, &queries::empresa::get(command.empresa))?.ok_or(StoreError::EmpresaNotFound)?;
    let now = run_first(connection, &queries::empresa::settings(command.empresa))?.unwrap_or_default();
    let end = command.decide(&now);
    if end == Edited::Saved {
        save_settings(connection, command.empresa, &command.edited)?;
        audit::record(connection, &command.audit)?;
    }
    Ok(end)
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

/// Loads a person's next price table, unless others came meanwhile.
pub(crate) fn add_tarifa(connection: &Connection, command: &AddTarifa) -> Step<Edited> {
    let id = command.empresa;
    run_first(connection, &queries::empresa::get(id))?.ok_or(StoreError::EmpresaNotFound)?;
    let now = run(connection, &queries::empresa::tarifa_versions(id))?;
    let same = run_first(connection, &queries::empresa::tarifa(id, &command.tarifa.version))?;
    let end = command.decide(&now, same.as_ref())?;
    if end == Edited::Saved {
        save_tarifa(connection, id, &command.tarifa)?;
        audit::record(connection, &command.audit)?;
    }
    Ok(end)
}

/// Removes a price table that has not begun.
pub(crate) fn withdraw_tarifa(connection: &Connection, command: &WithdrawTarifa) -> Step<Withdrawal> {
    let found = run_first(connection, &queries::empresa::tarifa(command.empresa, &command.version))?;
    let end = command.decide(found.as_ref());
    if end == Withdrawal::Done {
        let sql = include_str!("../../sql/tarifa/delete.sql");
        execute(connection, sql, named_params! {":empresa": command.empresa.0, ":version": command.version})?;
        audit::record(connection, &command.audit)?;
    }
    Ok(end)
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

/// Writes what somebody changed of what a company says of itself, unless somebody else changed the same.
pub(crate) fn edit(connection: &Connection, command: &EditEmpresa) -> Step<Edited> {
    let id = command.empresa;
    let found = run_first(connection, &queries::empresa::get(id))?.ok_or(StoreError::EmpresaNotFound)?;
    let stored = run_first(connection, &queries::empresa::brand(id))?.unwrap_or_default();
    let (Identity { nombre, brand }, entry) = match command.decide(&Identity::of(&found, &stored.brand)) {
        Ok(decided) => decided,
        Err(end) => return Ok(end),
    };
    empresa::update(connection, id, EmpresaPatch { nombre: Some(nombre), ..EmpresaPatch::default() })?;
    save_brand(connection, id, &brand)?;
    audit::record(connection, &entry).map(|()| Edited::Saved)
}

/// Writes or removes a company's logo, unless somebody else changed it.
pub(crate) fn change_logo(connection: &Connection, command: &ChangeLogo) -> Step<Edited> {
    let id = command.empresa;
    run_first(connection, &queries::empresa::get(id))?.ok_or(StoreError::EmpresaNotFound)?;
    let stored = run_first(connection, &queries::empresa::brand(id))?.unwrap_or_default();
    let entry = match command.decide(stored.logo) {
        Ok(entry) => entry,
        Err(end) => return Ok(end),
    };
    save_logo(connection, id, command.logo.as_deref())?;
    audit::record(connection, &entry).map(|()| Edited::Saved)
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
