//! One lead as a person sees it: its current data, its timeline in pages, and a person's corrections.

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

/// The current data of a lead. Its size does not grow with the conversation.
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

/// The maximum of photos in a sheet.
pub const MAX_FOTOS: u32 = 200;
/// The maximum of consents in a sheet.
pub const MAX_CONSENTS: u32 = 30;

/// A page of the timeline of a lead, or of several leads of one person.
#[derive(Debug, Clone)]
pub struct TimelinePage {
    pub kinds: Vec<MomentKind>,
    /// Only entries that are older than this.
    pub before: Option<TimelineCursor>,
    pub limit: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TimelineEntry {
    pub moment: Moment,
    /// Its position; the next page starts after it.
    pub cursor: TimelineCursor,
}

/// A person's edit of the facts that they saw.
#[derive(Debug, Clone)]
pub struct EditLead {
    pub lead: LeadId,
    pub seen: Facts,
    pub edited: Facts,
    /// Who makes the change; the changed values are filled in here.
    pub audit: AuditEntry,
    pub at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    Saved,
    /// The value is the same already: nothing was written.
    Same,
    /// Somebody else changed the same field since: nothing was written.
    Stale,
}

impl EditLead {
    /// The values to be written over the current ones, with the entry for the audit log. Engines lock and write; this
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

/// The states that changed to a new value, for the history: column and value.
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
    /// Corrects or clears facts, with an entry in the audit log. [`crate::StoreError::LeadNotFound`].
    async fn edit_lead(&self, command: EditLead) -> Result<Edited>;
}
