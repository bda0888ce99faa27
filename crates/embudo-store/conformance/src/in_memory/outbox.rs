//! The model's outbox behind the trait.

use async_trait::async_trait;
use embudo_domain::trabajo::{Entrega, TipoTrabajo, Trabajo};
use embudo_domain::{ProcesoId, Timestamp, TrabajoId};

use super::Memoria;
use embudo_store::cola::{
    Arriendo, BucleVencido, Cola, Cupo, FiltroTrabajos, FinIntento, JobCount, VencerBucle,
};
use embudo_store::{Outcome, Result};

#[async_trait]
impl Cola for Memoria {
    async fn claim(&self, cupos: Vec<Cupo>, arriendo: Arriendo, ahora: Timestamp) -> Result<Vec<Trabajo>> {
        Ok(self.mundo().tomar(&cupos, arriendo, ahora))
    }

    async fn renew(&self, ids: Vec<TrabajoId>, arriendo: Arriendo) -> Result<Vec<TrabajoId>> {
        Ok(self.mundo().renovar(&ids, arriendo))
    }

    async fn release(&self, quien: ProcesoId) -> Result<u64> {
        Ok(self.mundo().soltar(quien))
    }

    async fn begin_send(&self, id: TrabajoId, quien: ProcesoId) -> Result<bool> {
        Ok(self.mundo().entregar(id, quien))
    }

    async fn finish(&self, fin: FinIntento) -> Result<bool> {
        Ok(self.mundo().terminar(fin))
    }

    async fn next_due(&self, tipos: Vec<TipoTrabajo>) -> Result<Option<Timestamp>> {
        let (libre, arrendado) = self.mundo().proximo(&tipos);
        // A lease of the model ends on a clock without dates; any moment to come will do.
        let al_vencer = Timestamp::now() + std::time::Duration::from_secs(3600);
        Ok(libre.or(arrendado.then_some(al_vencer)))
    }

    async fn woken(&self) {
        std::future::pending::<()>().await;
    }

    async fn trabajo(&self, id: TrabajoId) -> Result<(Trabajo, Vec<Entrega>)> {
        self.mundo().puesto(id).map(|p| (p.trabajo.clone(), p.entregas.clone()))
    }

    async fn trabajos(&self, ids: Vec<TrabajoId>) -> Result<Vec<Trabajo>> {
        let mundo = self.mundo();
        Ok(ids.into_iter().filter_map(|id| Some(mundo.puesto(id).ok()?.trabajo.clone())).collect())
    }

    async fn list_trabajos(
        &self,
        filtro: FiltroTrabajos,
        despues_de: Option<(Timestamp, TrabajoId)>,
        limit: u32,
    ) -> Result<Vec<Trabajo>> {
        let mut lista = self.mundo().lista_trabajos(&filtro);
        lista.retain(|t| despues_de.is_none_or(|d| (t.creado_en, t.id) < d));
        lista.truncate(limit as usize);
        Ok(lista)
    }

    async fn count_trabajos(&self) -> Result<Vec<JobCount>> {
        Ok(self.mundo().recuento())
    }

    async fn retry(&self, id: TrabajoId, en: Timestamp) -> Result<()> {
        self.mundo().reintentar(id, en)
    }

    async fn discard(&self, id: TrabajoId, en: Timestamp) -> Result<()> {
        self.mundo().descartar(id, en)
    }

    async fn purge_trabajos(&self, antes: Timestamp, max: u32) -> Result<u64> {
        Ok(self.mundo().purgar_trabajos(antes, max))
    }

    async fn complete_outcome(
        &self,
        ambito: String,
        clave: String,
        outcome: Outcome,
        expira_en: Option<Timestamp>,
    ) -> Result<()> {
        self.mundo().completar(ambito, clave, &outcome, expira_en);
        Ok(())
    }

    async fn bucles_vencidos(&self, ahora: Timestamp, max: u32) -> Result<Vec<BucleVencido>> {
        Ok(self.mundo().vencidos(ahora).into_iter().take(max as usize).collect())
    }

    async fn vencer_bucle(&self, command: VencerBucle) -> Result<bool> {
        Ok(self.mundo().vencer(command))
    }
}
