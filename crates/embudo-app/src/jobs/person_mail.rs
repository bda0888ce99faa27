//! The mail of a notice to one person who chose it.

use embudo_delivery::MailMessage;
use embudo_domain::UserId;
use embudo_domain::job::Job;
use embudo_domain::notice::Recipient;
use embudo_store::StoreError;
use serde::{Deserialize, Serialize};

use super::Ending;
use super::mail::{no_mail, send_mail};
use super::notice_mail::{message, read_payload};
use crate::notices::{Notice, Reader};
use crate::{App, OutboundMail};

/// The payload of the job. The person's address is looked up when the mail is sent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PersonPayload {
    #[serde(rename = "persona")]
    pub user: UserId,
    pub notice: Notice,
}

pub(super) async fn attempt(app: &App, job: &Job) -> Ending {
    let Some(mail) = &app.outbound.mail else { return no_mail() };
    match compose(app, job, mail).await {
        Ok(message) => send_mail(app, job, &mail.client, &message).await,
        Err(ending) => ending,
    }
}

/// The mail as it will be sent. A person who left the company, or no longer wants the notice, gets none.
pub(super) async fn compose(app: &App, job: &Job, mail: &OutboundMail) -> Result<MailMessage, Ending> {
    let (PersonPayload { user, notice }, record) = read_payload(app, job).await?;
    let recipient = recipient(app, job, user, &notice).await;
    let recipient = recipient.map_err(|error| Ending::retry(error.to_string()))?;
    let recipient =
        recipient.ok_or_else(|| Ending::unwanted("ya no quiere este aviso, o ya no está en la empresa"))?;
    message(app, job, mail, (&notice, &record), (Reader::Person(recipient.role), recipient.email)).await
}

async fn recipient(
    app: &App,
    job: &Job,
    user: UserId,
    notice: &Notice,
) -> Result<Option<Recipient>, StoreError> {
    let recipients = app.store.recipients(job.empresa).await?;
    let assigned = app.store.assigned_to(job.lead).await?;
    Ok(recipients.into_iter().find(|r| r.user == user && r.wants(notice.topic(), assigned)))
}
