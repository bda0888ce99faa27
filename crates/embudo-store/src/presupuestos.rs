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
    Documento, EntregaEncargada, EstadoPresupuesto, NumeroPresupuesto, PdfGuardado, Presupuesto,
    RespuestaCliente, Validez,
};
use embudo_domain::rendicion::Rendicion;
use embudo_domain::{EmpresaId, Huella, LeadId, PresupuestoId, Timestamp};
use jiff::civil::Date;

use crate::cola::{FinIntento, NuevoTrabajo};
use crate::{Result, StoreError};

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

impl DraftPresupuesto {
    /// Whether the lead's last quote says the same and still holds, so that no new one is made. Engines find it; this decides,
    /// so that all decide alike.
    pub fn repite(&self, ultimo: &Presupuesto, contenido: Huella) -> bool {
        ultimo.contenido == contenido
            && ultimo.validez.vale(self.validez.emitido)
            && ultimo.estado != EstadoPresupuesto::Sustituido
    }

    /// The year of its number. One that no number can have is a defect of the caller, told before anything is written.
    pub fn anio(&self) -> Result<u16> {
        let anio = u16::try_from(self.validez.emitido.year()).ok();
        anio.filter(|a| NumeroPresupuesto::new(*a, 1).is_some())
            .ok_or_else(|| StoreError::Internal("a quote cannot have a number of this year".into()))
    }

    /// The new quote, with the number that the engine gave it, after the lead's last one.
    pub fn redactar(
        self,
        contenido: Huella,
        empresa: EmpresaId,
        orden: i64,
        ultimo: Option<&Presupuesto>,
    ) -> Result<Presupuesto> {
        let numero =
            u32::try_from(orden).ok().and_then(|orden| NumeroPresupuesto::new(self.anio().ok()?, orden));
        let llena = || StoreError::Internal("the company has no numbers left in this year".into());
        Ok(Presupuesto {
            id: self.id,
            lead: self.lead,
            empresa,
            numero: numero.ok_or_else(llena)?,
            version: ultimo.map_or(1, |u| u.version + 1),
            estado: EstadoPresupuesto::Borrador,
            documento: self.documento,
            contenido,
            validez: self.validez,
            pdf: None,
            // As it will be read back.
            creado_en: Timestamp::from_microsecond(self.en.as_microsecond()).unwrap_or(self.en),
            emitido_en: None,
            respuesta: None,
        })
    }
}

/// The states in which a quote gives way to a newer one of its lead.
pub fn sustituibles() -> impl Iterator<Item = EstadoPresupuesto> {
    let todos = EstadoPresupuesto::PALABRAS.iter().filter_map(|p| EstadoPresupuesto::parse(p));
    todos.filter(|e| e.puede_pasar_a(EstadoPresupuesto::Sustituido))
}

/// A quote whose PDF is stored.
#[derive(Debug, Clone)]
pub struct CompletePresupuesto {
    /// Which; a quote of the job's lead.
    pub id: PresupuestoId,
    /// Its PDF; the blob is durable already.
    pub pdf: PdfGuardado,
    /// What else the lead's history says, after the event of `fin`: deliveries that are only simulated.
    pub eventos: Vec<Evento>,
    /// Its deliveries, for the record: those among the jobs of `fin`, and those that are only simulated.
    pub entregas: Vec<EntregaEncargada>,
    /// The end of the job that drew it; its `trabajos` are the deliveries. They name the quote and not the PDF's blob,
    /// because another process may have stored the PDF first.
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

impl AnswerPresupuesto {
    /// The state that the quote gets, or why nothing is written. A state comes first: a client who accepted in time and looks
    /// again later is told so, not that it is too late.
    pub fn decidir(&self, p: &Presupuesto) -> std::result::Result<EstadoPresupuesto, Contestacion> {
        let r = &self.respuesta;
        let estado = if r.aceptado { EstadoPresupuesto::Aceptado } else { EstadoPresupuesto::Rechazado };
        if p.estado == estado {
            return Err(Contestacion::Repetida);
        }
        if !p.estado.puede_pasar_a(estado) {
            return Err(Contestacion::NoCabe(p.estado));
        }
        if !p.validez.vale(self.hoy) || p.pdf.is_none_or(|pdf| pdf.sha256 != r.pdf_sha256) {
            return Err(Contestacion::Caducado);
        }
        Ok(estado)
    }
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
    /// Stores the PDF (the first one stays), makes a draft `emitido`, ends the job with its deliveries and appends the events, all
    /// in one. A quote that was superseded meanwhile gets its PDF, keeps its state, and is delivered neither in fact nor as an
    /// event; its job ends all the same. One that was sent or answered before keeps its state and is delivered again. `false`, and
    /// nothing done, if the job is no longer this process's; then [`crate::StoreError::PresupuestoNotFound`] if the job's lead has
    /// no such quote; then [`crate::StoreError::BlobMarked`] as in [`crate::Store::ingest`], unless there is a PDF already.
    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool>;
    /// One quote; [`crate::StoreError::PresupuestoNotFound`].
    async fn presupuesto(&self, id: PresupuestoId) -> Result<Presupuesto>;
    /// A lead's quotes, newest first; [`crate::StoreError::LeadNotFound`].
    async fn presupuestos(&self, lead: LeadId) -> Result<Vec<Presupuesto>>;
    /// Writes down what a client says of a quote, with state, evidence, event and jobs. Every answer is kept; the quote shows
    /// the last. What is written and what is not: [`AnswerPresupuesto::decidir`]. [`crate::StoreError::PresupuestoNotFound`].
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

    /// Writes what was made of a photo, in place of what was made before. [`crate::StoreError::FotoNotFound`] if the lead has no such
    /// photo (any more), then [`crate::StoreError::BlobMarked`] as in [`crate::Store::ingest`].
    async fn save_rendicion(&self, rendicion: Rendicion, barridos: Vec<(Huella, i64)>) -> Result<()>;
    /// What was made of a lead's photos, in no order; nothing for an unknown lead. A photo that is removed takes its own with it.
    async fn rendiciones(&self, lead: LeadId) -> Result<Vec<Rendicion>>;

    /// Appends consents, or their withdrawal, to a lead's ledger; one without a moment was given at `en`. [`crate::StoreError::LeadNotFound`].
    async fn record_consentimientos(
        &self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
        en: Timestamp,
    ) -> Result<()>;
}
