//! What people may ask for of their data: that it is erased, who saw it, and that links to it stop working.
//!
//! An erasure is not hot and concerns every table, so its statements are written once for both engines
//! ([`crate::queries::rights`]); a table with a `lead_id` that is neither in [`OF_LEAD`] nor in [`KEPT`] fails a test.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{Presupuesto, PresupuestoNumber, PresupuestoState, SignedAnswer, StoredPdf};
use embudo_domain::rights::{ErasureReason, Retention};
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp, UserId};
use jiff::civil::Date;
use uuid::Uuid;

use crate::Result;

/// Every table whose rows belong to a lead, in the order in which they are emptied. The attempts at a lead's jobs go before these,
/// its own row after.
pub const OF_LEAD: &[&str] = &[
    "utm",
    "consentimiento",
    "turno",
    "estado_historia",
    "calificacion",
    "intento",
    "foto",
    "nota",
    "evento",
    "blob_marca",
    "trabajo",
    "presupuesto_entrega",
    "presupuesto_respuesta",
    "presupuesto",
    "rendicion",
    "lead_etapa",
    "lead_gestion",
    "nota_interna",
    "lead_leido",
    "lead_union",
    "lead_actividad",
    "lead_busqueda",
    "borrador",
    "lead_obra",
    "visita_persona",
    "visita",
    "lead_visto",
    "pase_generacion",
];

/// Tables that name a lead and outlive it: that it was erased, what the law wants kept, and, until the lead is projected once more, what
/// it counted for in the figures.
pub const KEPT: &[&str] = &["borrado", "presupuesto_bloqueado", "respuesta_bloqueada", "lead_cifra"];

/// An erasure of one lead.
#[derive(Debug, Clone)]
pub struct EraseLead {
    pub lead: LeadId,
    pub reason: ErasureReason,
    /// Who does it.
    pub who: String,
    /// How long accepted quotes are kept.
    pub retention: Retention,
    pub audit: AuditEntry,
    pub at: Timestamp,
}

impl EraseLead {
    /// The quotes that the law wants kept, each with the end of its term. Engines find; this decides.
    pub fn blocked(&self, quotes: &[Presupuesto]) -> Vec<(PresupuestoId, Timestamp)> {
        let accepted = quotes.iter().filter(|quote| quote.state == PresupuestoState::Aceptado);
        accepted
            .map(|quote| {
                let at = quote.answer.as_ref().map_or(quote.creado_en, |answer| answer.at);
                (quote.id, self.retention.kept_until(at))
            })
            .filter(|(_, until)| *until > self.at)
            .collect()
    }
}

/// What a lead can be told by, wherever it stands.
#[derive(Debug, Clone)]
pub struct Traces {
    pub empresa: EmpresaId,
    /// Its telephone and e-mail in every spelling.
    pub contact: Vec<String>,
}

/// Scope and key of a call that is known.
pub type CallName = (String, String);

/// An erasure as it is kept. Nothing of it tells who the person was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erasure {
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub reason: ErasureReason,
    pub who: String,
    pub asked_at: Timestamp,
    /// None: something of it is still to be done.
    pub ended_at: Option<Timestamp>,
}

/// An accepted quote of an erased lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedQuote {
    pub id: PresupuestoId,
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub number: PresupuestoNumber,
    pub total: Cents,
    pub pdf: Option<StoredPdf>,
    /// The sealed document, as it is kept.
    pub document: String,
    pub answer: Option<SignedAnswer>,
    pub blocked_at: Timestamp,
    pub until: Timestamp,
}

/// Somebody who came to nothing, and to whom nothing has happened for long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForgottenPerson {
    /// The lead that stands for all of theirs.
    pub lead: LeadId,
    /// When something last happened to it.
    pub since: Timestamp,
    /// How many leads they are, with those that are united with it.
    pub leads: usize,
}

/// Somebody saw a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub lead: LeadId,
    pub day: Date,
    pub user: UserId,
    /// The first time on that day.
    pub at: Timestamp,
}

#[async_trait]
pub trait Rights: Send + Sync + 'static {
    /// Erases every row of a lead, but for accepted quotes whose legal term runs: those are blocked. Returns the leads that it was united
    /// with. Done again it does nothing. [`StoreError::LeadNotFound`](crate::StoreError::LeadNotFound): there is no such lead, and there
    /// was none that was erased.
    async fn erase_lead(&self, command: EraseLead) -> Result<Vec<LeadId>>;
    /// Takes away what others wrote about an erased lead while it was erased, and what the engine keeps outside of its tables and can let go
    /// of at once. `false`: somebody may still write, or read what was; ask again later.
    async fn settle_erasure(&self, lead: LeadId) -> Result<bool>;
    /// Nothing is left to be done.
    async fn end_erasure(&self, lead: LeadId, at: Timestamp) -> Result<()>;
    /// Deletes a blocked quote whose term is over by then; `false` if it is not.
    async fn drop_blocked(&self, id: PresupuestoId, now: Timestamp) -> Result<bool>;
    /// Writes down who saw leads; of one person, lead and day the first stays.
    async fn note_seen(&self, seen: Vec<Seen>) -> Result<()>;
    /// From now on only passes of the next generation open a thing of the lead's. [`StoreError::LeadNotFound`](crate::StoreError::LeadNotFound).
    async fn revoke_passes(&self, lead: LeadId, thing: Uuid, at: Timestamp, audit: AuditEntry) -> Result<()>;
    /// A secret gets a new value; the one it had is kept under another name.
    async fn rotate_secret(&self, name: String, new: [u8; 32], previous: String) -> Result<()>;
    /// Forgets the secrets of these names.
    async fn drop_secrets(&self, names: Vec<String>) -> Result<()>;
}
