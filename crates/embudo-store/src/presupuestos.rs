//! Quotes.
//!
//! A quote is drafted under the lead's lock, so that equal content is one quote and numbers have no gaps; it is
//! completed in the same transaction that ends its job and makes its deliveries. What it says is composed by the caller
//! and sealed.

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

/// A quote to be drafted, unless the lead's last one says the same and still holds.
#[derive(Debug, Clone)]
pub struct DraftPresupuesto {
    /// Its id, if it becomes a new one.
    pub id: PresupuestoId,
    pub lead: LeadId,
    pub document: Document,
    /// From when until when it holds; the year of its number is that of the first day.
    pub validity: Validity,
    pub at: Timestamp,
}

impl DraftPresupuesto {
    /// Whether the lead's last quote says the same and still holds, so that no new one is made. Engines find it; this
    /// decides, so that all decide alike.
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
            accepted_pdf: None,
            // As it will be read back.
            creado_en: Timestamp::from_microsecond(self.at.as_microsecond()).unwrap_or(self.at),
            emitido_en: None,
            answer: None,
            visit: None,
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
    /// What else the lead's history says, after the event of `end`: deliveries that are only simulated.
    pub events: Vec<Event>,
    /// Its deliveries, for the record: those among the jobs of `end`, and those that are only simulated.
    pub deliveries: Vec<OrderedDelivery>,
    /// The end of the job that drew it; its `jobs` are the deliveries. They name the quote and not the PDF's blob,
    /// because another process may have stored the PDF first.
    pub end: JobAttemptEnd,
    /// Blobs that were put again after the deletion with this number.
    pub swept: Vec<(Digest, i64)>,
}

/// The PDF of what a client accepted.
#[derive(Debug, Clone)]
pub struct KeepAccepted {
    pub id: PresupuestoId,
    /// Its blob is durable already.
    pub pdf: StoredPdf,
    /// Blobs that were put again after the deletion with this number.
    pub swept: Vec<(Digest, i64)>,
}

/// What a client says of a quote.
#[derive(Debug, Clone)]
pub struct AnswerPresupuesto {
    pub id: PresupuestoId,
    /// What, with its evidence. `pdf_sha256` must be that of the quote's PDF.
    pub answer: SignedAnswer,
    /// Today, in the company's zone.
    pub today: Date,
    /// What the lead's history says.
    pub event: Event,
    /// What is to be sent because of it.
    pub jobs: Vec<NewJob>,
    /// Who wrote it down, where the client did not answer themselves.
    pub audit: Option<AuditEntry>,
}

impl AnswerPresupuesto {
    /// The state that the quote gets, or why nothing is written. A state comes first: a client who accepted in time and
    /// looks again later gets that answer, not that it is too late.
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

    /// Whether a quote can be accepted as this answer does.
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

/// A client asks for a visit, where the quote is orientative.
#[derive(Debug, Clone)]
pub struct AskVisit {
    pub id: PresupuestoId,
    pub request: VisitRequest,
    /// Today, in the company's zone.
    pub today: Date,
    /// What the lead's history says.
    pub event: Event,
    /// What is to be sent because of it.
    pub jobs: Vec<NewJob>,
}

impl AskVisit {
    /// Whether the wish is written down, or why not. One that waits is not asked again; one that was declined since is.
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
    /// It is no promise and cannot be accepted; a visit can be asked for. Nothing was written.
    IsOrientative,
    /// It can be accepted as it is: no visit is asked for. Nothing was written.
    IsBinding,
    /// Options were named that are not the quote's; nothing was written.
    OtherOptions,
    /// With these options it comes to another total; nothing was written.
    OtherTotal,
}

/// Quotes.
#[async_trait]
pub trait PresupuestoStore: Send + Sync + 'static {
    /// Drafts a quote. If the lead's last quote has equal content ([`Document::digest`]), still holds on the first day
    /// of its validity and was not superseded, that one is returned and nothing is written. Otherwise the new one gets
    /// the next number of its company and year, without gaps, and the next version of the lead; earlier ones of the
    /// lead that may become `sustituido` do. [`StoreError::LeadNotFound`].
    async fn draft_presupuesto(&self, command: DraftPresupuesto) -> Result<Presupuesto>;
    /// Stores the PDF (the first one stays), makes a draft `emitido`, ends the job with its deliveries and appends the
    /// events, all in one. A quote that was superseded meanwhile gets its PDF, keeps its state, and is delivered
    /// neither in fact nor as an event; its job ends all the same. One that was sent or answered before keeps its state
    /// and is delivered again, without an event to the company's workflows. `false`, and nothing done, if the job is no
    /// longer this process's; then [`StoreError::PresupuestoNotFound`] if the job's lead has no such quote; then
    /// [`StoreError::BlobMarked`] as in [`crate::LeadWriteStore::ingest`], unless there is a PDF already.
    async fn complete_presupuesto(&self, command: CompletePresupuesto) -> Result<bool>;
    /// Writes down what a client says of a quote, with state, evidence, event and jobs. Every answer is kept; the quote
    /// shows the last. What is written and what is not: [`AnswerPresupuesto::decide`].
    /// [`StoreError::PresupuestoNotFound`].
    async fn answer_presupuesto(&self, command: AnswerPresupuesto) -> Result<AnswerResult>;
    /// Keeps the PDF of what a client accepted; the first one stays. [`StoreError::PresupuestoNotFound`], also of a
    /// quote that is not accepted; [`StoreError::BlobMarked`] as in [`crate::LeadWriteStore::ingest`].
    async fn keep_accepted(&self, command: KeepAccepted) -> Result<()>;
    /// Writes down that a client asks for a visit, with event and jobs, once: [`AskVisit::decide`].
    /// [`StoreError::PresupuestoNotFound`].
    async fn ask_visit(&self, command: AskVisit) -> Result<AnswerResult>;
}
