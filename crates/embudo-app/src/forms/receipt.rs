//! The mail to a client who sent a form: it says that the form arrived, and links to a page where the answers can be
//! changed.

use embudo_domain::LeadId;
use embudo_domain::job::JobKind;
use embudo_domain::lead::Lead;
use embudo_store::lead_writes::RecordEvent;
use embudo_store::{CallKey, Outcome};

use super::{Forms, PASS_LIFE, once};
use crate::jobs::{ReceiptPayload, as_text};
use crate::{AppError, Counted};

/// The maximum number of receipts that one lead causes, and that one address gets, in a day. A limit is needed because
/// anybody can type any address.
const RECEIPTS_PER_DAY: u32 = 3;

impl Forms<'_> {
    /// Whether a receipt was sent, or will be sent, to the address that the lead has now.
    pub async fn has_receipt(self, lead: &Lead) -> Result<bool, AppError> {
        let CallKey { scope, key, .. } = self.receipt_key(lead.id, &lead.email.to_lowercase());
        Ok(self.app.store.was_done(scope, key, self.app.now()).await?)
    }

    fn receipt_key(self, lead: LeadId, email: &str) -> CallKey {
        let veil = u128::from_be_bytes(self.app.outbound.passes.veil("acuse", email.as_bytes()));
        CallKey { key: format!("{lead} {veil:x}"), ..once("acuse", lead, PASS_LIFE) }
    }

    /// Mails the receipt of a form, once to each address that the lead gives and a few times a day. Returns whether a
    /// receipt will be sent.
    pub async fn send_receipt(self, lead: LeadId) -> Result<bool, AppError> {
        let outbound = &self.app.outbound;
        if outbound.mail.is_none() || outbound.links.is_none() {
            return Ok(false);
        }
        let lead = &self.app.store.lead(lead).await?;
        let Some(email) = lead.mail().map(str::to_lowercase) else { return Ok(false) };
        if self.has_receipt(lead).await? {
            return Ok(true);
        }
        let (lead, at) = (lead.id, self.app.now());
        let counts = [
            (Counted::ReceiptLead, lead.0.as_bytes().as_slice()),
            (Counted::ReceiptAddress, email.as_bytes()),
        ];
        for (kind, subject) in counts {
            if self.app.limits().count(kind, subject, 1, RECEIPTS_PER_DAY).await.is_err() {
                return Ok(false);
            }
        }
        let jobs = vec![self.app.jobs().shared(JobKind::FormReceipt, as_text(&ReceiptPayload {}))];
        let once = self.receipt_key(lead, &email);
        let idempotency = Some(once.with(Outcome::Done, Vec::new(), at));
        self.app.store.record_event(RecordEvent { lead, event: None, jobs, at, idempotency }).await?;
        self.app.attempts.notify();
        Ok(true)
    }
}
