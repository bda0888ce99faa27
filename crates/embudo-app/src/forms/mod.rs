//! The use cases of the public form that take more than a single command.

mod answers;
mod passes;
mod receipt;
mod reminders;
mod sign_up;
mod what_follows;
mod wishes;

use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::ingesta::Ingesta;
use embudo_domain::job::{Destination, JobKind};
use embudo_domain::settings::FormEnd;
use embudo_domain::{LeadId, NotaId, Zona};
use embudo_store::lead_writes::{RecordEvent, SetNota};
use embudo_store::outbox::NewPayload;
use embudo_store::{CallKey, Outcome};
use jiff::SignedDuration;

pub use passes::{FormPasses, PASS_LIFE, PageSecret, Ticket};
pub(crate) use reminders::refusal_url;
pub use what_follows::WhatFollows;
pub use wishes::MessageWish;

use crate::jobs::{PresupuestoPayload, as_text};
use crate::notices::Notice;
use crate::{App, AppError};

/// The use cases of the public form.
#[derive(Clone, Copy)]
pub struct Forms<'a> {
    pub(crate) app: &'a App,
}

impl Forms<'_> {
    /// Whether the person has sent the form.
    pub async fn is_completed(self, lead: LeadId) -> Result<bool, AppError> {
        let CallKey { scope, key, .. } = completion(lead);
        Ok(self.app.store.was_done(scope, key, self.app.now()).await?)
    }

    /// The person has sent the form. Notifies the company and does what the company chose for the end of the form, all
    /// of it once. This does not wait until anything is sent.
    pub async fn completed(self, lead: LeadId) -> Result<(), AppError> {
        let empresa = self.app.store.lead(lead).await?.empresa.id;
        let settings = self.app.store.settings(empresa).await?;
        let is_connected = self.app.receivers_by(&settings.connections).has(Destination::Perfil);
        let end = settings.form_end(is_connected);
        let notice = || self.app.jobs().notice_of_form(&Notice::CompleteForm, None);
        let (jobs, at) = (self.app.jobs(), self.app.now());
        let ingesta = |perfil_completo, finalizar| Ingesta { items: Vec::new(), perfil_completo, finalizar };
        let ingesta = match end {
            FormEnd::Signal => ingesta(true, false),
            FormEnd::Quote => ingesta(false, true),
            FormEnd::Draft | FormEnd::Nothing => ingesta(false, false),
        };
        let sent = match end {
            FormEnd::Nothing => notice(),
            FormEnd::Signal => {
                let signal = is_connected.then(|| jobs.shared(JobKind::Perfil, NewPayload::Perfil));
                notice().into_iter().chain(signal).collect()
            }
            FormEnd::Quote => {
                let quote = as_text(&PresupuestoPayload::new(self.app));
                notice().into_iter().chain([jobs.shared(JobKind::Presupuesto, quote)]).collect()
            }
            // The mail about the draft also says that the form is complete.
            FormEnd::Draft => {
                vec![jobs.shared(JobKind::Presupuesto, as_text(&PresupuestoPayload::of_form(self.app)))]
            }
        };
        let key = completion(lead).with(Outcome::Done, Vec::new(), at);
        self.app.ingesta().leave(lead, ingesta, sent, key).await?;
        self.app.attempts.notify();
        Ok(())
    }

    /// Notifies the company once that a form is complete.
    pub(crate) async fn tell(self, lead: LeadId) -> Result<(), AppError> {
        let jobs = self.app.jobs().notice_of_form(&Notice::CompleteForm, None);
        if jobs.is_empty() {
            return Ok(());
        }
        let at = self.app.now();
        let idempotency = Some(once("aviso", lead, PASS_LIFE).with(Outcome::Done, Vec::new(), at));
        self.app.store.record_event(RecordEvent { lead, event: None, jobs, at, idempotency }).await?;
        Ok(())
    }

    /// Stores the form's only note about a zone, which replaces its earlier text. An empty text removes the note.
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

/// The idempotency key for completing a form.
pub(crate) fn completion(lead: LeadId) -> CallKey {
    once("completo", lead, PASS_LIFE)
}

/// The idempotency key under which an action of a lead's form is done once within a time.
fn once(what: &str, lead: LeadId, life: SignedDuration) -> CallKey {
    CallKey { scope: format!("formulario {what}"), key: lead.to_string(), cuerpo_sha256: [0; 32], life }
}
