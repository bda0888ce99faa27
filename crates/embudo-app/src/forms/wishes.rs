//! How the lead of a form wants to continue: by messaging, or by a call. Either wish is the consent to be contacted in
//! this way.

use embudo_domain::LeadId;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::job::Destination;
use embudo_domain::record::LeadRecord;
use embudo_domain::signal::{EventTopic, NewEvent};
use embudo_store::lead_writes::RecordEvent;
use embudo_store::{CallKey, Outcome, StoreError};
use jiff::SignedDuration;

use super::{Forms, once};
use crate::notices::Notice;
use crate::{AppError, Counted};

/// If a button is pressed twice within this time, it counts as one wish.
const SAME_WISH: SignedDuration = SignedDuration::from_secs(60);
/// For how long a lead may have messages sent to only one number. This limits messages to strangers.
const SAME_NUMBER: SignedDuration = SignedDuration::from_hours(24);
/// The maximum number of messages that one telephone gets, and that one lead starts, in a day.
const MESSAGES_PER_DAY: u32 = 5;
/// The maximum number of messages that one network address starts in an hour.
const MESSAGES_PER_HOUR: u32 = 5;
/// The maximum number of calls that one lead may request in a day with a notice to the company.
const CALLS_PER_DAY: u32 = 5;

/// The result of the wish to continue by messaging.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageWish {
    /// The conversation is started, or would be if a receiver were connected.
    Started,
    /// A person looks at the request first.
    Waits,
}

impl Forms<'_> {
    /// The lead continues by messaging. This records the consent for that channel and starts the conversation, once a
    /// minute at most. A first press that is still running counts as this one. `network` is the visitor's address,
    /// where it is known.
    ///
    /// A visitor can type any telephone. So a message to a corrected number, or a message over the limit, is not sent:
    /// it is recorded in the lead's history, the company is notified, and a person sends it from the panel.
    pub async fn go_on_by_mensajeria(
        self,
        lead: LeadId,
        texto_version: &str,
        network: &[u8],
    ) -> Result<MessageWish, AppError> {
        let record = self.app.store.record(lead).await?;
        self.consent_to_channel(&record, "mensajeria", texto_version).await?;
        let telefono = &record.lead.telefono_e164;
        if telefono.is_empty() {
            self.note_waiting(lead).await?;
            return Ok(MessageWish::Waits);
        }
        let sends = self.app.receivers_for(lead).await?.has(Destination::Mensajeria);
        if sends && !self.may_write(lead, telefono, network).await? {
            self.note_waiting(lead).await?;
            return Ok(MessageWish::Waits);
        }
        match self.app.leads().start_mensajeria(lead, Some(once("mensajeria", lead, SAME_WISH))).await {
            Ok(_) | Err(AppError::Store(StoreError::KeyInProgress)) => Ok(MessageWish::Started),
            Err(error) => Err(error),
        }
    }

    /// Counts a message, unless it repeats the last wish. `false`: the number is not that of the lead's first message
    /// of the day, or the limit of the lead, the address or the telephone is reached. The telephone is counted last, so
    /// that refused messages do not use up the quota of a stranger's telephone.
    async fn may_write(self, lead: LeadId, telefono: &str, network: &[u8]) -> Result<bool, AppError> {
        if !self.is_first_number(lead, telefono).await? {
            return Ok(false);
        }
        if self.was_pressed("mensajeria", lead).await? {
            return Ok(true);
        }
        let limits = self.app.limits();
        let counts = [
            (Counted::MessageLead, lead.0.as_bytes().as_slice(), MESSAGES_PER_DAY),
            (Counted::MessageAddress, network, MESSAGES_PER_HOUR),
            (Counted::MessageTelephone, telefono.as_bytes(), MESSAGES_PER_DAY),
        ];
        for (kind, subject, limit) in counts {
            if limits.count(kind, subject, 1, limit).await.is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether this button was pressed within the last minute: a second press is not counted.
    async fn was_pressed(self, what: &str, lead: LeadId) -> Result<bool, AppError> {
        let CallKey { scope, key, .. } = once(what, lead, SAME_WISH);
        Ok(self.app.store.was_done(scope, key, self.app.now()).await?)
    }

    /// Whether this is the number of the lead's first message of the day, or whether this is that first message. The
    /// key contains a keyed hash of the number.
    async fn is_first_number(self, lead: LeadId, telefono: &str) -> Result<bool, AppError> {
        let veil = self.app.outbound.passes.veil("numero", telefono.as_bytes());
        let cuerpo_sha256 = [veil, veil].concat().try_into().expect("twice 16 bytes");
        let key = CallKey { cuerpo_sha256, ..once("numero", lead, SAME_NUMBER) };
        let at = self.app.now();
        let idempotency = Some(key.with(Outcome::Done, Vec::new(), at));
        let command = RecordEvent { lead, event: None, jobs: Vec::new(), at, idempotency };
        match self.app.store.record_event(command).await {
            Ok(_) => Ok(true),
            Err(StoreError::KeyReused) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// A message waits for a person: once a day this is recorded in the lead's history, and the company is notified.
    async fn note_waiting(self, lead: LeadId) -> Result<(), AppError> {
        let at = self.app.now();
        let kind = EventKind::MensajeriaWaits;
        let event = Some(Event { kind, simulated: false, ok: true, detail: None, creado_en: at });
        let jobs = self.app.jobs().notice_of_form(&Notice::MessageWaits, None);
        let idempotency =
            Some(once("mensajeria en espera", lead, SAME_NUMBER).with(Outcome::Done, Vec::new(), at));
        self.app.store.record_event(RecordEvent { lead, event, jobs, at, idempotency }).await?;
        Ok(())
    }

    /// The lead wants to be called: the wish is recorded in its history, at most once a minute and a limited number of
    /// times a day.
    pub async fn ask_for_call(self, lead: LeadId, texto_version: &str) -> Result<(), AppError> {
        let record = self.app.store.record(lead).await?;
        self.consent_to_channel(&record, "llamada", texto_version).await?;
        if self.was_pressed("llamada", lead).await? {
            return Ok(());
        }
        if self.app.limits().count(Counted::Call, lead.0.as_bytes(), 1, CALLS_PER_DAY).await.is_err() {
            // The company has already been notified.
            return Ok(());
        }
        let at = self.app.now();
        let event = Event { kind: EventKind::Call, simulated: false, ok: true, detail: None, creado_en: at };
        let idempotency = Some(once("llamada", lead, SAME_WISH).with(Outcome::Done, Vec::new(), at));
        let mut jobs = self.app.jobs().notice_of_form(&Notice::Call, None);
        let told = NewEvent::plain(EventTopic::CallAsked);
        jobs.extend(self.app.jobs().event(Some(record.lead.empresa.id), told).await?);
        let command = RecordEvent { lead, event: Some(event), jobs, at, idempotency };
        self.app.store.record_event(command).await?;
        self.app.attempts.notify();
        Ok(())
    }

    /// Asking to be contacted through a channel is the consent to be contacted there about this quote. A repeated
    /// consent is not recorded again.
    async fn consent_to_channel(
        self,
        record: &LeadRecord,
        channel: &str,
        texto_version: &str,
    ) -> Result<(), AppError> {
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
        self.record_consentimientos(record.lead.id, vec![consentimiento]).await
    }
}
