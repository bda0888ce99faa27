//! API keys that are bound to one company.

use std::net::IpAddr;

use embudo_domain::company_key::MAX_LIVE;
use embudo_domain::{CompanyKeyId, Timestamp};
use embudo_store::company_keys::{NewCompanyKey, RevokeCompanyKey};
use embudo_store::{StoreError, queries};
use rusqlite::{Connection, named_params};

use super::{audit, execute};
use crate::failure::Step;
use crate::query::run_first;

/// Keeps a new key, unless its company has as many as it may.
pub(crate) fn create(connection: &Connection, new: &NewCompanyKey) -> Step<bool> {
    let key = &new.key;
    run_first(connection, &queries::empresa::get(key.empresa))?.ok_or(StoreError::EmpresaNotFound)?;
    let written = execute(
        connection,
        include_str!("../../sql/clave_api/insert.sql"),
        named_params! {
            ":id": key.id.0,
            ":huella": new.mark.0,
            ":empresa": key.empresa.0,
            ":nombre": key.nombre,
            ":prefijo": key.prefix,
            ":creada_por": key.creada_por,
            ":creada_en": key.creada_en.as_microsecond(),
            ":max": MAX_LIVE,
        },
    )?;
    if written == 0 {
        return Ok(false);
    }
    audit::record(connection, &new.audit).map(|()| true)
}

/// Ends a key.
pub(crate) fn revoke(connection: &Connection, command: &RevokeCompanyKey) -> Step<bool> {
    let sql = include_str!("../../sql/clave_api/revoke.sql");
    let (id, empresa, now) = (command.id.0, command.empresa.0, command.at.as_microsecond());
    if execute(connection, sql, named_params! {":id": id, ":empresa": empresa, ":now": now})? == 0 {
        return Ok(false);
    }
    audit::record(connection, &command.audit).map(|()| true)
}

/// Writes down that a key was used.
pub(crate) fn touch(
    connection: &Connection,
    id: CompanyKeyId,
    at: Timestamp,
    from: Option<IpAddr>,
) -> Step<()> {
    let sql = include_str!("../../sql/clave_api/touch.sql");
    let (now, from) = (at.as_microsecond(), from.map(|ip| ip.to_string()));
    execute(connection, sql, named_params! {":id": id.0, ":now": now, ":desde": from}).map(drop)
}
