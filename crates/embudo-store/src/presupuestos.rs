//! Quotes, price tables, brands and what was made of photos.
//!
//! A quote is drafted under the lead's lock, so that equal content is one quote and numbers have no gaps; it is completed in
//! the same transaction that ends its job and makes its deliveries. What it says is composed by the caller and sealed.

use async_trait::async_trait;
use embudo_domain::brand::Brand;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::empresa::Empresa;
use embudo_domain::event::Event;
use embudo_domain::presupuesto::{
    Document, OrderedDelivery, Presupuesto, PresupuestoNumber, PresupuestoState, SignedAnswer, StoredPdf,
    Validity,
};
use embudo_domain::rendition::Rendition;
use embudo_domain::{Digest, EmpresaId, LeadId, PresupuestoId, Timestamp};
use jiff::civil::Date;

use crate::outbox::{JobAttemptEnd, NewJob};
use crate::{Result, StoreError};

/// A quote to be drafted, unless the lead's last one says the same and still holds.
#[derive(Debug, Clone)]
pub struct DraftPresupuesto {
    /// Its id, if it becomes a new one.
    pub id: PresupuestoId,
    /// Whose.
    pub lead: LeadId,
    /// What it says.
    pub document: Document,
    /// From when until when it holds; the year of its number is that of the first day.
    pub validity: Validity,
    /// Now.
    pub at: Timestamp,
}

impl DraftPresupuesto {
    /// Whether the lead's last quote says the same and still holds, so that no new one is made. Engines find it; this decides,
    /// so that all decide alike.
    pub fn repeats(&self, last: &Presupuesto, content: Digest) -> bool {
        last.content == content
            && last.validity.holds(self.validity.issued)
            && last.state != PresupuestoState::Superseded
    }

    /// The year of its number. One that no number can have is a defect of the caller, told before anything is written.
    pub fn year(&self) -> Result<u16> {
        let year = u16::try_from(self.validity.issued.year()).ok();
        year.filter(|a| PresupuestoNumber::new(*a, 1).is_some())
            .ok_or_else(|| StoreError::Internal("a quote cannot have a number of this year".into()))
    }

    /// The new quote, with the number that the engine gave it, after the lead's last one.
    pub fn draft(
        self,
        content: Digest,
        empresa: EmpresaId,
        orden: i64,
        last: Option<&Presupuesto>,
    ) -> Result<Presupuesto> {
        let number =
            u32::try_from(orden).ok().and_then(|orden| PresupuestoNumber::new(self.year().ok()?, orden));
        let full = || StoreError::Internal("the company has no numbers left in this year".into());
        Ok(Presupuesto {
            id: self.id,
            lead: self.lead,
            empresa,
            number: number.ok_or_else(full)?,
            version: last.map_or(1, |u| u.version + 1),
            state: PresupuestoState::Borrador,
            document: self.document,
            content,
            validity: self.validity,
            pdf: None,
            // As it will be read back.
            creado_en: Timestamp::from_microsecond(self.at.as_microsecond()).unwrap_or(self.at),
            emitido_en: None,
            answer: None,
        })
    }
}

/// The states in which a quote gives way to a newer one of its lead.
pub fn replaceable() -> impl Iterator<Item = PresupuestoState> {
    let all = PresupuestoState::WORDS.iter().filter_map(|p| PresupuestoState::parse(p));
    all.filter(|e| e.can_become(PresupuestoState::Superseded))
}

/// A quote whose PDF is stored.
#[derive(Debug, Clone)]
pub struct CompletePresupuesto {
    /// Which; a quote of the job's lead.
    pub id: PresupuestoId,
    /// Its PDF; the blob is durable already.
    pub pdf: StoredPdf,
    /// What else the lead's history says, after the event of `fin`: deliveries that are only simulated.
    pub events: Vec<Event>,
    /// Its deliveries, for the record: those among the jobs of `fin`, and those that are only simulated.
    pub deliveries: Vec<OrderedDelivery>,
    /// The end of the job that drew it; its `trabajos` are the deliveries. They name the quote and not the PDF's blob,
    /// because another process may have stored the PDF first.
    pub end: JobAttemptEnd,
    /// Blobs that were put again after the deletion with this number.
    pub swept: Vec<(Digest, i64)>,
}

/// What a client says of a quote.
#[derive(Debug, Clone)]
pub struct AnswerPresupuesto {
    /// Which.
    pub id: PresupuestoId,
    /// What, with its evidence. `pdf_sha256` must be that of the quote's PDF.
    pub answer: SignedAnswer,
    /// Today, in the company's zone.
    pub today: Date,
    /// What the lead's history says.
    pub event: Event,
    /// What must leave the house because of it.
    pub jobs: Vec<NewJob>,
}

impl AnswerPresupuesto {
    /// The state that the quote gets, or why nothing is written. A state comes first: a client who accepted in time and looks
    /// again later is told so, not that it is too late.
    pub fn decide(&self, p: &Presupuesto) -> std::result::Result<PresupuestoState, AnswerResult> {
        let r = &self.answer;
        let state = if r.accepted { PresupuestoState::Aceptado } else { PresupuestoState::Rechazado };
        if p.state == state {
            return Err(AnswerResult::Repeated);
        }
        if !p.state.can_become(state) {
            return Err(AnswerResult::DoesNotFit(p.state));
        }
        if !p.validity.holds(self.today) || p.pdf.is_none_or(|pdf| pdf.sha256 != r.pdf_sha256) {
            return Err(AnswerResult::Expired);
        }
        Ok(state)
    }
}

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerResult {
    /// It was written down.
    Done,
    /// The quote was already in that state; nothing was written.
    Repeated,
    /// The quote's state does not allow it ([`PresupuestoState::can_become`]); nothing was written.
    DoesNotFit(PresupuestoState),
    /// The quote no longer holds, or another PDF was answered; nothing was written.
    Expired,
}

/// A company's price table as it was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTarifa {
    /// Its version, unique within the company.
    pub version: String,
    /// The first day on which it holds.
    pub since: Date,
    /// Its text (TOML), checked before it is kept.
    pub text: String,
    /// When it was loaded.
    pub creada_en: Timestamp,
}

/// A company's brand as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredBrand {
    /// The brand; the default one if the company has none.
    pub brand: Brand,
    /// The mark of its logo.
    pub logo: Option<Digest>,
}

/// Quotes and what they are made from.
#[async_trait]
pub trait Presupuestos: Send + Sync + 'static {
    /// Drafts a quote. If the lead's last quote has equal content ([`Document::digest`]), still holds on the first day of
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
    /// the last. What is written and what is not: [`AnswerPresupuesto::decide`]. [`crate::StoreError::PresupuestoNotFound`].
    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<AnswerResult>;

    /// Loads a price table. The same version with the same text and day again is fine; with another it is
    /// [`crate::StoreError::TarifaTaken`]: quotes name the version. [`crate::StoreError::EmpresaNotFound`].
    async fn save_tarifa(&self, empresa: EmpresaId, tarifa: StoredTarifa) -> Result<()>;
    /// A company's price tables, the latest `desde` first, then the latest loaded.
    async fn tarifas(&self, empresa: EmpresaId) -> Result<Vec<StoredTarifa>>;
    /// The first of [`Self::tarifas`] that holds on a day; `None` if the company has none: the shipped one holds.
    async fn current_tarifa(&self, empresa: EmpresaId, day: Date) -> Result<Option<StoredTarifa>>;

    /// Writes a company's brand; the logo stays. [`crate::StoreError::EmpresaNotFound`].
    async fn save_brand(&self, empresa: EmpresaId, brand: Brand) -> Result<()>;
    /// Writes or removes a company's logo (PNG); the brand stays. [`crate::StoreError::EmpresaNotFound`].
    async fn save_logo(&self, empresa: EmpresaId, logo: Option<Vec<u8>>) -> Result<()>;
    /// A company's brand; the default one if it has none or is unknown.
    async fn brand(&self, empresa: EmpresaId) -> Result<StoredBrand>;
    /// A company's logo.
    async fn logo(&self, empresa: EmpresaId) -> Result<Option<Vec<u8>>>;
    /// The company with this slug, or the default one for `None`.
    async fn empresa_by_slug(&self, slug: Option<String>) -> Result<Option<Empresa>>;

    /// The secret with this name: `propuesto` if there was none, the one that is kept otherwise. Safe to call from several processes.
    async fn ensure_secret(&self, nombre: String, proposed: [u8; 32]) -> Result<[u8; 32]>;

    /// Writes what was made of a photo, in place of what was made before. [`crate::StoreError::FotoNotFound`] if the lead has no such
    /// photo (any more), then [`crate::StoreError::BlobMarked`] as in [`crate::Store::ingest`].
    async fn save_rendition(&self, rendition: Rendition, swept: Vec<(Digest, i64)>) -> Result<()>;
    /// What was made of a lead's photos, in no order; nothing for an unknown lead. A photo that is removed takes its own with it.
    async fn renditions(&self, lead: LeadId) -> Result<Vec<Rendition>>;

    /// Appends consents, or their withdrawal, to a lead's ledger; one without a moment was given at `en`. [`crate::StoreError::LeadNotFound`].
    async fn record_consentimientos(
        &self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
        at: Timestamp,
    ) -> Result<()>;
}
