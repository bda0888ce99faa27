//! Quotes.
//!
//! A quote is drafted under the lead's lock, so that equal content is one quote and numbers have no gaps; it is
//! completed in the same transaction that ends its job and makes its deliveries. The caller composes its content, which
//! is then sealed.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::event::Event;
use embudo_domain::presupuesto::{
    Character, Document, OrderedDelivery, Presupuesto, PresupuestoNumber, PresupuestoState, SignedAnswer,
    StoredPdf, Validity, VisitRequest,
};
use embudo_domain::{Digest, EmpresaId, LeadId, PresupuestoId, Timestamp};
use jiff::civil::Date;

use crate::outbox::{JobAttemptEnd, NewJob};
use crate::{Result, StoreError};

/// A quote that gets a number, unless the lead's last one has the same content and is still valid.
#[derive(Debug, Clone)]
pub struct NewPresupuesto {
    /// Its id, if a new quote is made.
    pub id: PresupuestoId,
    pub lead: LeadId,
    pub document: Document,
    /// Its validity; the year of its number is that of the first day.
    pub validity: Validity,
    pub at: Timestamp,
}

impl NewPresupuesto {
    /// Whether the lead's last quote has the same content and is still valid, so that no new one is made. Engines read
    /// the last quote; this decides, so that all engines decide alike.
    pub fn repeats(&self, last: &Presupuesto, content: Digest) -> bool {
        last.content == content
            && last.validity.holds(self.validity.issued)
            && last.state != PresupuestoState::Superseded
    }

    /// The year of its number. A year that no number can have is a defect of the caller, reported before anything is
    /// written.
    pub fn year(&self) -> Result<u16> {
        let year = u16::try_from(self.validity.issued.year()).ok();
        year.filter(|a| PresupuestoNumber::new(*a, 1).is_some())
            .ok_or_else(|| StoreError::Internal("a quote cannot have a number of this year".into()))
    }

    /// The new quote, with the number that the engine gave it, after the lead's last one.
    pub fn numbered(
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
            state: PresupuestoState::Preparing,
            document: self.document,
            content,
            validity: self.validity,
            pdf: None,
            accepted_pdf: None,
            // In microseconds, because the databases store no finer times.
            creado_en: Timestamp::from_microsecond(self.at.as_microsecond()).unwrap_or(self.at),
            emitido_en: None,
            answer: None,
            visit: None,
        })
    }
}

/// The states in which a quote is superseded by a newer one of its lead.
pub fn replaceable() -> impl Iterator<Item = PresupuestoState> {
    let all = PresupuestoState::WORDS.iter().filter_map(|p| PresupuestoState::parse(p));
    all.filter(|e| e.can_become(PresupuestoState::Superseded))
}

/// A quote whose PDF is stored.
#[derive(Debug, Clone)]
pub struct CompletePresupuesto {
    /// The id of a quote of the job's lead.
    pub id: PresupuestoId,
    /// Its PDF; the blob is durable already.
    pub pdf: StoredPdf,
    /// Further events for the lead's history, after the event of `end`: deliveries that are only simulated.
    pub events: Vec<Event>,
    /// Its deliveries, to be stored with the quote: those among the jobs of `end`, and those that are only simulated.
    pub deliveries: Vec<OrderedDelivery>,
    /// The end of the job that drew it; its `jobs` are the deliveries. They name the quote and not the PDF's blob,
    /// because another process may have stored the PDF first.
    pub end: JobAttemptEnd,
    /// Blobs whose bytes were put again after a sweep had deleted them, each with the number of its mark
    /// ([`crate::blob_marks::BlobMark::nth`]).
    pub swept: Vec<(Digest, i64)>,
}

/// The PDF of an accepted quote.
#[derive(Debug, Clone)]
pub struct KeepAccepted {
    pub id: PresupuestoId,
    /// Its blob is durable already.
    pub pdf: StoredPdf,
    /// Blobs whose bytes were put again after a sweep had deleted them, each with the number of its mark
    /// ([`crate::blob_marks::BlobMark::nth`]).
    pub swept: Vec<(Digest, i64)>,
}

/// A client's answer to a quote.
#[derive(Debug, Clone)]
pub struct AnswerPresupuesto {
    pub id: PresupuestoId,
    /// The answer with its evidence. `pdf_sha256` must be that of the quote's PDF.
    pub answer: SignedAnswer,
    /// Today, in the company's zone.
    pub today: Date,
    /// The event for the lead's history.
    pub event: Event,
    /// Jobs to be made in the same transaction.
    pub jobs: Vec<NewJob>,
    /// The entry about the person who recorded the answer; `None` if the client answered themselves.
    pub audit: Option<AuditEntry>,
}

impl AnswerPresupuesto {
    /// The state that the quote gets, or why nothing is written. The state is checked first: a client who accepted in
    /// time and does so again later gets [`AnswerResult::Repeated`], not [`AnswerResult::Expired`].
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
        if r.accepted {
            self.fits(p)?;
        }
        Ok(state)
    }

    /// Whether a quote can be accepted with this answer.
    fn fits(&self, p: &Presupuesto) -> std::result::Result<(), AnswerResult> {
        if p.document.character() == Character::Orientative {
            return Err(AnswerResult::IsOrientative);
        }
        let options = p.document.choose(&self.answer.options).ok_or(AnswerResult::OtherOptions)?;
        match self.answer.total == Some(p.document.with_options(&options).total) {
            true => Ok(()),
            false => Err(AnswerResult::OtherTotal),
        }
    }
}

/// A client's request for a visit; only an orientative quote allows it.
#[derive(Debug, Clone)]
pub struct AskVisit {
    pub id: PresupuestoId,
    pub request: VisitRequest,
    /// Today, in the company's zone.
    pub today: Date,
    /// The event for the lead's history.
    pub event: Event,
    /// Jobs to be made in the same transaction.
    pub jobs: Vec<NewJob>,
}

impl AskVisit {
    /// Whether the request is written, or why not. A visit that is asked for already is not written again, unless the
    /// quote was declined since.
    pub fn decide(&self, p: &Presupuesto) -> std::result::Result<(), AnswerResult> {
        if !p.state.can_become(PresupuestoState::Aceptado) || p.pdf.is_none() {
            return Err(AnswerResult::DoesNotFit(p.state));
        }
        if p.document.character() == Character::Binding {
            return Err(AnswerResult::IsBinding);
        }
        if p.open_visit().is_some() {
            return Err(AnswerResult::Repeated);
        }
        if !p.validity.holds(self.today) {
            return Err(AnswerResult::Expired);
        }
        Ok(())
    }
}

/// The result of an answer, or of a request for a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerResult {
    /// The answer or the request was written.
    Done,
    /// The quote has this state already, or the visit is asked for already; nothing was written.
    Repeated,
    /// The quote's state does not allow it ([`PresupuestoState::can_become`]); nothing was written.
    DoesNotFit(PresupuestoState),
    /// The quote is not valid any more, or the answer names another PDF; nothing was written.
    Expired,
    /// The quote is orientative and cannot be accepted; a visit can be asked for. Nothing was written.
    IsOrientative,
    /// The quote is binding and can be accepted as it is, so no visit is asked for. Nothing was written.
    IsBinding,
    /// The answer names options that the quote does not have; nothing was written.
    OtherOptions,
    /// With these options the quote has another total; nothing was written.
    OtherTotal,
}

/// Quotes.
#[async_trait]
pub trait PresupuestoStore: Send + Sync + 'static {
    /// Drafts a quote. If the lead's last quote has equal content ([`Document::digest`]), is still valid on the first
    /// day of the new validity and was not superseded, that quote is returned and nothing is written. Otherwise the new
    /// quote gets the next number of its company and year, without gaps, and the next version of the lead; earlier
    /// quotes of the lead that may become `sustituido` do. [`StoreError::LeadNotFound`].
    async fn add_presupuesto(&self, command: NewPresupuesto) -> Result<Presupuesto>;
    /// Stores the PDF (the first one stays), makes a draft `emitido`, ends the job with its deliveries and appends the
    /// events, all in one transaction. A quote that was superseded meanwhile gets its PDF, keeps its state, and has
    /// neither deliveries nor events; its job ends all the same. A quote that was sent or answered before keeps its
    /// state and is delivered again, without an event to the company's workflows. `false`, and nothing done, if the
    /// process does not hold the job any more; then [`StoreError::PresupuestoNotFound`] if the job's lead has no such
    /// quote; then [`StoreError::BlobMarked`] as in [`crate::LeadWriteStore::ingest`], unless there is a PDF already.
    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool>;
    /// Writes a client's answer to a quote, with state, evidence, event and jobs. Every answer is kept; the quote shows
    /// the last one. [`AnswerPresupuesto::decide`] decides what is written. [`StoreError::PresupuestoNotFound`].
    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<AnswerResult>;
    /// Stores the PDF of an accepted quote; the first one stays. [`StoreError::PresupuestoNotFound`], also for a quote
    /// that is not accepted; [`StoreError::BlobMarked`] as in [`crate::LeadWriteStore::ingest`].
    async fn keep_accepted(&self, command: KeepAccepted) -> Result<()>;
    /// Writes that a client asks for a visit, with event and jobs. A second request changes nothing; see
    /// [`AskVisit::decide`]. Fails with [`StoreError::PresupuestoNotFound`].
    async fn ask_visit(&self, command: AskVisit) -> Result<AnswerResult>;
}
