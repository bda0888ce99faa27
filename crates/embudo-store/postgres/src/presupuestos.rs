//! The quotes' trait, method by method. Where a command leaves work for whoever comes, the others are told after its commit.

use async_trait::async_trait;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::empresa::Empresa;
use embudo_domain::marca::Marca;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::rendicion::Rendicion;
use embudo_domain::{EmpresaId, Huella, LeadId, PresupuestoId, Timestamp};
use embudo_store::presupuestos::{
    AnswerPresupuesto, CompletePresupuesto, Contestacion, DraftPresupuesto, MarcaGuardada, TarifaGuardada,
};
use embudo_store::{Presupuestos, Result};
use jiff::civil::Date;

use crate::PgStore;
use crate::command::{lead, negocio, presupuesto};
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

    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<Contestacion> {
        let (contestacion, sueltos) =
            patiently!(self, self.turns.on(command.id.0), presupuesto::answer(&self.pool, &command))?;
        self.tell_of(sueltos);
        Ok(contestacion)
    }

    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: TarifaGuardada) -> Result<()> {
        patiently!(self, self.turns.command(), negocio::save_tarifa(&self.pool, empresa, &tarifa))
    }

    async fn tarifas(&self, empresa: EmpresaId) -> Result<Vec<TarifaGuardada>> {
        patiently!(self, query::tarifas(&self.pool, empresa))
    }

    async fn tarifa_vigente(&self, empresa: EmpresaId, dia: Date) -> Result<Option<TarifaGuardada>> {
        patiently!(self, query::tarifa_vigente(&self.pool, empresa, dia))
    }

    async fn save_marca(&self, empresa: EmpresaId, marca: Marca) -> Result<()> {
        patiently!(self, self.turns.command(), negocio::save_marca(&self.pool, empresa, &marca))
    }

    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()> {
        patiently!(self, self.turns.command(), negocio::save_logo(&self.pool, empresa, logo.as_deref()))
    }

    async fn marca(&self, empresa: EmpresaId) -> Result<MarcaGuardada> {
        patiently!(self, query::marca(&self.pool, empresa))
    }

    async fn logo(&self, empresa: EmpresaId) -> Result<Option<Vec<u8>>> {
        patiently!(self, query::logo(&self.pool, empresa))
    }

    async fn empresa_by_slug(&self, slug: Option<String>) -> Result<Option<Empresa>> {
        patiently!(self, query::empresa_by_slug(&self.pool, slug.as_deref()))
    }

    async fn ensure_secreto(&self, nombre: String, propuesto: [u8; 32]) -> Result<[u8; 32]> {
        patiently!(self, self.turns.command(), negocio::ensure_secreto(&self.pool, &nombre, propuesto))
    }

    async fn save_rendicion(&self, rendicion: Rendicion, barridos: Vec<(Huella, i64)>) -> Result<()> {
        patiently!(
            self,
            self.turns.on(rendicion.lead.0),
            negocio::save_rendicion(&self.pool, &rendicion, &barridos)
        )
    }

    async fn rendiciones(&self, lead: LeadId) -> Result<Vec<Rendicion>> {
        patiently!(self, query::rendiciones(&self.pool, lead))
    }

    async fn record_consentimientos(
        &self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
        en: Timestamp,
    ) -> Result<()> {
        patiently!(
            self,
            self.turns.on(lead.0),
            lead::record_consentimientos(&self.pool, lead, &consentimientos, en)
        )
    }
}
