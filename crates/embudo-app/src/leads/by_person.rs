//! What a person does with a lead in the panel: the same as the API does, with an audit log entry.

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::facts::Facts;
use embudo_domain::ingesta::{Ingesta, Item};
use embudo_domain::intento::Intento;
use embudo_domain::lead::{Lead, NewLead};
use embudo_domain::{EmpresaId, IntentoId, LeadId, Zona};
use embudo_store::edited::Edited;
use embudo_store::lead_edits::EditLead;
use embudo_store::lead_writes::RecordIntento;
use embudo_store::{CallKey, Done, Outcome, StoreError};

use super::Leads;
use crate::{Actor, AppError, CallEnd, KnownBy};

/// Whether a person signals a complete profile for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfileSignal {
    First,
    Again,
}

impl Leads<'_> {
    /// Changes the known data of a lead; the person saw the lead as `seen`.
    pub async fn edit(self, seen: &Lead, edited: Facts, actor: &Actor) -> Result<Edited, AppError> {
        let audit = self.entry(seen.id, seen.empresa.id, AuditAction::LeadChanged, actor);
        let (at, lead, seen) = (self.app.now(), seen.id, Facts::of(seen));
        Ok(self.app.store.edit_lead(EditLead { lead, seen, edited, audit, at }).await?)
    }

    /// Creates a lead that a person enters in the panel.
    pub async fn create_by(
        self,
        new: NewLead,
        empresa: EmpresaId,
        key: CallKey,
        actor: &Actor,
    ) -> Result<LeadId, AppError> {
        let end = self.create(NewLead { empresa: Some(empresa), ..new }, Some(key)).await?;
        let Outcome::LeadCreated { id } = end.outcome else {
            return Err(StoreError::Internal("a lead was created and has no id".into()).into());
        };
        if !end.is_replay {
            self.log(id, empresa, AuditAction::LeadCreated, None, actor).await?;
        }
        Ok(id)
    }

    /// Records a call.
    pub async fn record_call(
        self,
        lead: &Lead,
        intento: Intento,
        key: CallKey,
        actor: &Actor,
    ) -> Result<(), AppError> {
        let (id, at) = (IntentoId(self.app.id()), self.app.now());
        let told = intento.result.map_or("sin resultado", |result| result.as_str());
        let idempotency = Some(key.with(Outcome::IntentoRecorded { id }, Vec::new(), at));
        let command = RecordIntento { id, lead: lead.id, intento, at, idempotency };
        if self.app.store.record_intento(command).await? == Done::Now {
            self.log(lead.id, lead.empresa.id, AuditAction::LeadCalled, Some(told.to_owned()), actor).await?;
        }
        Ok(())
    }

    /// Sends the signal that starts a conversation.
    pub async fn start_mensajeria_by(
        self,
        lead: &Lead,
        key: CallKey,
        actor: &Actor,
    ) -> Result<CallEnd, AppError> {
        let end = self.start_mensajeria(lead.id, Some(key)).await?;
        self.log_press(&end, lead, AuditAction::LeadMessaging, actor).await?;
        Ok(end)
    }

    /// Marks the profile as complete, for the first time or again.
    pub async fn complete_by(
        self,
        lead: &Lead,
        signal: ProfileSignal,
        key: CallKey,
        actor: &Actor,
    ) -> Result<CallEnd, AppError> {
        let action = match signal {
            ProfileSignal::First => AuditAction::LeadComplete,
            ProfileSignal::Again => AuditAction::LeadResignalled,
        };
        let ingesta = Ingesta { items: Vec::new(), perfil_completo: true, finalizar: false };
        let end = self.app.ingesta().ingest(lead.id, ingesta, KnownBy::Key(key)).await?;
        self.log_press(&end, lead, action, actor).await?;
        Ok(end)
    }

    /// Makes the quote and sends it.
    pub async fn finalize_by(self, lead: &Lead, key: CallKey, actor: &Actor) -> Result<CallEnd, AppError> {
        let ingesta = Ingesta { items: Vec::new(), perfil_completo: false, finalizar: true };
        let end = self.app.ingesta().ingest(lead.id, ingesta, KnownBy::Key(key)).await?;
        self.log_press(&end, lead, AuditAction::LeadFinalized, actor).await?;
        Ok(end)
    }

    /// Adds photos, all of the same zona.
    pub async fn add_photos(
        self,
        lead: &Lead,
        photos: Vec<Item>,
        zona: Option<Zona>,
        actor: &Actor,
    ) -> Result<(), AppError> {
        let after = format!("{} · {}", photos.len(), zona.map_or("sin zona", Zona::as_str));
        let ingesta = Ingesta { items: photos, perfil_completo: false, finalizar: false };
        self.app.ingesta().ingest(lead.id, ingesta, KnownBy::Nothing).await?;
        self.log(lead.id, lead.empresa.id, AuditAction::LeadPhotos, Some(after), actor).await
    }

    /// Logs the action of a button. If the button is pressed twice, there is one entry.
    async fn log_press(
        self,
        end: &CallEnd,
        lead: &Lead,
        action: AuditAction,
        actor: &Actor,
    ) -> Result<(), AppError> {
        match end.is_replay {
            true => Ok(()),
            false => self.log(lead.id, lead.empresa.id, action, None, actor).await,
        }
    }

    /// Writes the audit log entry of an action on a lead.
    pub(crate) async fn log(
        self,
        lead: LeadId,
        empresa: EmpresaId,
        action: AuditAction,
        after: Option<String>,
        actor: &Actor,
    ) -> Result<(), AppError> {
        let entry = AuditEntry { after, ..self.entry(lead, empresa, action, actor) };
        Ok(self.app.store.record_audit(entry).await?)
    }

    /// The audit log entry of a change to a lead, to be written in the same transaction.
    pub(crate) fn entry(
        self,
        lead: LeadId,
        empresa: EmpresaId,
        action: AuditAction,
        actor: &Actor,
    ) -> AuditEntry {
        let entry = self.app.access().audit(actor, action);
        AuditEntry { empresa: Some(empresa), object: Some(lead.to_string()), ..entry }
    }
}
