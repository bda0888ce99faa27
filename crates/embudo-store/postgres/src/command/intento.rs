//! Contact attempts.

use embudo_domain::LeadId;
use embudo_store::command::RecordIntento;
use tokio_postgres::{Error, GenericClient, Statement};
use uuid::Uuid;

use super::{Grouped, by_lead, len, missing};
use crate::rows::Instante;

impl Grouped for RecordIntento {
    const SQL: &'static str = include_str!("../../sql/intento/record.sql");

    fn lead(&self) -> LeadId {
        self.lead
    }

    fn bytes(&self) -> usize {
        len(self.intento.notas.as_ref()) + len(self.intento.metadata.as_ref())
    }

    async fn run<C: GenericClient + Sync>(
        client: &C,
        statement: &Statement,
        batch: &[&Self],
    ) -> Result<Vec<Uuid>, Error> {
        let batch = by_lead(batch);
        let ids: Vec<Uuid> = batch.iter().map(|c| c.id.0).collect();
        let leads: Vec<Uuid> = batch.iter().map(|c| c.lead.0).collect();
        let canales: Vec<&str> = batch.iter().map(|c| c.intento.canal.as_str()).collect();
        let numeros: Vec<i64> = batch.iter().map(|c| c.intento.numero_intento).collect();
        let resultados: Vec<Option<&str>> = batch
            .iter()
            .map(|c| c.intento.resultado.map(embudo_domain::intento::Resultado::as_str))
            .collect();
        let completados: Vec<bool> = batch.iter().map(|c| c.intento.completado).collect();
        let duraciones: Vec<Option<i64>> = batch.iter().map(|c| c.intento.duracion_seg).collect();
        let notas: Vec<Option<&str>> = batch.iter().map(|c| c.intento.notas.as_deref()).collect();
        let metadata: Vec<Option<&str>> = batch.iter().map(|c| c.intento.metadata.as_deref()).collect();
        let times: Vec<Instante> = batch.iter().map(|c| c.en.into()).collect();
        missing(
            client,
            statement,
            &[
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
            ],
        )
        .await
    }
}
