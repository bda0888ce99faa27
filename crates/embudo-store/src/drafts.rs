//! Quotes that people are still writing.
//!
//! A lead has one draft at most. It has no number: sending seals it as a quote, which keeps the draft's id, and the
//! JSON that it was made of, so that the next version can begin with it. What the JSON says is the caller's business.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::event::Event;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{Certainty, Presupuesto, PresupuestoNumber, PresupuestoState, Validity};
use embudo_domain::{AuditId, EmpresaId, LeadId, PresupuestoId, Timestamp, UserId};
use jiff::civil::Date;

use crate::Result;
use crate::outbox::NewJob;
use crate::presupuestos::DraftPresupuesto;

/// Why there is a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftReason {
    /// `finalizar` or the form made it for a person to look at.
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

/// A draft as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDraft {
    /// Its id, and that of the quote it becomes.
    pub id: PresupuestoId,
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub reason: DraftReason,
    /// Rises by one with every save.
    pub revision: i64,
    /// The draft itself.
    pub json: String,
    /// Who saved it last; nobody, if only the service did.
    pub saved_by: Option<UserId>,
    pub creado_en: Timestamp,
    pub guardado_en: Timestamp,
}

#[derive(Debug, Clone)]
pub struct OpenDraft {
    pub id: PresupuestoId,
    pub lead: LeadId,
    pub reason: DraftReason,
    /// The draft itself.
    pub json: String,
    pub by: Option<UserId>,
    /// What the lead's history says.
    pub event: Option<Event>,
    /// What is sent because of it.
    pub jobs: Vec<NewJob>,
    pub at: Timestamp,
    pub audit: Option<AuditEntry>,
}

/// Whether a draft was opened, or there was one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    New(StoredDraft),
    /// An open draft is not touched; nothing was written.
    Before(StoredDraft),
}

impl Opened {
    pub fn into_draft(self) -> StoredDraft {
        match self {
            Self::New(draft) | Self::Before(draft) => draft,
        }
    }
}

/// Which draft, as somebody last saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenDraft {
    pub id: PresupuestoId,
    pub lead: LeadId,
    pub revision: i64,
}

#[derive(Debug, Clone)]
pub struct SaveDraft {
    pub seen: SeenDraft,
    /// The draft itself.
    pub json: String,
    /// Nobody, where the service brings it up to date.
    pub by: Option<UserId>,
    pub at: Timestamp,
    pub audit: Option<StretchAudit>,
}

/// What the audit log says of a save: one line for all that a person changes in one stretch.
#[derive(Debug, Clone)]
pub enum StretchAudit {
    /// A stretch begins; `before` is what the draft said.
    Begin { entry: AuditEntry, before: String },
    /// The line of the stretch gets this as its new text.
    Grow { entry: AuditId, after: String },
}

/// The stretch in which a draft was last saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftStretch {
    pub entry: AuditId,
    /// What the draft said before it.
    pub before: String,
}

/// Seals a draft as a quote.
#[derive(Debug, Clone)]
pub struct SealDraft {
    pub seen: SeenDraft,
    /// The quote; its id is the draft's. It is always a new one, even if the last one says the same.
    pub quote: DraftPresupuesto,
    pub event: Event,
    /// The job that draws it, and what else is sent.
    pub jobs: Vec<NewJob>,
    pub audit: AuditEntry,
}

/// What became of a change to a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftChange<T> {
    Done(T),
    /// Somebody saved it meanwhile, as it stands here; nothing was written.
    Stale(StoredDraft),
    /// It was sent or discarded; nothing was written.
    Gone,
}

impl SeenDraft {
    /// Whether a draft may be changed as it was seen. Engines find it; this decides, so that all decide alike.
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
    /// A person of the company wrote its acceptance down.
    pub is_by_phone: bool,
    pub creado_en: Timestamp,
}

/// Which quotes of a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteStanding {
    /// Numbered, and not drawn yet.
    Preparing,
    /// Issued, unanswered, and good on this day.
    Sent(Date),
    /// Issued, unanswered, and good no longer on this day.
    Expired(Date),
    Accepted,
    Rejected,
    Superseded,
}

#[async_trait]
pub trait DraftStore: Send + Sync + 'static {
    /// Opens a draft, unless the lead has one. [`StoreError::LeadNotFound`](crate::StoreError::LeadNotFound).
    async fn open_draft(&self, command: OpenDraft) -> Result<Opened>;
    /// Saves a draft, with its line in the audit log; returns its revision. Whatever waited for a person has been seen
    /// by one: the next action stays until it is sent or discarded.
    async fn save_draft(&self, command: SaveDraft) -> Result<DraftChange<i64>>;
    /// Drops a draft.
    async fn discard_draft(
        &self,
        seen: SeenDraft,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<DraftChange<()>>;
    /// Makes a quote of a draft, with the next number of its company and year, and drops the draft: in one.
    async fn seal_draft(&self, command: SealDraft) -> Result<DraftChange<Presupuesto>>;
}
