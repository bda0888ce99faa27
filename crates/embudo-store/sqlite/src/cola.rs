//! The outbox's half of the trait, method by method.

use async_trait::async_trait;
use embudo_domain::trabajo::{Entrega, TipoTrabajo, Trabajo};
use embudo_domain::{ProcesoId, Timestamp, TrabajoId};
use embudo_store::cola::{Arriendo, BucleVencido, Cupo, FiltroTrabajos, FinIntento, JobCount, VencerBucle};
use embudo_store::{Cola, Outcome, Result};

use crate::SqliteStore;
use crate::command::{bucle, cola, housekeeping};
use crate::query::trabajos;
use crate::store::{ROW, bytes_of};
use crate::writer::Shape;

#[async_trait]
impl Cola for SqliteStore {
    async fn claim(&self, cupos: Vec<Cupo>, arriendo: Arriendo, ahora: Timestamp) -> Result<Vec<Trabajo>> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| cola::claim(c, &cupos, arriendo, ahora)).await
    }

    async fn renew(&self, ids: Vec<TrabajoId>, arriendo: Arriendo) -> Result<Vec<TrabajoId>> {
        let bytes = ROW * ids.len();
        self.writer.run(Shape::Several, bytes, move |c| cola::renew(c, ids, arriendo)).await
    }

    async fn release(&self, quien: ProcesoId) -> Result<u64> {
        self.writer.run(Shape::Single, ROW, move |c| cola::release(c, quien)).await
    }

    async fn begin_send(&self, id: TrabajoId, quien: ProcesoId) -> Result<bool> {
        self.writer.run(Shape::Single, ROW, move |c| cola::begin_send(c, id, quien)).await
    }

    async fn finish(&self, fin: FinIntento) -> Result<bool> {
        let texts = [&fin.entrega.error, &fin.entrega.respuesta];
        let bytes = 4 * ROW + texts.into_iter().flatten().map(String::len).sum::<usize>();
        let bytes = bytes + bytes_of(&fin.trabajos);
        self.writer.run(Shape::Several, bytes, move |c| cola::finish(c, &fin)).await
    }

    async fn next_due(&self, tipos: Vec<TipoTrabajo>) -> Result<Option<Timestamp>> {
        self.readers.run(move |c| trabajos::next_due(c, &tipos)).await
    }

    /// Only the command line writes beside this process, and the worker looks by itself every few seconds.
    async fn woken(&self) {
        std::future::pending::<()>().await;
    }

    async fn trabajo(&self, id: TrabajoId) -> Result<(Trabajo, Vec<Entrega>)> {
        self.readers.run(move |c| trabajos::trabajo(c, id)).await
    }

    async fn trabajos(&self, ids: Vec<TrabajoId>) -> Result<Vec<Trabajo>> {
        self.readers.run(move |c| trabajos::trabajos(c, &ids)).await
    }

    async fn recien_hechos(&self, ids: Vec<TrabajoId>) -> Result<Vec<Trabajo>> {
        match self.recientes.tomar(&ids) {
            Some(trabajos) => Ok(trabajos),
            None => self.trabajos(ids).await,
        }
    }

    async fn list_trabajos(
        &self,
        filtro: FiltroTrabajos,
        despues_de: Option<(Timestamp, TrabajoId)>,
        limit: u32,
    ) -> Result<Vec<Trabajo>> {
        self.readers.run(move |c| trabajos::list(c, &filtro, despues_de, limit)).await
    }

    async fn count_trabajos(&self) -> Result<Vec<JobCount>> {
        self.readers.run(trabajos::count).await
    }

    async fn retry(&self, id: TrabajoId, en: Timestamp) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| cola::retry(c, id, en)).await
    }

    async fn discard(&self, id: TrabajoId, en: Timestamp) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| cola::discard(c, id, en)).await
    }

    async fn purge_trabajos(&self, antes: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Several, ROW, move |c| cola::purge(c, antes, max)).await
    }

    async fn complete_outcome(
        &self,
        ambito: String,
        clave: String,
        outcome: Outcome,
        expira_en: Option<Timestamp>,
    ) -> Result<()> {
        let complete = move |c: &_| housekeeping::complete_outcome(c, &ambito, &clave, &outcome, expira_en);
        self.writer.run(Shape::Single, ROW, complete).await
    }

    async fn bucles_vencidos(&self, ahora: Timestamp, max: u32) -> Result<Vec<BucleVencido>> {
        self.readers.run(move |c| trabajos::bucles_vencidos(c, ahora, max)).await
    }

    async fn vencer_bucle(&self, command: VencerBucle) -> Result<bool> {
        let bytes = 2 * ROW + bytes_of(command.resenal.as_slice()) + bytes_of(&command.avisos);
        self.writer.run(Shape::Several, bytes, move |c| bucle::vencer(c, &command)).await
    }
}
