//! Rows of the outbox and of the watched loop.

use embudo_domain::job::{Delivery, Job, JobKind, JobState};
use embudo_domain::watched_loop::{CameBack, LoopStep, WatchedLoop};
use embudo_domain::{EmpresaId, JobId, LeadId};
use embudo_store::finish::Seen;
use embudo_store::outbox::{JobCount, OverdueLoop};
use tokio_postgres::Row;

use super::{damaged, opt_timestamp, opt_word, timestamp, word};
use crate::failure::Step;

/// A count that the domain keeps in 32 bits.
fn count(row: &Row, column: &str) -> Step<u32> {
    Ok(u32::try_from(row.try_get::<_, i64>(column)?).map_err(|_| damaged(column))?)
}

/// A job.
pub(crate) fn job(row: &Row) -> Step<Job> {
    Ok(Job {
        id: JobId(row.try_get("id")?),
        lead: LeadId(row.try_get("lead_id")?),
        empresa: EmpresaId(row.try_get("empresa_id")?),
        kind: word(row, "tipo", JobKind::parse)?,
        payload: row.try_get("carga")?,
        state: word(row, "estado", JobState::parse)?,
        intentos: count(row, "intentos")?,
        proximo_en: timestamp(row, "proximo_en")?,
        en_duda: row.try_get("en_duda")?,
        ultimo_error: row.try_get("ultimo_error")?,
        creado_en: timestamp(row, "creado_en")?,
        terminado_en: opt_timestamp(row, "terminado_en")?,
    })
}

/// A job that a process holds, with what the end of an attempt is decided by; where the lead stands comes from elsewhere.
pub(crate) struct Held {
    pub(crate) lead: LeadId,
    pub(crate) empresa: uuid::Uuid,
    pub(crate) seen: Seen,
}

pub(crate) fn held(row: &Row) -> Step<Held> {
    let return_to = |renders, finalizar| -> Step<CameBack> {
        Ok(CameBack { renders: row.try_get(renders)?, finalizar: row.try_get(finalizar)? })
    };
    let seen = Seen {
        kind: word(row, "tipo", JobKind::parse)?,
        en_duda: row.try_get("en_duda")?,
        ultimo_error: row.try_get("ultimo_error")?,
        has_newer: row.try_get("has_newer")?,
        since_sent: return_to("sent_renders", "sent_finalizar")?,
        since_made: return_to("made_renders", "made_finalizar")?,
        watched_loop: None,
    };
    Ok(Held { lead: LeadId(row.try_get("lead_id")?), empresa: row.try_get("empresa_id")?, seen })
}

/// How many jobs of a kind are in a state.
pub(crate) fn job_count(row: &Row) -> Step<JobCount> {
    Ok(JobCount {
        kind: word(row, "tipo", JobKind::parse)?,
        state: word(row, "estado", JobState::parse)?,
        count: u64::try_from(row.try_get::<_, i64>("cuantos")?).map_err(|_| damaged("count"))?,
    })
}

/// A line of the delivery log.
pub(crate) fn delivery(row: &Row) -> Step<Delivery> {
    let status = row.try_get::<_, Option<i32>>("status")?.map(u16::try_from).transpose();
    Ok(Delivery {
        start: timestamp(row, "inicio")?,
        duracion_ms: row.try_get("duracion_ms")?,
        ok: row.try_get("ok")?,
        status: status.map_err(|_| damaged("status"))?,
        error: row.try_get("error")?,
        answer: row.try_get("respuesta")?,
    })
}

/// Where a lead stands in the loop.
pub(crate) fn watched_loop(row: &Row) -> Step<Option<WatchedLoop>> {
    let Some(step) = opt_word(row, "bucle_paso", LoopStep::parse)? else { return Ok(None) };
    Ok(Some(WatchedLoop {
        step,
        since: timestamp(row, "bucle_desde")?,
        limit: timestamp(row, "bucle_limite")?,
        overdue: row.try_get("bucle_vencido")?,
        resignals: count(row, "bucle_resenales")?,
    }))
}

/// A lead whose step is overdue.
pub(crate) fn overdue(row: &Row) -> Step<OverdueLoop> {
    Ok(OverdueLoop {
        lead: LeadId(row.try_get("id")?),
        step: word(row, "bucle_paso", LoopStep::parse)?,
        resignals: count(row, "bucle_resenales")?,
    })
}
