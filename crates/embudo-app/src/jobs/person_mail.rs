//! A notice in the mail of one person who chose it.

use embudo_delivery::Mensaje;
use embudo_domain::UserId;
use embudo_domain::job::Job;
use embudo_domain::notice::Recipient;
use embudo_store::StoreError;
use serde::{Deserialize, Serialize};

use super::Ending;
use super::empresa_mail::{mensaje, no_mail, told};
use super::mail::send_mail;
use crate::notices::{Notice, Reader};
use crate::{App, OutboundMail};

/// Who is told what. Their address is looked up when it is sent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PersonPayload {
    pub persona: UserId,
    pub notice: Notice,
}

pub(super) async fn attempt(app: &App, job: &Job) -> Ending {
    let Some(mail) = &app.outbound.mail else { return no_mail() };
    match compose(app, job, mail).await {
        Ok(mensaje) => send_mail(app, job, &mail.cliente, &mensaje).await,
        Err(ending) => ending,
    }
}

/// The mail as it goes out; nothing to who left, or wants it no more.
pub(super) async fn compose(app: &App, job: &Job, mail: &OutboundMail) -> Result<Mensaje, Ending> {
    let (PersonPayload { persona, notice }, record) = told(app, job, &job.payload).await?;
    let recipient = recipient(app, job, persona, &notice).await;
    let recipient = recipient.map_err(|error| Ending::then(error.to_string()))?;
    let recipient =
        recipient.ok_or_else(|| Ending::unwanted("ya no quiere este aviso, o ya no está en la empresa"))?;
    mensaje(app, job, mail, (&notice, &record), (Reader::Person(recipient.role), recipient.email)).await
}

async fn recipient(
    app: &App,
    job: &Job,
    persona: UserId,
    notice: &Notice,
) -> Result<Option<Recipient>, StoreError> {
    let recipients = app.store.recipients(job.empresa).await?;
    let assigned = app.store.assigned_to(job.lead).await?;
    Ok(recipients.into_iter().find(|r| r.user == persona && r.wants(notice.topic(), assigned)))
}
