//! A new lead: the parsed data becomes a command, with its search text.

use embudo_domain::LeadId;
use embudo_domain::lead::NewLead;
use embudo_domain::signal::{EventTopic, NewEvent};
use embudo_store::leads::CreateLead;
use embudo_store::leads::search_text;
use embudo_store::outbox::NewJob;
use embudo_store::{CallKey, Done, Idempotency, Outcome};

use super::Leads;
use crate::notices::Notice;
use crate::{AppError, CallEnd};

impl Leads<'_> {
    /// Creates a lead and notifies the company at once.
    pub async fn create(self, new: NewLead, key: Option<CallKey>) -> Result<CallEnd, AppError> {
        let id = LeadId(self.app.id());
        let outcome = Outcome::LeadCreated { id };
        let idempotency = key.map(|key| key.with(outcome.clone(), Vec::new(), self.app.now()));
        let done =
            self.create_telling(id, new, idempotency, self.app.jobs().notice(&Notice::NewLead)).await?;
        Ok(CallEnd::of(done, outcome))
    }

    /// Creates a lead that is imported from elsewhere. Nobody is notified.
    pub async fn import(self, new: NewLead) -> Result<LeadId, AppError> {
        let id = LeadId(self.app.id());
        let command = CreateLead { imported: true, ..self.command(id, new) };
        self.app.store.create_lead(command).await?;
        Ok(id)
    }

    /// Creates a lead under this id, with these notices to the company, and an event.
    pub(crate) async fn create_telling(
        self,
        id: LeadId,
        new: NewLead,
        idempotency: Option<Idempotency>,
        mut jobs: Vec<NewJob>,
    ) -> Result<Done, AppError> {
        let event = NewEvent::plain(EventTopic::LeadCreated);
        let event = self.app.jobs().event(new.empresa, event).await?;
        let is_told = event.is_some();
        jobs.extend(event);
        let command = CreateLead { jobs, idempotency, ..self.command(id, new) };
        let done = self.app.store.create_lead(command).await?;
        if is_told {
            self.app.attempts.notify();
        }
        Ok(done)
    }

    fn command(self, id: LeadId, new: NewLead) -> CreateLead {
        CreateLead {
            id,
            empresa: new.empresa,
            search: search_text(&new.nombre, &new.email.typed, &new.telefono.e164, new.provincia.as_deref()),
            nombre: new.nombre,
            telefono: new.telefono,
            email: new.email,
            provincia: new.provincia,
            perfil: new.perfil,
            obra: new.obra,
            utm: new.utm,
            consentimientos: new.consentimientos,
            imported: false,
            jobs: Vec::new(),
            at: self.app.now(),
            idempotency: None,
        }
    }
}
