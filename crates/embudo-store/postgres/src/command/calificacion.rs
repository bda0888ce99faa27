//! Qualifications: one row per lead, later calls over earlier ones.

use std::borrow::Cow;

use embudo_domain::calificacion::Calificacion;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::Result;
use embudo_store::command::UpsertCalificacion;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::{by_lead, len, run_on_leads};
use crate::failure::Step;
use crate::rows::Instante;
use crate::writer::{Grouped, Session};

/// What the calls for one lead say together; the first one's time and the last one's.
struct Fila<'a> {
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
        let filas = overlaid(&by_lead(group));
        let leads: Vec<Uuid> = filas.iter().map(|f| f.lead.0).collect();
        let scores: Vec<Option<i64>> = filas.iter().map(|f| f.calificacion.score).collect();
        let niveles: Vec<Option<&str>> = filas
            .iter()
            .map(|f| f.calificacion.nivel.map(embudo_domain::calificacion::Nivel::as_str))
            .collect();
        let criterios: Vec<Option<&str>> =
            filas.iter().map(|f| f.calificacion.criterios.as_deref()).collect();
        let notas: Vec<Option<&str>> = filas.iter().map(|f| f.calificacion.notas_agente.as_deref()).collect();
        let creados: Vec<Instante> = filas.iter().map(|f| f.creado_en.into()).collect();
        let actualizados: Vec<Instante> = filas.iter().map(|f| f.actualizado_en.into()).collect();
        let values: [&(dyn ToSql + Sync); 7] =
            [&leads, &scores, &niveles, &criterios, &notas, &creados, &actualizados];
        run_on_leads(on, group, UPSERT, &values).await
    }
}

fn overlaid<'a>(batch: &[&'a UpsertCalificacion]) -> Vec<Fila<'a>> {
    let mut filas: Vec<Fila<'a>> = Vec::with_capacity(batch.len());
    for c in batch {
        match filas.last_mut().filter(|f| f.lead == c.lead) {
            Some(fila) => {
                let Calificacion { score, nivel, criterios, notas_agente } = c.calificacion.clone();
                let under = fila.calificacion.to_mut();
                under.score = score.or(under.score);
                under.nivel = nivel.or(under.nivel);
                under.criterios = criterios.or_else(|| under.criterios.take());
                under.notas_agente = notas_agente.or_else(|| under.notas_agente.take());
                fila.actualizado_en = c.en;
            }
            None => filas.push(Fila {
                lead: c.lead,
                calificacion: Cow::Borrowed(&c.calificacion),
                creado_en: c.en,
                actualizado_en: c.en,
            }),
        }
    }
    filas
}
