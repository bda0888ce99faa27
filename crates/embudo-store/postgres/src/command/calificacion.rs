//! Qualifications: one row per lead, later calls overwrite earlier ones.

use std::borrow::Cow;

use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::{LeadId, Timestamp};
use embudo_store::Result;
use embudo_store::lead_writes::UpsertCalificacion;
use uuid::Uuid;

use super::{by_lead, column, len, run_on_leads};
use crate::failure::Step;
use crate::rows::Instant;
use crate::statement::{Sql, params, sql};
use crate::writer::{Grouped, Session};

/// The calls for one lead, merged, with the time of the first one and of the last one.
struct Row<'a> {
    lead: LeadId,
    calificacion: Cow<'a, Calificacion>,
    creado_en: Timestamp,
    actualizado_en: Timestamp,
}

static UPSERT: &Sql = sql!("calificacion/upsert.sql");

impl Grouped for UpsertCalificacion {
    type End = ();

    fn sql() -> Vec<&'static Sql> {
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
        let params = params! {
            lead: column(&rows, |f| f.lead.0),
            score: column(&rows, |f| f.calificacion.score),
            nivel: column(&rows, |f| f.calificacion.nivel.map(Nivel::as_str)),
            criterios: column(&rows, |f| f.calificacion.criterios.as_deref()),
            notas_agente: column(&rows, |f| f.calificacion.notas_agente.as_deref()),
            creado_en: column(&rows, |f| Instant::from(f.creado_en)),
            actualizado_en: column(&rows, |f| Instant::from(f.actualizado_en)),
        };
        run_on_leads(on, group, UPSERT, params).await
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
