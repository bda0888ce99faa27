//! Quotes that people are still writing.
//!
//! A lead has at most one draft. A draft has no number: sending seals it as a quote, which keeps the draft's id and its
//! JSON, so that the next version can begin with it. The caller decides what the JSON contains.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::event::Event;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{Certainty, Presupuesto, PresupuestoNumber, PresupuestoState, Validity};
use embudo_domain::{AuditId, EmpresaId, LeadId, PresupuestoId, Timestamp, UserId};
use jiff::civil::Date;

use crate::Result;
use crate::outbox::NewJob;
use crate::presupuestos::NewPresupuesto;

/// Why the draft was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftReason {
    /// `finalizar` or the form made it, so that a person reviews it.
    Review,
    /// A person began it.
    ByHand,
}

impl DraftReason {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Review => "revision",
            Self::ByHand => "mano",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::Review, Self::ByHand].into_iter().find(|reason| reason.as_str() == word)
    }
}

/// A draft as it is stored now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDraft {
    /// Its id, and that of the quote it becomes.
    pub id: PresupuestoId,
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub reason: DraftReason,
    /// Increased by one with every save.
    pub revision: i64,
    /// The content of the draft.
    pub json: String,
    /// Who saved it last; `None` if only the service did.
    pub saved_by: Option<UserId>,
    pub creado_en: Timestamp,
    pub guardado_en: Timestamp,
}

#[derive(Debug, Clone)]
pub struct OpenDraft {
    pub id: PresupuestoId,
    pub lead: LeadId,
    pub reason: DraftReason,
    /// The content of the draft.
    pub json: String,
    pub by: Option<UserId>,
    /// The event for the lead's history.
    pub event: Option<Event>,
    /// Jobs to be made in the same transaction.
    pub jobs: Vec<NewJob>,
    pub at: Timestamp,
    pub audit: Option<AuditEntry>,
}

/// Whether a draft was opened, or one existed already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    New(StoredDraft),
    /// A draft was open already and is not changed; nothing was written.
    Before(StoredDraft),
}

impl Opened {
    pub fn into_draft(self) -> StoredDraft {
        match self {
            Self::New(draft) | Self::Before(draft) => draft,
        }
    }
}

/// Identifies a draft in the revision that somebody last saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenDraft {
    pub id: PresupuestoId,
    pub lead: LeadId,
    pub revision: i64,
}

#[derive(Debug, Clone)]
pub struct SaveDraft {
    pub seen: SeenDraft,
    /// The content of the draft.
    pub json: String,
    /// `None` if the service updates the draft.
    pub by: Option<UserId>,
    pub at: Timestamp,
    pub audit: Option<StretchAudit>,
}

/// What a save writes to the audit log: all changes that a person makes in one stretch of editing are one entry.
#[derive(Debug, Clone)]
pub enum StretchAudit {
    /// A stretch begins; `before` is the content of the draft before it.
    Begin { entry: AuditEntry, before: String },
    /// The entry of the current stretch gets this text.
    Grow { entry: AuditId, after: String },
}

/// The stretch in which a draft was last saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftStretch {
    pub entry: AuditId,
    /// The content of the draft before the stretch.
    pub before: String,
}

/// Seals a draft as a quote.
#[derive(Debug, Clone)]
pub struct SealDraft {
    pub seen: SeenDraft,
    /// The quote; its id is the draft's. It is always a new quote, even if the last one has the same content.
    pub quote: NewPresupuesto,
    pub event: Event,
    /// The job that draws the quote, and further jobs.
    pub jobs: Vec<NewJob>,
    pub audit: AuditEntry,
}

/// The result of a change to a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftChange<T> {
    Done(T),
    /// Somebody saved the draft meanwhile; this is its current state. Nothing was written.
    Stale(StoredDraft),
    /// The draft was sent or discarded; nothing was written.
    Gone,
}

impl SeenDraft {
    /// Checks whether a draft is still as it was seen. Engines find the draft; this decides, so that all engines decide
    /// alike.
    #[allow(clippy::result_large_err, reason = "either way a draft is handed on once")]
    pub fn check<T>(&self, found: Option<StoredDraft>) -> std::result::Result<StoredDraft, DraftChange<T>> {
        match found.filter(|draft| draft.id == self.id) {
            None => Err(DraftChange::Gone),
            Some(draft) if draft.revision != self.revision => Err(DraftChange::Stale(draft)),
            Some(draft) => Ok(draft),
        }
    }
}

/// A draft in a company's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedDraft {
    pub id: PresupuestoId,
    pub lead: LeadId,
    /// The client's name.
    pub nombre: String,
    pub reason: DraftReason,
    pub saved_by: Option<UserId>,
    pub guardado_en: Timestamp,
}

/// A quote in a company's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedQuote {
    pub id: PresupuestoId,
    pub lead: LeadId,
    /// The client's name.
    pub nombre: String,
    pub number: PresupuestoNumber,
    pub version: u32,
    pub state: PresupuestoState,
    pub total: Cents,
    pub certainty: Certainty,
    pub validity: Validity,
    /// Whether a person of the company recorded the acceptance for the client.
    pub is_by_phone: bool,
    pub creado_en: Timestamp,
}

/// The standing by which quotes of a company are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteStanding {
    /// Numbered, but not drawn yet.
    Preparing,
    /// Issued, unanswered, and valid on this day.
    Sent(Date),
    /// Issued, unanswered, and no longer valid on this day.
    Expired(Date),
    Accepted,
    Rejected,
    Superseded,
}

#[async_trait]
pub trait DraftStore: Send + Sync + 'static {
    /// Opens a draft, unless the lead has one. [`StoreError::LeadNotFound`](crate::StoreError::LeadNotFound).
    async fn open_draft(&self, command: OpenDraft) -> Result<Opened>;
    /// Saves a draft, with its entry in the audit log; returns its new revision. The lead's next action stays until
    /// the draft is sent or discarded.
    async fn save_draft(&self, command: SaveDraft) -> Result<DraftChange<i64>>;
    /// Drops a draft.
    async fn discard_draft(
        &self,
        seen: SeenDraft,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<DraftChange<()>>;
    /// Makes a draft a quote, with the next number of its company and year, and removes the draft, in one transaction.
    async fn seal_draft(&self, command: SealDraft) -> Result<DraftChange<Presupuesto>>;
}
