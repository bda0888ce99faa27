//! Notifies the company's people of clients who wrote and wait for a person, once for each waiting message. One command
//! stores the notice and marks it as made, so that several processes make it only once.

use embudo_domain::notice::NoticeTopic;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::lead_writes::RecordEvent;
use embudo_store::{CallKey, Done, Outcome, StoreError};
use jiff::SignedDuration;

use super::Housekeeping;
use crate::AppError;
use crate::notices::Notice;

/// The maximum number of messages in one run. More than this are not expected within [`LATEST`].
const MANY: u32 = 1_000;
/// Messages older than this give no notice: the service was down, and the inbox shows them.
const LATEST: SignedDuration = SignedDuration::from_hours(2);
/// How long the mark lasts. It must be longer than [`LATEST`], or a message would give a second notice.
const MARK_LIFE: SignedDuration = SignedDuration::from_hours(24);

impl Housekeeping<'_> {
    /// Makes a notice for every message that waits for a person; returns how many.
    pub async fn tell_of_messages(self) -> Result<usize, AppError> {
        let empresas = self.app.store.list_empresas().await?;
        if !empresas.iter().any(|empresa| empresa.wants(NoticeTopic::Messages)) {
            return Ok(0);
        }
        let now = self.app.now();
        let mut told = 0;
        for (lead, wrote) in self.app.store.unanswered(now - LATEST, now, MANY).await? {
            told += usize::from(self.tell_of_message(lead, wrote, now).await?);
        }
        if told > 0 {
            self.app.attempts.notify();
        }
        Ok(told)
    }

    async fn tell_of_message(self, lead: LeadId, wrote: Timestamp, at: Timestamp) -> Result<bool, AppError> {
        let key = CallKey {
            scope: "aviso de mensaje".to_owned(),
            key: format!("{lead} {wrote}"),
            cuerpo_sha256: [0; 32],
            life: MARK_LIFE,
        };
        if self.app.store.was_done(key.scope.clone(), key.key.clone(), at).await? {
            return Ok(false);
        }
        let jobs = self.app.jobs().notice(&Notice::ClientWrote);
        let idempotency = Some(key.with(Outcome::Done, Vec::new(), at));
        match self.app.store.record_event(RecordEvent { lead, event: None, jobs, at, idempotency }).await {
            Ok(done) => Ok(done == Done::Now),
            // The lead was erased meanwhile.
            Err(StoreError::LeadNotFound) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
