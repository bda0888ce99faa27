//! The quotes' part of the trait, method by method.

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

use crate::SqliteStore;
use crate::command::{lead, negocio, presupuesto};
use crate::query::presupuestos;
use crate::store::{ROW, bytes_of};
use crate::writer::Shape;

#[async_trait]
impl Presupuestos for SqliteStore {
    async fn draft_presupuesto(&self, command: DraftPresupuesto) -> Result<Presupuesto> {
        let textos: usize = command.documento.notas.iter().map(|n| n.texto.len()).sum();
        let bytes = 64 * ROW + textos;
        self.writer.run(Shape::Several, bytes, move |c| presupuesto::draft(c, command)).await
    }

    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool> {
        let bytes = (8 + command.eventos.len()) * ROW + bytes_of(&command.fin.trabajos);
        self.writer.run(Shape::Several, bytes, move |c| presupuesto::complete(c, command)).await
    }

    async fn presupuesto(&self, id: PresupuestoId) -> Result<Presupuesto> {
        self.readers.run(move |c| presupuestos::presupuesto(c, id)).await
    }

    async fn presupuestos(&self, lead: LeadId) -> Result<Vec<Presupuesto>> {
        self.readers.run(move |c| presupuestos::presupuestos(c, lead)).await
    }

    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<Contestacion> {
        let motivo = command.respuesta.motivo.as_ref().map_or(0, String::len);
        let bytes = 4 * ROW + motivo + bytes_of(&command.trabajos);
        self.writer.run(Shape::Several, bytes, move |c| presupuesto::answer(c, &command)).await
    }

    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: TarifaGuardada) -> Result<()> {
        let bytes = ROW + tarifa.texto.len();
        self.writer.run(Shape::Several, bytes, move |c| negocio::save_tarifa(c, empresa, &tarifa)).await
    }

    async fn tarifas(&self, empresa: EmpresaId) -> Result<Vec<TarifaGuardada>> {
        self.readers.run(move |c| presupuestos::tarifas(c, empresa)).await
    }

    async fn tarifa_vigente(&self, empresa: EmpresaId, dia: Date) -> Result<Option<TarifaGuardada>> {
        self.readers.run(move |c| presupuestos::tarifa_vigente(c, empresa, dia)).await
    }

    async fn save_marca(&self, empresa: EmpresaId, marca: Marca) -> Result<()> {
        let bytes = 4 * ROW + marca.politica.as_ref().map_or(0, String::len);
        self.writer.run(Shape::Single, bytes, move |c| negocio::save_marca(c, empresa, &marca)).await
    }

    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()> {
        let bytes = ROW + logo.as_ref().map_or(0, Vec::len);
        let save = move |c: &_| negocio::save_logo(c, empresa, logo.as_deref());
        self.writer.run(Shape::Single, bytes, save).await
    }

    async fn marca(&self, empresa: EmpresaId) -> Result<MarcaGuardada> {
        self.readers.run(move |c| presupuestos::marca(c, empresa)).await
    }

    async fn logo(&self, empresa: EmpresaId) -> Result<Option<Vec<u8>>> {
        self.readers.run(move |c| presupuestos::logo(c, empresa)).await
    }

    async fn empresa_by_slug(&self, slug: Option<String>) -> Result<Option<Empresa>> {
        self.readers.run(move |c| presupuestos::empresa_by_slug(c, slug.as_deref())).await
    }

    async fn ensure_secreto(&self, nombre: String, propuesto: [u8; 32]) -> Result<[u8; 32]> {
        self.writer.run(Shape::Single, ROW, move |c| negocio::ensure_secreto(c, &nombre, propuesto)).await
    }

    async fn save_rendicion(&self, rendicion: Rendicion, barridos: Vec<(Huella, i64)>) -> Result<()> {
        let save = move |c: &_| negocio::save_rendicion(c, &rendicion, &barridos);
        self.writer.run(Shape::Several, 2 * ROW, save).await
    }

    async fn rendiciones(&self, lead: LeadId) -> Result<Vec<Rendicion>> {
        self.readers.run(move |c| presupuestos::rendiciones(c, lead)).await
    }

    async fn record_consentimientos(
        &self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
        en: Timestamp,
    ) -> Result<()> {
        let bytes = ROW * (1 + consentimientos.len());
        let record = move |c: &_| lead::record_consentimientos(c, lead, &consentimientos, en);
        self.writer.run(Shape::Several, bytes, record).await
    }
}
