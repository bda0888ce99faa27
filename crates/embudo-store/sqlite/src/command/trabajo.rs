//! Jobs as they are made, inside the command that causes them.

use std::time::Duration;

use embudo_domain::ficha::Ficha;
use embudo_domain::trabajo::{TipoTrabajo, Trabajo};
use embudo_domain::{LeadId, Timestamp};
use embudo_store::cola::{Arriendo, CargaNueva, NuevoTrabajo};
use rusqlite::Connection;

use super::execute;
use crate::failure::Step;
use crate::query::ficha;

/// Makes jobs for a lead. To be called last, so that what they say is what the command leaves behind. Returns those under a lease.
pub(super) fn insert_all(
    conexion: &Connection,
    lead: LeadId,
    trabajos: &[NuevoTrabajo],
    en: Timestamp,
) -> Step<Vec<Trabajo>> {
    let mut held = Vec::new();
    if trabajos.is_empty() {
        return Ok(held);
    }
    let ficha = match trabajos.iter().any(|t| matches!(t.carga, CargaNueva::Perfil)) {
        true => ficha::para_senal(conexion, lead)?,
        false => Ficha::bare(ficha::lead(conexion, lead)?.0),
    };
    for nuevo in trabajos {
        let Some(job) = nuevo.make(&ficha, en)? else { continue };
        insert(conexion, &job, nuevo.arriendo)?;
        held.extend(nuevo.arriendo.map(|_| job));
    }
    Ok(held)
}

fn insert(conexion: &Connection, job: &Trabajo, arriendo: Option<Arriendo>) -> Step<()> {
    if job.tipo.se_sustituye() {
        let sql = include_str!("../../sql/trabajo/supersede.sql");
        execute(conexion, sql, (job.lead.0, job.tipo.as_str(), job.creado_en.as_microsecond()))?;
    }
    execute(
        conexion,
        include_str!("../../sql/trabajo/insert.sql"),
        (
            job.id.0,
            job.lead.0,
            job.empresa.0,
            job.tipo.as_str(),
            &job.carga,
            job.creado_en.as_microsecond(),
            job.proximo_en.as_microsecond(),
            arriendo.map(|a| a.quien.0),
            arriendo.map(|a| micros(a.dura)),
        ),
    )
    .map(drop)
}

/// Ends the profile signals that were sent and wait for another attempt, because what they ask for came; says whether there was one.
pub(super) fn answer_waiting(conexion: &Connection, lead: LeadId, en: Timestamp) -> Step<bool> {
    let sql = include_str!("../../sql/trabajo/answer.sql");
    let values = (lead.0, TipoTrabajo::Perfil.as_str(), en.as_microsecond());
    execute(conexion, sql, values).map(|ended| ended > 0)
}

/// The length of a lease, for the database's clock.
pub(super) fn micros(dura: Duration) -> i64 {
    // A lease longer than some thousand years would only overflow the sum.
    i64::try_from(dura.as_micros()).unwrap_or(i64::MAX).min(i64::MAX / 4)
}
