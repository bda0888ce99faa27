//! Qualifications: one row per lead, later calls over earlier ones.

use std::borrow::Cow;

use embudo_domain::calificacion::Calificacion;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::Result;
use embudo_store::lead_writes::UpsertCalificacion;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::{by_lead, len, run_on_leads};
use crate::failure::Step;
use crate::rows::Instant;
use crate::writer::{Grouped, Session};

/// What the calls for one lead say together; the first one's time and the last one's.
struct Row<'a> {
    lead: LeadId,
    calificacion: Cow<'a, Calificacion>,
    creado_en: Timestamp,
    actualizado_en: Timestamp,
}

const UPSERT: &str = include_str!("../../sql/calificacion/upsert.sql");

impl Grouped for UpsertCalificacion {
    type End = ();

    fn sql() -> Vec<&'static str> {
        vec![UPSERT]
    }

    fn key(&self) -> Uuid {
        self.lead.0
    }

    fn bytes(&self) -> usize {
        len(self.calificacion.criterios.as_ref()) + len(self.calificacion.notas_agente.as_ref())
    }

    async fn run(on: &Session<'_>, group: &[&Self]) -> Step<Vec<Result<()>>> {
        let rows = overlaid(&by_lead(group));
        let leads: Vec<Uuid> = rows.iter().map(|f| f.lead.0).collect();
        let scores: Vec<Option<i64>> = rows.iter().map(|f| f.calificacion.score).collect();
        let levels: Vec<Option<&str>> = rows
            .iter()
            .map(|f| f.calificacion.nivel.map(embudo_domain::calificacion::Nivel::as_str))
            .collect();
        let criterios: Vec<Option<&str>> = rows.iter().map(|f| f.calificacion.criterios.as_deref()).collect();
        let notas: Vec<Option<&str>> = rows.iter().map(|f| f.calificacion.notas_agente.as_deref()).collect();
        let created: Vec<Instant> = rows.iter().map(|f| f.creado_en.into()).collect();
        let updated: Vec<Instant> = rows.iter().map(|f| f.actualizado_en.into()).collect();
        let values: [&(dyn ToSql + Sync); 7] =
            [&leads, &scores, &levels, &criterios, &notas, &created, &updated];
        run_on_leads(on, group, UPSERT, &values).await
    }
}

fn overlaid<'a>(batch: &[&'a UpsertCalificacion]) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::with_capacity(batch.len());
    for c in batch {
        match rows.last_mut().filter(|f| f.lead == c.lead) {
            Some(row) => {
                let Calificacion { score, nivel, criterios, notas_agente } = c.calificacion.clone();
                let under = row.calificacion.to_mut();
                under.score = score.or(under.score);
                under.nivel = nivel.or(under.nivel);
                under.criterios = criterios.or_else(|| under.criterios.take());
                under.notas_agente = notas_agente.or_else(|| under.notas_agente.take());
                row.actualizado_en = c.at;
            }
            None => rows.push(Row {
                lead: c.lead,
                calificacion: Cow::Borrowed(&c.calificacion),
                creado_en: c.at,
                actualizado_en: c.at,
            }),
        }
    }
    rows
}
