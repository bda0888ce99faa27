//! How the lead of a form wants to go on: by messaging, or by being called. Either is the consent to be reached there.

use embudo_domain::LeadId;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::event::{Event, EventKind};
use embudo_store::lead_writes::RecordEvent;
use embudo_store::{Outcome, StoreError};
use jiff::SignedDuration;

use super::{Forms, once};
use crate::AppError;
use crate::notices::Notice;

/// A wish pressed twice within this time is one wish.
const SAME_WISH: SignedDuration = SignedDuration::from_secs(60);

impl Forms<'_> {
    /// The lead goes on by messaging: its consent for that channel is written down and the conversation started, once a minute
    /// at most. A first wish that is still on its way is as good as this one.
    pub async fn go_on_by_mensajeria(self, lead: LeadId, texto_version: &str) -> Result<(), AppError> {
        self.consent_to_channel(lead, "mensajeria", texto_version).await?;
        match self.app.leads().start_mensajeria(lead, Some(once("mensajeria", lead, SAME_WISH))).await {
            Ok(_) | Err(AppError::Store(StoreError::KeyInProgress)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The lead would rather be called: the wish stands in its history, once a minute at most.
    pub async fn ask_for_call(self, lead: LeadId, texto_version: &str) -> Result<(), AppError> {
        self.consent_to_channel(lead, "llamada", texto_version).await?;
        let at = self.app.now();
        let event = Event { kind: EventKind::Call, simulated: false, ok: true, detail: None, creado_en: at };
        let idempotency = Some(once("llamada", lead, SAME_WISH).with(Outcome::Done, Vec::new(), at));
        let jobs = self.app.jobs().notice_of_form(&Notice::Call, None);
        let command = RecordEvent { lead, event: Some(event), jobs, at, idempotency };
        self.app.store.record_event(command).await?;
        Ok(())
    }

    /// Asking to be reached by a channel is the consent to be reached there about this quote. Said again, it is not written again.
    async fn consent_to_channel(
        self,
        lead: LeadId,
        channel: &str,
        texto_version: &str,
    ) -> Result<(), AppError> {
        let record = self.app.store.record(lead).await?;
        let same = |c: &&Consentimiento| c.purpose == "contacto" && c.channel.as_deref() == Some(channel);
        let last = record.consentimientos.iter().rev().find(same);
        if last.is_some_and(|c| c.granted && c.texto_version == texto_version) {
            return Ok(());
        }
        let consentimiento = Consentimiento {
            purpose: "contacto".to_owned(),
            channel: Some(channel.to_owned()),
            texto_version: texto_version.to_owned(),
            source: Some("web".to_owned()),
            granted: true,
            otorgado_en: None,
        };
        self.record_consentimientos(lead, vec![consentimiento]).await
    }
}
