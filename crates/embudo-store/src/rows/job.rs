//! Rows of the outbox.

use embudo_domain::job::{Delivery, Job, JobKind, JobStanding, JobState};
use embudo_domain::timeline::SentJob;
use embudo_domain::watched_loop::LoopStep;
use embudo_domain::{EmpresaId, JobId, LeadId, Timestamp};

use crate::Result;
use crate::loop_deadlines::OverdueLoop;
use crate::outbox_admin::{DueJobs, JobCount, ListedJob, StandingCount};
use crate::pauses::Pause;
use crate::row::Columns;

pub fn job(c: &Columns<'_>) -> Result<Job> {
    Ok(Job {
        id: JobId(c.get("id")?),
        lead: LeadId(c.get("lead_id")?),
        empresa: EmpresaId(c.get("empresa_id")?),
        kind: c.word("tipo", JobKind::parse)?,
        payload: c.get("carga")?,
        state: c.word("estado", JobState::parse)?,
        intentos: c.get("intentos")?,
        proximo_en: c.get("proximo_en")?,
        en_duda: c.get("en_duda")?,
        ultimo_error: c.get("ultimo_error")?,
        creado_en: c.get("creado_en")?,
        terminado_en: c.get("terminado_en")?,
        repeats: c.get::<Option<_>>("repite")?.map(JobId),
    })
}

pub fn job_count(c: &Columns<'_>) -> Result<JobCount> {
    Ok(JobCount {
        kind: c.word("tipo", JobKind::parse)?,
        state: c.word("estado", JobState::parse)?,
        count: c.get("how_many")?,
    })
}

pub fn due_jobs(c: &Columns<'_>) -> Result<DueJobs> {
    Ok(DueJobs { kind: c.word("tipo", JobKind::parse)?, count: c.get("how_many")?, oldest: c.get("oldest")? })
}

pub fn listed_job(c: &Columns<'_>) -> Result<ListedJob> {
    Ok(ListedJob {
        id: JobId(c.get("id")?),
        lead: LeadId(c.get("lead_id")?),
        nombre: c.get("nombre")?,
        empresa: EmpresaId(c.get("empresa_id")?),
        kind: c.word("tipo", JobKind::parse)?,
        standing: c.word("standing", JobStanding::parse)?,
        intentos: c.get("intentos")?,
        proximo_en: c.get("proximo_en")?,
        ultimo_error: c.get("ultimo_error")?,
        creado_en: c.get("creado_en")?,
        terminado_en: c.get("terminado_en")?,
    })
}

pub fn standing_count(c: &Columns<'_>) -> Result<StandingCount> {
    let standing = c.word("standing", JobStanding::parse)?;
    Ok(StandingCount { standing, count: c.get("how_many")? })
}

/// `None` is a kind that this version does not know.
pub fn paused_kind(c: &Columns<'_>) -> Result<(EmpresaId, Option<JobKind>)> {
    Ok((EmpresaId(c.get("empresa_id")?), JobKind::parse(&c.get::<String>("tipo")?)))
}

pub fn pause(c: &Columns<'_>) -> Result<Pause> {
    Ok(Pause { kind: c.word("tipo", JobKind::parse)?, since: c.get("desde")?, who: c.get("quien")? })
}

/// A job and an entry of its delivery log; no entry if nothing was tried yet.
pub fn job_with_delivery(c: &Columns<'_>) -> Result<(Job, Option<Delivery>)> {
    let is_tried = c.get::<Option<Timestamp>>("inicio")?.is_some();
    Ok((job(c)?, is_tried.then(|| delivery(c)).transpose()?))
}

/// A job for its lead's timeline, without its attempts.
pub fn sent_job(c: &Columns<'_>) -> Result<SentJob> {
    Ok(SentJob {
        id: JobId(c.get("id")?),
        kind: c.word("tipo", JobKind::parse)?,
        state: c.word("estado", JobState::parse)?,
        intentos: c.get("intentos")?,
        proximo_en: c.get("proximo_en")?,
        ultimo_error: c.get("ultimo_error")?,
        creado_en: c.get("creado_en")?,
        terminado_en: c.get("terminado_en")?,
        deliveries: Vec::new(),
    })
}

/// An attempt and its job.
pub fn delivery_of(c: &Columns<'_>) -> Result<(JobId, Delivery)> {
    Ok((JobId(c.get("trabajo_id")?), delivery(c)?))
}

fn delivery(c: &Columns<'_>) -> Result<Delivery> {
    Ok(Delivery {
        start: c.get("inicio")?,
        duracion_ms: c.get("duracion_ms")?,
        ok: c.get("ok")?,
        status: c.get("status")?,
        error: c.get("error")?,
        answer: c.get("respuesta")?,
    })
}

/// A lead whose step in the loop is overdue.
pub fn overdue(c: &Columns<'_>) -> Result<OverdueLoop> {
    Ok(OverdueLoop {
        lead: LeadId(c.get("id")?),
        step: c.word("bucle_paso", LoopStep::parse)?,
        resignals: c.get("bucle_resenales")?,
    })
}
