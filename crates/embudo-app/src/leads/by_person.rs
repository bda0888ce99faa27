//! What a person does with a lead in the panel: the same as the API does, with a line in the audit log.

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::facts::Facts;
use embudo_domain::intento::Intento;
use embudo_domain::lead::{Lead, NewLead};
use embudo_domain::{EmpresaId, IntentoId, LeadId};
use embudo_store::lead_writes::RecordIntento;
use embudo_store::sheet::{EditLead, Edited};
use embudo_store::{CallKey, Done, Outcome, StoreError};

use super::Leads;
use crate::{Actor, AppError};

impl Leads<'_> {
    /// Changes what is known of a lead, which the person saw as `seen`.
    pub async fn edit(self, seen: &Lead, edited: Facts, actor: &Actor) -> Result<Edited, AppError> {
        let audit = self.entry(seen.id, seen.empresa.id, AuditAction::LeadChanged, actor);
        let (at, lead, seen) = (self.app.now(), seen.id, Facts::of(seen));
        Ok(self.app.store.edit_lead(EditLead { lead, seen, edited, audit, at }).await?)
    }

    /// Creates a lead that somebody told a person of.
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

    /// Writes down a call.
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

    /// Writes the line in the audit log of what was done to a lead.
    pub async fn log(
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

    /// The audit line of a change to a lead, to be written in the same transaction.
    pub fn entry(self, lead: LeadId, empresa: EmpresaId, action: AuditAction, actor: &Actor) -> AuditEntry {
        let entry = self.app.access().audit(actor, action);
        AuditEntry { empresa: Some(empresa), object: Some(lead.to_string()), ..entry }
    }
}
