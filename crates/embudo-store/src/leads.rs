//! Leads: created, corrected, shown and listed.

use async_trait::async_trait;
use embudo_domain::calificacion::Nivel;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::contact::{Email, Telefono};
use embudo_domain::event::Event;
use embudo_domain::lead::ContactPatch;
use embudo_domain::obra::{Obra, ObraPatch};
use embudo_domain::perfil::{CanalOrigen, EstadoWa, Perfil};
use embudo_domain::record::LeadRecord;
use embudo_domain::search::{fold, has_trigrams};
use embudo_domain::{EmpresaId, LeadId, Timestamp, Zona};
use uuid::Uuid;

use crate::outbox::NewJob;
use crate::{Done, Idempotency, Result};

#[derive(Debug, Clone)]
pub struct CreateLead {
    pub id: LeadId,
    /// Its company; the default one when absent.
    pub empresa: Option<EmpresaId>,
    /// The client's name.
    pub nombre: String,
    /// The client's telephone.
    pub telefono: Telefono,
    /// The client's e-mail.
    pub email: Email,
    /// The client's province.
    pub provincia: Option<String>,
    /// Name, e-mail, telephone and province folded for searching.
    pub search: String,
    /// Fields of the profile known from the start.
    pub perfil: Perfil,
    /// What is known about the obra, which decides tax and price.
    pub obra: Obra,
    /// Campaign and ad ids.
    pub utm: Vec<(String, String)>,
    pub consentimientos: Vec<Consentimiento>,
    /// Whether the lead was imported: it was known elsewhere before, so nobody has to make the first contact.
    pub imported: bool,
    /// Jobs to be made in the same transaction.
    pub jobs: Vec<NewJob>,
    pub at: Timestamp,
    /// The call's key.
    pub idempotency: Option<Idempotency>,
}

/// Corrected contact data and obra (what decides tax and price).
#[derive(Debug, Clone)]
pub struct UpdateContact {
    pub lead: LeadId,
    /// The changes. The engine updates the search text from the resulting contact data ([`crate::leads::search_text`]).
    pub patch: ContactPatch,
    pub obra: ObraPatch,
    /// The pass, or the secret of the page, with which a client sent the change. If the e-mail changes, every other
    /// pass to the lead's form is revoked, because one may have been mailed to a wrong address. `None`: nothing is
    /// revoked.
    pub through: Option<Uuid>,
    pub at: Timestamp,
}

/// Which leads; every condition that is set must hold.
#[derive(Debug, Clone, Default)]
pub struct LeadFilter {
    pub empresa: Option<EmpresaId>,
    /// With this telephone, as E.164.
    pub telefono_e164: Option<String>,
    /// With this e-mail, in lower case.
    pub email_normal: Option<String>,
    pub tipo_reforma: Option<Zona>,
    /// Qualified at this level.
    pub nivel: Option<Nivel>,
    pub canal_origen: Option<CanalOrigen>,
    pub viable: Option<bool>,
    /// In this message state.
    pub estado_wa: Option<EstadoWa>,
    /// Whose search text contains this, folded ([`fold`]). `%` and `_` mean themselves.
    pub text: Option<String>,
    /// Created at this instant or later.
    pub since: Option<Timestamp>,
    /// Created before this instant.
    pub until: Option<Timestamp>,
}

impl LeadFilter {
    /// Whether an engine may have to scan all leads: no index finds the requested leads, and few leads may match.
    /// Engines limit how many such scans run at once, so that other reads do not wait for them.
    pub fn walks(&self) -> bool {
        let is_searched = self.text.is_some()
            || self.tipo_reforma.is_some()
            || self.nivel.is_some()
            || self.canal_origen.is_some()
            || self.viable.is_some()
            || self.estado_wa.is_some();
        is_searched && !self.names_one()
    }

    /// Whether the filter names a telephone or an e-mail, which few leads share.
    pub fn names_one(&self) -> bool {
        self.telefono_e164.is_some() || self.email_normal.is_some()
    }

    /// The parts of the searched text that are looked up in a trigram index: its first lines, long ones cut. Each line
    /// is looked up by itself, because the indexed text of a lead may have its lines in another order.
    pub fn indexed(&self) -> impl Iterator<Item = &str> {
        let lines = self.text.iter().flat_map(|text| text.split('\n')).filter(|line| has_trigrams(line));
        lines.take(INDEXED_LINES).map(|line| match line.char_indices().nth(INDEXED_CHARS) {
            Some((end, _)) => &line[..end],
            None => line,
        })
    }
}

/// How much of a searched text is looked up in an index. The leads that it finds are compared with the whole text.
const INDEXED_LINES: usize = 4;
const INDEXED_CHARS: usize = 64;

/// The last lead of a page; the next page starts after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// When that lead was created.
    pub creado_en: Timestamp,
    pub id: LeadId,
}

/// The text in which a search looks for a lead.
pub fn search_text(nombre: &str, email: &str, e164: &str, provincia: Option<&str>) -> String {
    fold(&[nombre, email, e164, provincia.unwrap_or("")].join("\n"))
}

/// The position of an event among a lead's events: by time, then the lead's own events before changes of state, then in
/// the order they were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventCursor {
    pub creado_en: Timestamp,
    /// 0: an event; 1: a change of state.
    pub class: i16,
    /// The serial number of its row within its class.
    pub n: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEvent {
    pub event: Event,
    /// Its position; the next page starts after it.
    pub cursor: EventCursor,
}

/// Leads and their records.
#[async_trait]
pub trait LeadStore: Send + Sync + 'static {
    /// Creates a lead with its consents. [`crate::StoreError::EmpresaNotFound`] if its company is unknown,
    /// [`crate::StoreError::LeadNotFound`] if a lead with this id was erased: the id of an erased lead is never used
    /// again.
    async fn create_lead(&self, command: CreateLead) -> Result<Done>;
    /// The whole record of a lead.
    async fn record(&self, lead: LeadId) -> Result<LeadRecord>;
}
