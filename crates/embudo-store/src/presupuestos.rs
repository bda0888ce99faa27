//! Quotes, price tables, brands and what was made of photos.
//!
//! A quote is drafted under the lead's lock, so that equal content is one quote and numbers have no gaps; it is completed in
//! the same transaction that ends its job and makes its deliveries. What it says is composed by the caller and sealed.

use async_trait::async_trait;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::empresa::Empresa;
use embudo_domain::evento::Evento;
use embudo_domain::marca::Marca;
use embudo_domain::presupuesto::{
    Documento, EstadoPresupuesto, PdfGuardado, Presupuesto, RespuestaCliente, Validez,
};
use embudo_domain::rendicion::Rendicion;
use embudo_domain::{EmpresaId, Huella, LeadId, PresupuestoId, Timestamp};
use jiff::civil::Date;

use crate::Result;
use crate::cola::{FinIntento, NuevoTrabajo};

/// A quote to be drafted, unless the lead's last one says the same and still holds.
#[derive(Debug, Clone)]
pub struct DraftPresupuesto {
    /// Its id, if it becomes a new one.
    pub id: PresupuestoId,
    /// Whose.
    pub lead: LeadId,
    /// What it says.
    pub documento: Documento,
    /// From when until when it holds; the year of its number is that of the first day.
    pub validez: Validez,
    /// Now.
    pub en: Timestamp,
}

/// A quote whose PDF is stored.
#[derive(Debug, Clone)]
pub struct CompletePresupuesto {
    /// Which.
    pub id: PresupuestoId,
    /// Its PDF; the blob is durable already.
    pub pdf: PdfGuardado,
    /// What else the lead's history says: deliveries that are only simulated.
    pub eventos: Vec<Evento>,
    /// The end of the job that drew it; its `trabajos` are the deliveries.
    pub fin: FinIntento,
    /// Blobs that were put again after the deletion with this number.
    pub barridos: Vec<(Huella, i64)>,
}

/// What a client says of a quote.
#[derive(Debug, Clone)]
pub struct AnswerPresupuesto {
    /// Which.
    pub id: PresupuestoId,
    /// What, with its evidence. `pdf_sha256` must be that of the quote's PDF.
    pub respuesta: RespuestaCliente,
    /// Today, in the company's zone.
    pub hoy: Date,
    /// What the lead's history says.
    pub evento: Evento,
    /// What must leave the house because of it.
    pub trabajos: Vec<NuevoTrabajo>,
}

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contestacion {
    /// It was written down.
    Hecha,
    /// The quote was already in that state; nothing was written.
    Repetida,
    /// The quote's state does not allow it ([`EstadoPresupuesto::puede_pasar_a`]); nothing was written.
    NoCabe(EstadoPresupuesto),
    /// The quote no longer holds, or another PDF was answered; nothing was written.
    Caducado,
}

/// A company's price table as it was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TarifaGuardada {
    /// Its version, unique within the company.
    pub version: String,
    /// The first day on which it holds.
    pub desde: Date,
    /// Its text (TOML), checked before it is kept.
    pub texto: String,
    /// When it was loaded.
    pub creada_en: Timestamp,
}

/// A company's brand as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MarcaGuardada {
    /// The brand; the default one if the company has none.
    pub marca: Marca,
    /// The mark of its logo.
    pub logo: Option<Huella>,
}

/// Quotes and what they are made from.
#[async_trait]
pub trait Presupuestos: Send + Sync + 'static {
    /// Drafts a quote. If the lead's last quote has equal content ([`Documento::huella`]), still holds on the first day of
    /// `validez` and was not superseded, that one is returned and nothing is written. Otherwise the new one gets the next number
    /// of its company and year, without gaps, and the next version of the lead; earlier ones of the lead that may become
    /// `sustituido` do. [`crate::StoreError::LeadNotFound`].
    async fn draft_presupuesto(&self, command: DraftPresupuesto) -> Result<Presupuesto>;
    /// Stores the PDF (the first one stays), makes a draft `enviado`, appends the events and ends the job with its deliveries, all in one.
    /// A quote that was superseded meanwhile keeps its state and gets no deliveries. `false`, and nothing done, if
    /// the job is no longer this process's. [`crate::StoreError::PresupuestoNotFound`], [`crate::StoreError::BlobMarked`] as in
    /// [`crate::Store::ingest`].
    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool>;
    /// One quote; [`crate::StoreError::PresupuestoNotFound`].
    async fn presupuesto(&self, id: PresupuestoId) -> Result<Presupuesto>;
    /// A lead's quotes, newest first; [`crate::StoreError::LeadNotFound`].
    async fn presupuestos(&self, lead: LeadId) -> Result<Vec<Presupuesto>>;
    /// Writes down what a client says of a quote, with state, evidence, event and jobs. Every answer is kept; the quote shows
    /// the last. [`crate::StoreError::PresupuestoNotFound`].
    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<Contestacion>;

    /// Loads a price table. The same version with the same text and day again is fine; with another it is
    /// [`crate::StoreError::TarifaTaken`]: quotes name the version. [`crate::StoreError::EmpresaNotFound`].
    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: TarifaGuardada) -> Result<()>;
    /// A company's price tables, the latest `desde` first, then the latest loaded.
    async fn tarifas(&self, empresa: EmpresaId) -> Result<Vec<TarifaGuardada>>;
    /// The first of [`Self::tarifas`] that holds on a day; `None` if the company has none: the shipped one holds.
    async fn tarifa_vigente(&self, empresa: EmpresaId, dia: Date) -> Result<Option<TarifaGuardada>>;

    /// Writes a company's brand; the logo stays. [`crate::StoreError::EmpresaNotFound`].
    async fn save_marca(&self, empresa: EmpresaId, marca: Marca) -> Result<()>;
    /// Writes or removes a company's logo (PNG); the brand stays. [`crate::StoreError::EmpresaNotFound`].
    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()>;
    /// A company's brand; the default one if it has none or is unknown.
    async fn marca(&self, empresa: EmpresaId) -> Result<MarcaGuardada>;
    /// A company's logo.
    async fn logo(&self, empresa: EmpresaId) -> Result<Option<Vec<u8>>>;
    /// The company with this slug, or the default one for `None`.
    async fn empresa_by_slug(&self, slug: Option<String>) -> Result<Option<Empresa>>;

    /// The secret with this name: `propuesto` if there was none, the one that is kept otherwise. Safe to call from several processes.
    async fn ensure_secreto(&self, nombre: String, propuesto: [u8; 32]) -> Result<[u8; 32]>;

    /// Writes what was made of a photo, in place of what was made before. [`crate::StoreError::FotoNotFound`] if the photo is gone,
    /// [`crate::StoreError::BlobMarked`] as in [`crate::Store::ingest`].
    async fn save_rendicion(&self, rendicion: Rendicion, barridos: Vec<(Huella, i64)>) -> Result<()>;
    /// What was made of a lead's photos, in no order.
    async fn rendiciones(&self, lead: LeadId) -> Result<Vec<Rendicion>>;

    /// Appends consents, or their withdrawal, to a lead's ledger. [`crate::StoreError::LeadNotFound`].
    async fn record_consentimientos(
        &self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
        en: Timestamp,
    ) -> Result<()>;
}
