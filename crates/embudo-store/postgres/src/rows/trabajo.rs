//! Rows of the outbox and of the watched loop.

use embudo_domain::bucle::{Bucle, PasoBucle, Vuelta};
use embudo_domain::trabajo::{Entrega, EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_domain::{EmpresaId, LeadId, TrabajoId};
use embudo_store::cola::{BucleVencido, JobCount};
use embudo_store::finish::Seen;
use tokio_postgres::Row;

use super::{damaged, opt_timestamp, opt_word, timestamp, word};
use crate::failure::Step;

/// A count that the domain keeps in 32 bits.
fn count(row: &Row, column: &str) -> Step<u32> {
    Ok(u32::try_from(row.try_get::<_, i64>(column)?).map_err(|_| damaged(column))?)
}

/// A job.
pub(crate) fn trabajo(row: &Row) -> Step<Trabajo> {
    Ok(Trabajo {
        id: TrabajoId(row.try_get("id")?),
        lead: LeadId(row.try_get("lead_id")?),
        empresa: EmpresaId(row.try_get("empresa_id")?),
        tipo: word(row, "tipo", TipoTrabajo::parse)?,
        carga: row.try_get("carga")?,
        estado: word(row, "estado", EstadoTrabajo::parse)?,
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
    let vuelta = |renders, finalizar| -> Step<Vuelta> {
        Ok(Vuelta { renders: row.try_get(renders)?, finalizar: row.try_get(finalizar)? })
    };
    let seen = Seen {
        tipo: word(row, "tipo", TipoTrabajo::parse)?,
        en_duda: row.try_get("en_duda")?,
        ultimo_error: row.try_get("ultimo_error")?,
        has_newer: row.try_get("has_newer")?,
        since_sent: vuelta("sent_renders", "sent_finalizar")?,
        since_made: vuelta("made_renders", "made_finalizar")?,
        bucle: None,
    };
    Ok(Held { lead: LeadId(row.try_get("lead_id")?), empresa: row.try_get("empresa_id")?, seen })
}

/// How many jobs of a kind are in a state.
pub(crate) fn job_count(row: &Row) -> Step<JobCount> {
    Ok(JobCount {
        tipo: word(row, "tipo", TipoTrabajo::parse)?,
        estado: word(row, "estado", EstadoTrabajo::parse)?,
        count: u64::try_from(row.try_get::<_, i64>("cuantos")?).map_err(|_| damaged("count"))?,
    })
}

/// A line of the delivery log.
pub(crate) fn entrega(row: &Row) -> Step<Entrega> {
    let status = row.try_get::<_, Option<i32>>("status")?.map(u16::try_from).transpose();
    Ok(Entrega {
        inicio: timestamp(row, "inicio")?,
        duracion_ms: row.try_get("duracion_ms")?,
        ok: row.try_get("ok")?,
        status: status.map_err(|_| damaged("status"))?,
        error: row.try_get("error")?,
        respuesta: row.try_get("respuesta")?,
    })
}

/// Where a lead stands in the loop.
pub(crate) fn bucle(row: &Row) -> Step<Option<Bucle>> {
    let Some(paso) = opt_word(row, "bucle_paso", PasoBucle::parse)? else { return Ok(None) };
    Ok(Some(Bucle {
        paso,
        desde: timestamp(row, "bucle_desde")?,
        limite: timestamp(row, "bucle_limite")?,
        vencido: row.try_get("bucle_vencido")?,
        resenales: count(row, "bucle_resenales")?,
    }))
}

/// A lead whose step is overdue.
pub(crate) fn vencido(row: &Row) -> Step<BucleVencido> {
    Ok(BucleVencido {
        lead: LeadId(row.try_get("id")?),
        paso: word(row, "bucle_paso", PasoBucle::parse)?,
        resenales: count(row, "bucle_resenales")?,
    })
}
