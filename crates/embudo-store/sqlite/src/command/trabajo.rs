//! Jobs as they are made, inside the command that causes them.

use std::time::Duration;

use embudo_domain::senal::{MensajeriaSenal, PerfilSenal};
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_domain::{EmpresaId, LeadId, Timestamp};
use embudo_store::StoreError;
use embudo_store::cola::{CargaNueva, NuevoTrabajo};
use rusqlite::Connection;

use super::{execute, execute_on_lead};
use crate::failure::Step;
use crate::query::{ficha, first};

/// Makes jobs for a lead. To be called last, so that what they say is what the command leaves behind. Returns those under a lease,
/// as far as they are known without reading them again.
pub(super) fn insert_all(
    conexion: &Connection,
    lead: LeadId,
    trabajos: &[NuevoTrabajo],
    en: Timestamp,
) -> Step<Vec<Trabajo>> {
    let mut made = Vec::new();
    for nuevo in trabajos {
        made.extend(insert(conexion, lead, nuevo, en)?.filter(|_| nuevo.arriendo.is_some()));
    }
    Ok(made)
}

fn insert(conexion: &Connection, lead: LeadId, nuevo: &NuevoTrabajo, en: Timestamp) -> Step<Option<Trabajo>> {
    if nuevo.tipo.es_aviso() && !wants_notices(conexion, lead)? {
        return Ok(None);
    }
    let (carga, empresa) = carga(conexion, lead, &nuevo.carga)?;
    if nuevo.tipo.se_sustituye() {
        let sql = include_str!("../../sql/trabajo/supersede.sql");
        execute(conexion, sql, (lead.0, nuevo.tipo.as_str(), en.as_microsecond()))?;
    }
    let proximo_en = nuevo.proximo_en.unwrap_or(en);
    execute_on_lead(
        conexion,
        include_str!("../../sql/trabajo/insert.sql"),
        (
            nuevo.id.0,
            lead.0,
            nuevo.tipo.as_str(),
            &carga,
            en.as_microsecond(),
            nuevo.arriendo.map(|a| a.quien.0),
            nuevo.arriendo.map(|a| micros(a.dura)),
            proximo_en.as_microsecond(),
        ),
    )?;
    Ok(empresa.map(|empresa| Trabajo {
        id: nuevo.id,
        lead,
        empresa,
        tipo: nuevo.tipo,
        carga,
        estado: EstadoTrabajo::Pendiente,
        intentos: 0,
        proximo_en,
        en_duda: false,
        ultimo_error: None,
        creado_en: en,
        terminado_en: None,
    }))
}

/// Ends the profile signals that were sent and wait for another attempt, because what they ask for came; says whether there was one.
pub(super) fn answer_waiting(conexion: &Connection, lead: LeadId, en: Timestamp) -> Step<bool> {
    let sql = include_str!("../../sql/trabajo/answer.sql");
    let values = (lead.0, TipoTrabajo::Perfil.as_str(), en.as_microsecond());
    execute(conexion, sql, values).map(|ended| ended > 0)
}

fn wants_notices(conexion: &Connection, lead: LeadId) -> Step<bool> {
    let sql = include_str!("../../sql/trabajo/wants_notices.sql");
    Ok(first(conexion, sql, (lead.0,), |row| Ok(row.get(0)?))?.ok_or(StoreError::LeadNotFound)?)
}

/// What the job says, fixed now, and the company if that came to light.
fn carga(conexion: &Connection, lead: LeadId, carga: &CargaNueva) -> Step<(String, Option<EmpresaId>)> {
    let (json, lead) = match carga {
        CargaNueva::Perfil => {
            let ficha = ficha::para_senal(conexion, lead)?;
            (serde_json::to_string(&PerfilSenal::from(&ficha)), ficha.lead)
        }
        CargaNueva::Mensajeria => {
            let lead = ficha::lead(conexion, lead)?.0;
            (serde_json::to_string(&MensajeriaSenal::from(&lead)), lead)
        }
        CargaNueva::Texto(texto) => return Ok((texto.clone(), None)),
    };
    let json = json.map_err(|e| StoreError::Internal(format!("a signal is no JSON: {e}")))?;
    Ok((json, Some(lead.empresa.id)))
}

/// The length of a lease, for the database's clock.
pub(super) fn micros(dura: Duration) -> i64 {
    // A lease longer than some thousand years would only overflow the sum.
    i64::try_from(dura.as_micros()).unwrap_or(i64::MAX).min(i64::MAX / 4)
}
