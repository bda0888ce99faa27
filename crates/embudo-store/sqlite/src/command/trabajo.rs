//! Jobs as they are made, inside the command that causes them.

use std::time::Duration;

use embudo_domain::senal::{MensajeriaSenal, PerfilSenal};
use embudo_domain::trabajo::TipoTrabajo;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::StoreError;
use embudo_store::cola::{CargaNueva, NuevoTrabajo};
use rusqlite::Connection;

use super::{execute, execute_on_lead};
use crate::failure::Step;
use crate::query::{ficha, first};

/// Makes jobs for a lead. To be called last, so that what they say is what the command leaves behind.
pub(super) fn insert_all(
    conexion: &Connection,
    lead: LeadId,
    trabajos: &[NuevoTrabajo],
    en: Timestamp,
) -> Step<()> {
    trabajos.iter().try_for_each(|nuevo| insert(conexion, lead, nuevo, en))
}

fn insert(conexion: &Connection, lead: LeadId, nuevo: &NuevoTrabajo, en: Timestamp) -> Step<()> {
    if nuevo.tipo == TipoTrabajo::CorreoEmpresa && !wants_notices(conexion, lead)? {
        return Ok(());
    }
    if nuevo.tipo.se_sustituye() {
        let sql = include_str!("../../sql/trabajo/supersede.sql");
        execute(conexion, sql, (lead.0, nuevo.tipo.as_str(), en.as_microsecond()))?;
    }
    execute_on_lead(
        conexion,
        include_str!("../../sql/trabajo/insert.sql"),
        (
            nuevo.id.0,
            lead.0,
            nuevo.tipo.as_str(),
            carga(conexion, lead, &nuevo.carga)?,
            en.as_microsecond(),
            nuevo.arriendo.map(|a| a.quien.0),
            nuevo.arriendo.map(|a| micros(a.dura)),
        ),
    )
}

fn wants_notices(conexion: &Connection, lead: LeadId) -> Step<bool> {
    let sql = include_str!("../../sql/trabajo/wants_notices.sql");
    Ok(first(conexion, sql, (lead.0,), |row| Ok(row.get(0)?))?.ok_or(StoreError::LeadNotFound)?)
}

/// What the job says, fixed now.
fn carga(conexion: &Connection, lead: LeadId, carga: &CargaNueva) -> Step<String> {
    let json = match carga {
        CargaNueva::Perfil => serde_json::to_string(&PerfilSenal::de(&ficha::para_senal(conexion, lead)?)),
        CargaNueva::Mensajeria => {
            serde_json::to_string(&MensajeriaSenal::de(&ficha::lead(conexion, lead)?.0))
        }
        CargaNueva::Texto(texto) => return Ok(texto.clone()),
    };
    Ok(json.map_err(|e| StoreError::Internal(format!("a signal is no JSON: {e}")))?)
}

/// The length of a lease, for the database's clock.
pub(super) fn micros(dura: Duration) -> i64 {
    // A lease longer than some thousand years would only overflow the sum.
    i64::try_from(dura.as_micros()).unwrap_or(i64::MAX).min(i64::MAX / 4)
}
