//! One lead as a person looks at it: what it is now, what happened in pages, and what a person corrects.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::calificacion::Calificacion;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::facts::{Editable as _, Facts, audit_texts};
use embudo_domain::foto::Foto;
use embudo_domain::lead::Lead;
use embudo_domain::presupuesto::PresupuestoSummary;
use embudo_domain::timeline::{Moment, MomentKind, TimelineCursor};
use embudo_domain::{LeadId, Timestamp};

use crate::Result;

/// What a lead is now. Its size does not grow with what was said.
#[derive(Debug, Clone, PartialEq)]
pub struct LeadSheet {
    pub lead: Lead,
    pub calificacion: Option<Calificacion>,
    /// The first photos, by number; at most [`MAX_FOTOS`].
    pub fotos: Vec<Foto>,
    /// Quotes, newest first.
    pub presupuestos: Vec<PresupuestoSummary>,
    /// The last consents, newest first; at most [`MAX_CONSENTS`].
    pub consentimientos: Vec<Consentimiento>,
    /// When the client last wrote.
    pub last_written: Option<Timestamp>,
    /// The highest number among the call attempts.
    pub last_call: i64,
}

/// The most photos that a sheet holds.
pub const MAX_FOTOS: u32 = 200;
/// The most consents that a sheet holds.
pub const MAX_CONSENTS: u32 = 30;

/// Which page of the line of time of a lead, or of several that are one person.
#[derive(Debug, Clone)]
pub struct TimelinePage {
    pub kinds: Vec<MomentKind>,
    /// Only what is older than this.
    pub before: Option<TimelineCursor>,
    pub limit: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TimelineEntry {
    pub moment: Moment,
    /// Its place; the next page starts after it.
    pub cursor: TimelineCursor,
}

/// What a person made of the facts that they saw.
#[derive(Debug, Clone)]
pub struct EditLead {
    pub lead: LeadId,
    pub seen: Facts,
    pub edited: Facts,
    /// Who does it; what changes is filled in.
    pub audit: AuditEntry,
    pub at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    Saved,
    /// It says so already: nothing was written.
    Same,
    /// Somebody else changed the same field since: nothing was written.
    Stale,
}

impl EditLead {
    /// What is to be written over what is there now, with its line of the audit log. Engines lock and write; this
    /// decides, so that both decide alike.
    pub fn decide(&self, now: &Lead) -> std::result::Result<(Facts, AuditEntry), Edited> {
        let now = Facts::of(now);
        let facts = now.with_changes(&self.seen, &self.edited).ok_or(Edited::Stale)?;
        let changes = facts.changes(&now);
        if changes.is_empty() {
            return Err(Edited::Same);
        }
        let (before, after) = audit_texts(&changes);
        let audit = AuditEntry { before: Some(before), after: Some(after), ..self.audit.clone() };
        Ok((facts, audit))
    }
}

/// The states that changed to something, for the history: column and value.
pub fn new_states<'a>(facts: &'a Facts, before: &Lead) -> Vec<(&'static str, &'a str)> {
    let (now, before) = (&facts.perfil, &before.perfil);
    let estado_wa =
        now.estado_wa.filter(|_| now.estado_wa != before.estado_wa).map(|e| ("estado_wa", e.as_str()));
    let bot_step =
        now.bot_step.as_deref().filter(|_| now.bot_step != before.bot_step).map(|s| ("bot_step", s));
    estado_wa.into_iter().chain(bot_step).collect()
}

/// A lead's page.
#[async_trait]
pub trait SheetStore: Send + Sync + 'static {
    /// Corrects facts, or clears them, with their line in the audit log. [`crate::StoreError::LeadNotFound`].
    async fn edit_lead(&self, command: EditLead) -> Result<Edited>;
}
