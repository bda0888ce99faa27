//! A person's reply, by mail.

use embudo_delivery::MailMessage;
use embudo_domain::ReplyId;
use embudo_domain::job::Job;
use embudo_store::StoreError;
use serde::{Deserialize, Serialize};

use super::Ending;
use super::mail::{message_id, no_mail, send_mail};
use crate::letter::ReplyLetter;
use crate::{App, OutboundMail};

/// The payload of the job.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReplyMailPayload {
    /// The reply, whose text is looked up when it is sent.
    #[serde(rename = "mensaje")]
    pub reply: ReplyId,
}

pub(super) async fn attempt(app: &App, job: &Job) -> Ending {
    let Some(mail) = &app.outbound.mail else { return no_mail() };
    match compose(app, job, mail).await {
        Ok(message) => send_mail(app, job, &mail.client, &message).await,
        Err(ending) => ending,
    }
}

/// The mail as it will be sent.
pub(super) async fn compose(app: &App, job: &Job, mail: &OutboundMail) -> Result<MailMessage, Ending> {
    let ending_of = |error: StoreError| match error {
        StoreError::LeadNotFound => Ending::never("el lead ya no existe"),
        error => Ending::retry(error.to_string()),
    };
    let payload: ReplyMailPayload = serde_json::from_str(&job.payload)
        .map_err(|_| Ending::never("el correo guardado no se puede leer"))?;
    let reply = app.store.reply(payload.reply).await.map_err(ending_of)?;
    let reply = reply.ok_or_else(|| Ending::never("el mensaje ya no existe"))?;
    let lead = app.store.lead(job.lead).await.map_err(ending_of)?;
    let brand = app.store.brand(job.empresa).await.map_err(ending_of)?.brand;
    let sender = app.store.settings(job.empresa).await.map_err(ending_of)?.connections.sender;
    let sender = sender.complete(mail.from_name.as_deref(), &lead.empresa, &brand);
    let written = ReplyLetter { lead: &lead, brand: &brand, reply: &reply }.write();
    Ok(written.addressed(mail, sender, lead.email, message_id(job)))
}
