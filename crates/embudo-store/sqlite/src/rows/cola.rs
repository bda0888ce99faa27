//! Rows of the outbox.

use embudo_domain::bucle::PasoBucle;
use embudo_domain::trabajo::{Entrega, EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_domain::{EmpresaId, LeadId, Timestamp, TrabajoId};
use embudo_store::cola::{BucleVencido, JobCount};
use rusqlite::Row;

use super::Columns;
use crate::failure::Step;

pub(crate) fn trabajo(row: &Row<'_>) -> Step<Trabajo> {
    let mut c = Columns::of("trabajo", row);
    Ok(Trabajo {
        id: TrabajoId(c.take()?),
        lead: LeadId(c.take()?),
        empresa: EmpresaId(c.take()?),
        tipo: c.word(TipoTrabajo::parse)?,
        carga: c.take()?,
        estado: c.word(EstadoTrabajo::parse)?,
        intentos: c.take()?,
        proximo_en: c.instant()?,
        en_duda: c.take()?,
        ultimo_error: c.take()?,
        creado_en: c.instant()?,
        terminado_en: c.instant_opt()?,
    })
}

/// What the end of an attempt needs to know of its job.
pub(crate) fn trabajo_en_mano(row: &Row<'_>) -> Step<(LeadId, TipoTrabajo, Timestamp)> {
    let mut c = Columns::of("trabajo", row);
    Ok((LeadId(c.take()?), c.word(TipoTrabajo::parse)?, c.instant()?))
}

/// The same and how many of its attempts have ended.
pub(crate) fn trabajo_en_curso(row: &Row<'_>) -> Step<(LeadId, TipoTrabajo, u32)> {
    let mut c = Columns::of("trabajo", row);
    let (lead, tipo) = (LeadId(c.take()?), c.word(TipoTrabajo::parse)?);
    c.instant()?;
    Ok((lead, tipo, c.take()?))
}

pub(crate) fn job_count(row: &Row<'_>) -> Step<JobCount> {
    let mut c = Columns::of("trabajo", row);
    Ok(JobCount {
        tipo: c.word(TipoTrabajo::parse)?,
        estado: c.word(EstadoTrabajo::parse)?,
        count: c.take::<u32>()?.into(),
    })
}

/// When an attempt began.
pub(crate) fn inicio(row: &Row<'_>) -> Step<Timestamp> {
    Columns::of("entrega", row).instant()
}

pub(crate) fn entrega(row: &Row<'_>) -> Step<Entrega> {
    let mut c = Columns::of("entrega", row);
    Ok(Entrega {
        inicio: c.instant()?,
        duracion_ms: c.take()?,
        ok: c.take()?,
        status: c.take()?,
        error: c.take()?,
        respuesta: c.take()?,
    })
}

pub(crate) fn bucle_vencido(row: &Row<'_>) -> Step<BucleVencido> {
    let mut c = Columns::of("lead", row);
    Ok(BucleVencido { lead: LeadId(c.take()?), paso: c.word(PasoBucle::parse)?, resenales: c.take()? })
}
