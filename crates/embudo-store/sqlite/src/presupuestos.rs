//! The quotes' part of the trait, method by method.

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

use crate::SqliteStore;
use crate::command::{business, lead, presupuesto};
use crate::store::{ROW, bytes_of};
use crate::writer::Shape;

#[async_trait]
impl Presupuestos for SqliteStore {
    async fn draft_presupuesto(&self, command: DraftPresupuesto) -> Result<Presupuesto> {
        let texts: usize = command.document.notas.iter().map(|n| n.text.len()).sum();
        let bytes = 64 * ROW + texts;
        self.writer.run(Shape::Several, bytes, move |c| presupuesto::draft(c, command)).await
    }

    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool> {
        let bytes = (8 + command.events.len()) * ROW + bytes_of(&command.end.jobs);
        self.writer.run(Shape::Several, bytes, move |c| presupuesto::complete(c, command)).await
    }

    async fn presupuesto(&self, id: PresupuestoId) -> Result<Presupuesto> {
        read::presupuesto(self, id).await
    }

    async fn presupuestos(&self, lead: LeadId) -> Result<Vec<Presupuesto>> {
        read::presupuestos(self, lead).await
    }

    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<AnswerResult> {
        let reason = command.answer.reason.as_ref().map_or(0, String::len);
        let bytes = 4 * ROW + reason + bytes_of(&command.jobs);
        self.writer.run(Shape::Several, bytes, move |c| presupuesto::answer(c, &command)).await
    }

    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: StoredTarifa) -> Result<()> {
        let bytes = ROW + tarifa.text.len();
        self.writer.run(Shape::Several, bytes, move |c| business::save_tarifa(c, empresa, &tarifa)).await
    }

    async fn tarifas(&self, empresa: EmpresaId) -> Result<Vec<StoredTarifa>> {
        read::tarifas(self, empresa).await
    }

    async fn current_tarifa(&self, empresa: EmpresaId, day: Date) -> Result<Option<StoredTarifa>> {
        read::tarifa_in_force(self, empresa, day).await
    }

    async fn save_brand(&self, empresa: EmpresaId, brand: Brand) -> Result<()> {
        let bytes = 4 * ROW + brand.policy.as_ref().map_or(0, String::len);
        self.writer.run(Shape::Single, bytes, move |c| business::save_brand(c, empresa, &brand)).await
    }

    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()> {
        let bytes = ROW + logo.as_ref().map_or(0, Vec::len);
        let save = move |c: &_| business::save_logo(c, empresa, logo.as_deref());
        self.writer.run(Shape::Single, bytes, save).await
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
        self.writer.run(Shape::Single, ROW, move |c| business::ensure_secret(c, &nombre, proposed)).await
    }

    async fn save_rendition(&self, rendition: Rendition, swept: Vec<(Digest, i64)>) -> Result<()> {
        let save = move |c: &_| business::save_rendition(c, &rendition, &swept);
        self.writer.run(Shape::Several, 2 * ROW, save).await
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
        let bytes = ROW * (1 + consentimientos.len());
        let record = move |c: &_| lead::record_consentimientos(c, lead, &consentimientos, at);
        self.writer.run(Shape::Several, bytes, record).await
    }
}
