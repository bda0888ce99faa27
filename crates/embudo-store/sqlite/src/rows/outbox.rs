//! Rows of the outbox.

use embudo_domain::job::{Delivery, Job, JobKind, JobState};
use embudo_domain::watched_loop::LoopStep;
use embudo_domain::{EmpresaId, JobId, LeadId, Timestamp};
use embudo_store::outbox::{JobCount, OverdueLoop};
use rusqlite::Row;

use super::Columns;
use crate::failure::Step;

pub(crate) fn job(row: &Row<'_>) -> Step<Job> {
    let mut c = Columns::of("trabajo", row);
    Ok(Job {
        id: JobId(c.take()?),
        lead: LeadId(c.take()?),
        empresa: EmpresaId(c.take()?),
        kind: c.word(JobKind::parse)?,
        payload: c.take()?,
        state: c.word(JobState::parse)?,
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
    pub(crate) kind: JobKind,
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
        kind: c.word(JobKind::parse)?,
        creado_en: c.instant()?,
        intentos: c.take()?,
        en_duda: c.take()?,
        ultimo_error: c.take()?,
    })
}

pub(crate) fn job_count(row: &Row<'_>) -> Step<JobCount> {
    let mut c = Columns::of("trabajo", row);
    Ok(JobCount {
        kind: c.word(JobKind::parse)?,
        state: c.word(JobState::parse)?,
        count: c.take::<u32>()?.into(),
    })
}

/// When an attempt began.
pub(crate) fn start(row: &Row<'_>) -> Step<Timestamp> {
    Columns::of("entrega", row).instant()
}

pub(crate) fn delivery(row: &Row<'_>) -> Step<Delivery> {
    let mut c = Columns::of("entrega", row);
    Ok(Delivery {
        start: c.instant()?,
        duracion_ms: c.take()?,
        ok: c.take()?,
        status: c.take()?,
        error: c.take()?,
        answer: c.take()?,
    })
}

pub(crate) fn bucle_vencido(row: &Row<'_>) -> Step<OverdueLoop> {
    let mut c = Columns::of("lead", row);
    Ok(OverdueLoop { lead: LeadId(c.take()?), step: c.word(LoopStep::parse)?, resignals: c.take()? })
}
