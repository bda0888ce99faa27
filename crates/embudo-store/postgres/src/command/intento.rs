//! Contact attempts.

use embudo_store::Result;
use embudo_store::command::RecordIntento;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::{by_lead, len, run_on_leads};
use crate::failure::Step;
use crate::rows::Instante;
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
        let canales: Vec<&str> = rows.iter().map(|c| c.intento.canal.as_str()).collect();
        let numeros: Vec<i64> = rows.iter().map(|c| c.intento.numero_intento).collect();
        let resultados: Vec<Option<&str>> =
            rows.iter().map(|c| c.intento.resultado.map(embudo_domain::intento::Resultado::as_str)).collect();
        let completados: Vec<bool> = rows.iter().map(|c| c.intento.completado).collect();
        let duraciones: Vec<Option<i64>> = rows.iter().map(|c| c.intento.duracion_seg).collect();
        let notas: Vec<Option<&str>> = rows.iter().map(|c| c.intento.notas.as_deref()).collect();
        let metadata: Vec<Option<&str>> = rows.iter().map(|c| c.intento.metadata.as_deref()).collect();
        let times: Vec<Instante> = rows.iter().map(|c| c.en.into()).collect();
        let values: [&(dyn ToSql + Sync); 10] = [
            &ids,
            &leads,
            &canales,
            &numeros,
            &resultados,
            &completados,
            &duraciones,
            &notas,
            &metadata,
            &times,
        ];
        run_on_leads(on, group, RECORD, &values).await
    }
}
