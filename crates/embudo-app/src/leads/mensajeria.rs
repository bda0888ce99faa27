//! The lead chose to go on by messaging: the conversation is started, or the wish is recorded as simulated.

use embudo_domain::event::{Event, EventKind};
use embudo_domain::job::{Destination, JobKind};
use embudo_domain::{LeadId, Timestamp};
use embudo_store::lead_writes::RecordEvent;
use embudo_store::outbox::NewPayload;
use embudo_store::{CallKey, Outcome};

use super::Leads;
use crate::call_end::{KeySlot, end_call};
use crate::{AppError, CallEnd};

/// Why nothing can be sent by messaging, and why no mail can be sent.
pub(crate) const NO_TELEPHONE: &str = "el lead no tiene teléfono";
pub(crate) const NO_EMAIL: &str = "el lead no tiene correo";

/// The event for something that was not sent because the lead has no address for it.
pub(crate) fn unaddressed(kind: EventKind, why: &str, at: Timestamp) -> Event {
    Event { kind, simulated: false, ok: false, detail: Some(why.to_owned()), creado_en: at }
}

impl Leads<'_> {
    /// Sends the signal that starts a conversation, and waits for its first attempt.
    pub async fn start_mensajeria(self, lead: LeadId, key: Option<CallKey>) -> Result<CallEnd, AppError> {
        let at = self.app.now();
        let is_received = self.app.receivers_for(lead).await?.has(Destination::Mensajeria);
        let kind = EventKind::Mensajeria;
        let (event, jobs) = if self.app.store.lead(lead).await?.e164().is_none() {
            (Some(unaddressed(kind, NO_TELEPHONE, at)), Vec::new())
        } else if is_received {
            (None, vec![self.app.jobs().own(JobKind::Mensajeria, NewPayload::Mensajeria)])
        } else {
            (Some(Event { kind, simulated: true, ok: false, detail: None, creado_en: at }), Vec::new())
        };
        let ids: Vec<_> = jobs.iter().map(|t| t.id).collect();
        let outcome = Outcome::MensajeriaStarted { accepted: false };
        let idempotency = key.map(|key| key.with(outcome.clone(), ids.clone(), at));
        let slot = KeySlot::of(idempotency.as_ref());
        let done = self.app.store.record_event(RecordEvent { lead, event, jobs, at, idempotency }).await?;
        end_call(self.app, done, outcome, ids, slot).await
    }
}
