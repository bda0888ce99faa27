//! Corrections of a lead: by the client in the form, by the API, and by a person on the lead's page.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::facts::{Editable as _, Facts, audit_texts};
use embudo_domain::lead::Lead;
use embudo_domain::{LeadId, Timestamp};

use crate::Result;
use crate::edited::Edited;
use crate::lead_writes::{ClearPerfil, SetNota};
use crate::leads::UpdateContact;

/// A person's edit of the facts that they saw.
#[derive(Debug, Clone)]
pub struct EditLead {
    pub lead: LeadId,
    pub seen: Facts,
    pub edited: Facts,
    /// Who makes the change; `decide` adds the old and the new values.
    pub audit: AuditEntry,
    pub at: Timestamp,
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

/// Corrections. All fail with [`crate::StoreError::LeadNotFound`] if there is no such lead.
#[async_trait]
pub trait LeadEditStore: Send + Sync + 'static {
    /// Corrects or clears facts, with an entry in the audit log.
    async fn edit_lead(&self, command: EditLead) -> Result<Edited>;
    /// Corrects contact data and obra, all or nothing.
    async fn update_contact(&self, command: UpdateContact) -> Result<()>;
    /// Appends consents, or their withdrawal, to those of a lead; a consent without a moment was given at `at`.
    async fn record_consentimientos(
        &self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
        at: Timestamp,
    ) -> Result<()>;
    /// Removes answers; the other answers stay.
    async fn clear_perfil(&self, command: ClearPerfil) -> Result<()>;
    /// Writes a note, replacing the text under its id, or removes it; the note keeps its position among the lead's
    /// notes. Removing a note that does not exist succeeds.
    async fn set_nota(&self, command: SetNota) -> Result<()>;
}
