//! Contact attempts.

use embudo_store::Result;
use embudo_store::lead_writes::RecordIntento;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::{by_lead, len, run_on_leads};
use crate::failure::Step;
use crate::rows::Instant;
use crate::writer::{Grouped, Session};

const RECORD: &str = include_str!("../../sql/intento/record.sql");

impl Grouped for RecordIntento {
    type End = ();

    fn sql() -> Vec<&'static str> {
        vec![RECORD]
    }

    fn key(&self) -> Uuid {
        self.lead.0
    }

    fn bytes(&self) -> usize {
        len(self.intento.notas.as_ref()) + len(self.intento.metadata.as_ref())
    }

    async fn run(on: &Session<'_>, group: &[&Self]) -> Step<Vec<Result<()>>> {
        let rows = by_lead(group);
        let ids: Vec<Uuid> = rows.iter().map(|c| c.id.0).collect();
        let leads: Vec<Uuid> = rows.iter().map(|c| c.lead.0).collect();
        let channels: Vec<&str> = rows.iter().map(|c| c.intento.channel.as_str()).collect();
        let numbers: Vec<i64> = rows.iter().map(|c| c.intento.numero_intento).collect();
        let results: Vec<Option<&str>> =
            rows.iter().map(|c| c.intento.result.map(embudo_domain::intento::JobOutcome::as_str)).collect();
        let completed: Vec<bool> = rows.iter().map(|c| c.intento.completed).collect();
        let durations: Vec<Option<i64>> = rows.iter().map(|c| c.intento.duracion_seg).collect();
        let notas: Vec<Option<&str>> = rows.iter().map(|c| c.intento.notas.as_deref()).collect();
        let metadata: Vec<Option<&str>> = rows.iter().map(|c| c.intento.metadata.as_deref()).collect();
        let times: Vec<Instant> = rows.iter().map(|c| c.at.into()).collect();
        let values: [&(dyn ToSql + Sync); 10] =
            [&ids, &leads, &channels, &numbers, &results, &completed, &durations, &notas, &metadata, &times];
        run_on_leads(on, group, RECORD, &values).await
    }
}
