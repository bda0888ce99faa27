//! The public form: what it needs beyond single commands.

mod passes;
mod sign_up;
mod wishes;

use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::{LeadId, NotaId, Zona};
use embudo_store::lead_writes::{RecordEvent, SetNota};
use embudo_store::{CallKey, Outcome};
use jiff::SignedDuration;

pub use passes::{FormPasses, PASS_LIFE, Ticket};

use crate::notices::Notice;
use crate::{App, AppError};

/// What the public form does.
#[derive(Clone, Copy)]
pub struct Forms<'a> {
    pub(crate) app: &'a App,
}

impl Forms<'_> {
    /// The person has come to the end of the form: the company is told, once.
    pub async fn completed(self, lead: LeadId) -> Result<(), AppError> {
        let jobs = self.app.jobs().notice_of_form(&Notice::CompleteForm, None);
        if jobs.is_empty() {
            return Ok(());
        }
        let at = self.app.now();
        let idempotency = Some(once("completo", lead, PASS_LIFE).with(Outcome::Done, Vec::new(), at));
        self.app.store.record_event(RecordEvent { lead, event: None, jobs, at, idempotency }).await?;
        Ok(())
    }

    /// The form's one note about a zone, in place of what it said before; an empty one is removed.
    pub async fn save_nota(self, lead: LeadId, zona: Zona, text: &str) -> Result<(), AppError> {
        let text = Some(text.to_owned()).filter(|t| !t.is_empty());
        let id = NotaId::of_form(lead, zona);
        Ok(self.app.store.set_nota(SetNota { lead, id, zona, text, at: self.app.now() }).await?)
    }

    /// Appends to a lead's ledger of consents.
    pub async fn record_consentimientos(
        self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
    ) -> Result<(), AppError> {
        Ok(self.app.store.record_consentimientos(lead, consentimientos, self.app.now()).await?)
    }
}

/// The key under which something of a lead's form is done once within a time.
fn once(what: &str, lead: LeadId, life: SignedDuration) -> CallKey {
    CallKey { scope: format!("formulario {what}"), key: lead.to_string(), cuerpo_sha256: [0; 32], life }
}
