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
use embudo_store::{Presupuestos, Result};
use jiff::civil::Date;

use crate::PgStore;
use crate::command::{business, lead, presupuesto};
use crate::patience::patiently;
use crate::query;

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
        patiently!(self, query::presupuesto(&self.pool, id))
    }

    async fn presupuestos(&self, lead: LeadId) -> Result<Vec<Presupuesto>> {
        patiently!(self, query::presupuestos(&self.pool, lead))
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
        patiently!(self, query::tarifas(&self.pool, empresa))
    }

    async fn current_tarifa(&self, empresa: EmpresaId, day: Date) -> Result<Option<StoredTarifa>> {
        patiently!(self, query::current_tarifa(&self.pool, empresa, day))
    }

    async fn save_brand(&self, empresa: EmpresaId, brand: Brand) -> Result<()> {
        patiently!(self, self.turns.command(), business::save_brand(&self.pool, empresa, &brand))
    }

    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()> {
        patiently!(self, self.turns.command(), business::save_logo(&self.pool, empresa, logo.as_deref()))
    }

    async fn brand(&self, empresa: EmpresaId) -> Result<StoredBrand> {
        patiently!(self, query::brand(&self.pool, empresa))
    }

    async fn logo(&self, empresa: EmpresaId) -> Result<Option<Vec<u8>>> {
        patiently!(self, query::logo(&self.pool, empresa))
    }

    async fn empresa_by_slug(&self, slug: Option<String>) -> Result<Option<Empresa>> {
        patiently!(self, query::empresa_by_slug(&self.pool, slug.as_deref()))
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
        patiently!(self, query::renditions(&self.pool, lead))
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
