//! The quotes' trait, method by method. Where a command leaves work for whoever comes, the others are told after its commit.

use async_trait::async_trait;
use embudo_domain::brand::Brand;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::empresa::Empresa;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::rendition::Rendition;
use embudo_domain::{Digest, EmpresaId, LeadId, PresupuestoId, Timestamp};
use embudo_store::presupuestos::{
    AnswerPresupuesto, AnswerResult, CompletePresupuesto, DraftPresupuesto, StoredBrand, StoredTarifa,
};
use embudo_store::{Presupuestos, Result, read};
use jiff::civil::Date;

use crate::PgStore;
use crate::command::{business, lead, presupuesto};
use crate::patience::patiently;

#[async_trait]
impl Presupuestos for PgStore {
    async fn draft_presupuesto(&self, command: DraftPresupuesto) -> Result<Presupuesto> {
        patiently!(self, self.turns.on(command.lead.0), presupuesto::draft(&self.pool, &command))
    }

    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool> {
        let end = patiently!(self, self.turns.on(command.id.0), presupuesto::complete(&self.pool, &command))?;
        self.tell_of(end == Some(true));
        Ok(end.is_some())
    }

    async fn presupuesto(&self, id: PresupuestoId) -> Result<Presupuesto> {
        read::presupuesto(self, id).await
    }

    async fn presupuestos(&self, lead: LeadId) -> Result<Vec<Presupuesto>> {
        read::presupuestos(self, lead).await
    }

    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<AnswerResult> {
        let (answer_result, loose) =
            patiently!(self, self.turns.on(command.id.0), presupuesto::answer(&self.pool, &command))?;
        self.tell_of(loose);
        Ok(answer_result)
    }

    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: StoredTarifa) -> Result<()> {
        patiently!(self, self.turns.command(), business::save_tarifa(&self.pool, empresa, &tarifa))
    }

    async fn tarifas(&self, empresa: EmpresaId) -> Result<Vec<StoredTarifa>> {
        read::tarifas(self, empresa).await
    }

    async fn current_tarifa(&self, empresa: EmpresaId, day: Date) -> Result<Option<StoredTarifa>> {
        read::tarifa_in_force(self, empresa, day).await
    }

    async fn save_brand(&self, empresa: EmpresaId, brand: Brand) -> Result<()> {
        patiently!(self, self.turns.command(), business::save_brand(&self.pool, empresa, &brand))
    }

    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()> {
        patiently!(self, self.turns.command(), business::save_logo(&self.pool, empresa, logo.as_deref()))
    }

    async fn brand(&self, empresa: EmpresaId) -> Result<StoredBrand> {
        read::brand(self, empresa).await
    }

    async fn logo(&self, empresa: EmpresaId) -> Result<Option<Vec<u8>>> {
        read::logo(self, empresa).await
    }

    async fn empresa_by_slug(&self, slug: Option<String>) -> Result<Option<Empresa>> {
        read::empresa_by_slug(self, slug.as_deref()).await
    }

    async fn ensure_secret(&self, nombre: String, proposed: [u8; 32]) -> Result<[u8; 32]> {
        patiently!(self, self.turns.command(), business::ensure_secret(&self.pool, &nombre, proposed))
    }

    async fn save_rendition(&self, rendition: Rendition, swept: Vec<(Digest, i64)>) -> Result<()> {
        patiently!(
            self,
            self.turns.on(rendition.lead.0),
            business::save_rendition(&self.pool, &rendition, &swept)
        )
    }

    async fn renditions(&self, lead: LeadId) -> Result<Vec<Rendition>> {
        read::renditions(self, lead).await
    }

    async fn record_consentimientos(
        &self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
        at: Timestamp,
    ) -> Result<()> {
        patiently!(
            self,
            self.turns.on(lead.0),
            lead::record_consentimientos(&self.pool, lead, &consentimientos, at)
        )
    }
}
