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
pub(crate) struct Held {
    pub(crate) lead: LeadId,
    pub(crate) tipo: TipoTrabajo,
    pub(crate) creado_en: Timestamp,
    /// Attempts that have ended.
    pub(crate) intentos: u32,
    pub(crate) en_duda: bool,
    pub(crate) ultimo_error: Option<String>,
}

pub(crate) fn held(row: &Row<'_>) -> Step<Held> {
    let mut c = Columns::of("trabajo", row);
    Ok(Held {
        lead: LeadId(c.take()?),
        tipo: c.word(TipoTrabajo::parse)?,
        creado_en: c.instant()?,
        intentos: c.take()?,
        en_duda: c.take()?,
        ultimo_error: c.take()?,
    })
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
