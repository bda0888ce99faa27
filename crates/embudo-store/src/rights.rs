//! Requests of people about their data: erasure, who saw it, and revoking links to it.
//!
//! An erasure is not hot and concerns every table, so its statements are written once for both engines
//! ([`crate::queries::rights`]); a table with a `lead_id` that is neither in [`OF_LEAD`] nor in [`KEPT`] fails a test.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::contact::{Email, Telefono, has_digits, telling_digits};
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{Presupuesto, PresupuestoNumber, PresupuestoState, SignedAnswer, StoredPdf};
use embudo_domain::rights::{ErasureReason, Retention};
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp, UserId};
use jiff::civil::Date;
use uuid::Uuid;

use crate::Result;

/// Every table whose rows belong to a lead, in the order in which the rows are deleted. The attempts at a lead's jobs
/// are deleted before these rows, the lead's own row after them.
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
    "mensaje",
    "atencion",
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

/// Tables that name a lead and outlive it: the record of its erasure, what the law requires to keep, and, until the
/// lead is projected once more, what it counted for in the figures.
pub const KEPT: &[&str] = &["borrado", "presupuesto_bloqueado", "respuesta_bloqueada", "lead_cifra"];

/// The columns with the time of a write about a lead, by table. The lead's own row also has the time of writes that
/// leave none in a row of their own: a deleted photo, an assignment.
pub const WRITTEN: &[(&str, &[&str])] = &[
    ("lead", &["creado_en", "actualizado_en"]),
    ("lead_etapa", &["desde"]),
    ("lead_gestion", &["archivado_en", "reabierto_en", "accion_en"]),
    ("turno", &["creado_en"]),
    ("intento", &["creado_en"]),
    ("evento", &["creado_en"]),
    ("nota", &["creado_en"]),
    ("foto", &["creado_en"]),
    ("estado_historia", &["creado_en"]),
    ("calificacion", &["actualizado_en"]),
    ("consentimiento", &["creado_en"]),
    ("nota_interna", &["creado_en"]),
    ("mensaje", &["creado_en", "confirmado_en"]),
    ("atencion", &["ultimo_en"]),
    ("borrador", &["guardado_en"]),
    ("visita", &["cambiada_en", "fin"]),
    ("presupuesto", &["creado_en", "emitido_en", "visita_en"]),
    ("presupuesto_respuesta", &["creado_en"]),
    ("presupuesto_entrega", &["en"]),
    ("trabajo", &["creado_en", "terminado_en"]),
    ("lead_union", &["creado_en"]),
    ("pase_generacion", &["revocado_en"]),
];

/// Tables of a lead, and columns with an instant, that do not show that somebody wrote about it, and why. A table or
/// column that is neither here nor in [`WRITTEN`] fails a test.
pub const NOT_WRITTEN: &[(&str, &str)] = &[
    ("utm", "it comes with the lead, and never after"),
    ("lead_obra", "it is written with the lead's own row"),
    ("visita_persona", "it is written with its visit"),
    ("rendicion", "the program makes it of a photo, at any time"),
    ("blob_marca", "a sweep of files"),
    ("lead_leido", "a look writes nothing about the person"),
    ("lead_visto", "a look writes nothing about the person"),
    ("lead_actividad", "it is projected from the others"),
    ("lead_busqueda", "it is projected from the others"),
    ("lead.fotos_solicitadas_at", "the caller says it, and the row is stamped"),
    ("lead.bucle_desde", "photos and events move the loop, and have their own time"),
    ("lead.bucle_limite", "photos and events move the loop, and have their own time"),
    ("calificacion.creado_en", "the row is stamped whenever it changes"),
    ("consentimiento.otorgado_en", "the caller says it"),
    ("mensaje.caduca", "when a reply is not worth sending any more"),
    ("atencion.desde", "who takes over writes then, or later"),
    ("borrador.creado_en", "the draft is saved then, or later"),
    ("lead_gestion.archivado_desde", "archiving it was later"),
    ("visita.inicio", "its end is later"),
    ("visita.cancelada_en", "the visit is changed then, or later"),
    ("visita.creada_en", "the visit is changed then, or later"),
    ("visita.vigente_hasta", "it is the visit's end"),
    ("trabajo.proximo_en", "when the outbox tries again; where it is paused, never"),
    ("trabajo.arrendado_hasta", "who tries"),
];

/// A retention rule of a company: which leads are erased, and the time before which the last write about them must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The etapas to which it applies.
    pub etapas: Vec<&'static str>,
    /// The term is over for leads about which nobody wrote since.
    pub before: Timestamp,
}

/// An erasure of one lead.
#[derive(Debug, Clone)]
pub struct EraseLead {
    pub lead: LeadId,
    pub reason: ErasureReason,
    /// If set, the lead is erased only if this term is over for all leads of the person, checked in the erasure's
    /// transaction.
    pub term: Option<Term>,
    /// Who erases it.
    pub who: String,
    /// How long accepted quotes are kept.
    pub retention: Retention,
    pub audit: AuditEntry,
    pub at: Timestamp,
}

impl EraseLead {
    /// The quotes that the law requires to keep, each with the end of its retention. Engines read them; this decides.
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

/// The result of erasing a lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErasedLead {
    /// It was erased. These leads were united with it.
    Gone(Vec<LeadId>),
    /// The term is not over, so nothing was erased.
    Kept,
}

/// The data that identifies a lead in texts. The name is not used, because others may have it too.
#[derive(Debug, Clone)]
pub struct Traces {
    pub empresa: EmpresaId,
    /// The digits of its telephone.
    pub digits: Vec<String>,
    /// Its e-mail, in lower case.
    pub emails: Vec<String>,
}

impl Traces {
    pub fn new(empresa: EmpresaId, telefono: &Telefono, email: &Email) -> Self {
        let mut emails = vec![email.typed.to_lowercase(), email.normal.clone()];
        emails.retain(|email| email.contains('@'));
        emails.dedup();
        Self { empresa, digits: telling_digits(&telefono.typed, &telefono.e164), emails }
    }

    /// Whether a text names the lead, in any spelling.
    pub fn stand_in(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        self.emails.iter().any(|email| lower.contains(email))
            || self.digits.iter().any(|digits| has_digits(text, digits))
    }
}

/// Scope and key of a stored call.
pub type CallName = (String, String);

/// An erasure as it is stored. Nothing in it identifies the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erasure {
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub reason: ErasureReason,
    pub who: String,
    pub asked_at: Timestamp,
    /// `None`: a part of the erasure is still to be done.
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
    /// The sealed document as it is stored.
    pub document: String,
    pub answer: Option<SignedAnswer>,
    pub blocked_at: Timestamp,
    pub until: Timestamp,
}

/// A person for whom a retention term is over ([`Term`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForgottenPerson {
    /// The principal of all their leads.
    pub lead: LeadId,
    /// The time of the last activity.
    pub since: Timestamp,
    /// How many leads the person has, including united ones.
    pub leads: usize,
}

/// A person of the company saw a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub lead: LeadId,
    pub day: Date,
    pub user: UserId,
    /// The first time on that day.
    pub at: Timestamp,
}

#[async_trait]
pub trait RightsStore: Send + Sync + 'static {
    /// Erases every row of a lead, except for accepted quotes within their legal retention, which are blocked. Whether
    /// a term is over is checked in the same transaction, in the written data. If it is done again, it does nothing.
    /// [`StoreError::LeadNotFound`](crate::StoreError::LeadNotFound): there is no such lead, and none with this id was
    /// erased.
    async fn erase_lead(&self, command: EraseLead) -> Result<ErasedLead>;
    /// Removes what others wrote about a lead while it was erased, and the remains of deleted rows outside of the
    /// tables that the engine can remove at once (SQLite's write-ahead log). `false`: a transaction may still write, or
    /// read older data; call it again later.
    async fn settle_erasure(&self, lead: LeadId) -> Result<bool>;
    /// Renews the statistics for the query planner, because they contain samples of erased rows. This is done once for
    /// several erasures, before they are ended.
    async fn forget_statistics(&self) -> Result<()>;
    /// Records that nothing is left to be done for an erasure.
    async fn end_erasure(&self, lead: LeadId, at: Timestamp) -> Result<()>;
    /// Deletes a blocked quote whose retention is over at `now`; `false` if it is not.
    async fn drop_blocked(&self, id: PresupuestoId, now: Timestamp) -> Result<bool>;
    /// Records who saw leads; for one person, lead and day the first time is kept.
    async fn note_seen(&self, seen: Vec<Seen>) -> Result<()>;
    /// Revokes the passes to a thing of the lead: from now on only passes of the next generation open it.
    /// [`StoreError::LeadNotFound`](crate::StoreError::LeadNotFound).
    async fn revoke_passes(&self, lead: LeadId, thing: Uuid, at: Timestamp, audit: AuditEntry) -> Result<()>;
    /// Gives a secret a new value; the old value is kept under another name.
    async fn rotate_secret(&self, name: String, new: [u8; 32], previous: String) -> Result<()>;
    /// Deletes the secrets with these names.
    async fn drop_secrets(&self, names: Vec<String>) -> Result<()>;
}
