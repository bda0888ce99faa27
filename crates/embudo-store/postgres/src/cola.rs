//! The outbox's trait, method by method. Where a command leaves work for whoever comes, the others are told after its commit.

use async_trait::async_trait;
use embudo_domain::trabajo::{Entrega, TipoTrabajo, Trabajo};
use embudo_domain::{ProcesoId, Timestamp, TrabajoId};
use embudo_store::cola::{Arriendo, BucleVencido, Cupo, FiltroTrabajos, FinIntento, JobCount, VencerBucle};
use embudo_store::{Cola, Outcome, Result};

use crate::PgStore;
use crate::command::{bucle, cola, idempotencia};
use crate::patience::patiently;
use crate::query;

#[async_trait]
impl Cola for PgStore {
    async fn claim(&self, cupos: Vec<Cupo>, arriendo: Arriendo, ahora: Timestamp) -> Result<Vec<Trabajo>> {
        patiently!(self, self.turns.command(), cola::claim(&self.pool, &cupos, arriendo, ahora))
    }

    async fn renew(&self, ids: Vec<TrabajoId>, arriendo: Arriendo) -> Result<Vec<TrabajoId>> {
        patiently!(self, cola::renew(&self.vital, &ids, arriendo))
    }

    async fn release(&self, quien: ProcesoId) -> Result<u64> {
        let released = patiently!(self, cola::release(&self.vital, quien))?;
        if released > 0 {
            self.announcer.now().await;
        }
        Ok(released)
    }

    async fn begin_send(&self, id: TrabajoId, quien: ProcesoId) -> Result<bool> {
        patiently!(self, self.turns.command(), cola::begin_send(&self.pool, id, quien))
    }

    async fn finish(&self, fin: FinIntento) -> Result<bool> {
        let end = self.write(fin).await?;
        self.tell_of(end == Some(true));
        Ok(end.is_some())
    }

    async fn next_due(&self, tipos: Vec<TipoTrabajo>) -> Result<Option<Timestamp>> {
        patiently!(self, query::next_due(&self.pool, &tipos))
    }

    async fn woken(&self) {
        self.listener.heard().await;
    }

    async fn trabajo(&self, id: TrabajoId) -> Result<(Trabajo, Vec<Entrega>)> {
        patiently!(self, query::trabajo(&self.pool, id))
    }

    async fn trabajos(&self, ids: Vec<TrabajoId>) -> Result<Vec<Trabajo>> {
        patiently!(self, query::trabajos(&self.pool, &ids))
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
        patiently!(self, query::list_trabajos(&self.pool, &filtro, despues_de, limit))
    }

    async fn count_trabajos(&self) -> Result<Vec<JobCount>> {
        patiently!(self, query::count_trabajos(&self.pool))
    }

    async fn retry(&self, id: TrabajoId, en: Timestamp) -> Result<()> {
        patiently!(self, self.turns.command(), cola::retry(&self.pool, id, en))?;
        self.announcer.now().await;
        Ok(())
    }

    async fn discard(&self, id: TrabajoId, en: Timestamp) -> Result<()> {
        patiently!(self, self.turns.command(), cola::discard(&self.pool, id, en))
    }

    async fn purge_trabajos(&self, antes: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), cola::purge(&self.pool, antes, max))
    }

    async fn complete_outcome(
        &self,
        ambito: String,
        clave: String,
        outcome: Outcome,
        expira_en: Option<Timestamp>,
    ) -> Result<()> {
        patiently!(
            self,
            self.turns.command(),
            idempotencia::complete(&self.pool, &ambito, &clave, &outcome, expira_en)
        )
    }

    async fn bucles_vencidos(&self, ahora: Timestamp, max: u32) -> Result<Vec<BucleVencido>> {
        patiently!(self, query::bucles_vencidos(&self.pool, ahora, max))
    }

    async fn vencer_bucle(&self, command: VencerBucle) -> Result<bool> {
        let end = patiently!(self, self.turns.on(command.lead.0), bucle::vencer(&self.pool, &command))?;
        self.tell_of(end == Some(true));
        Ok(end.is_some())
    }
}

impl PgStore {
    /// Tells the other processes, if there is something for them.
    pub(crate) fn tell_of(&self, sueltos: bool) {
        if sueltos {
            self.announcer.soon();
        }
    }
}
