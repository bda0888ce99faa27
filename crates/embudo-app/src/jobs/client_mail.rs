//! The mail with the quote, to the client.

use embudo_delivery::MailMessage;
use embudo_delivery::mail::MailAttachment;
use embudo_domain::job::Job;
use embudo_store::StoreError;
use serde::{Deserialize, Serialize};

use super::mail::{message_id, no_mail, send_mail};
use super::pdf::pdf_bytes;
use super::{Ending, WhichPdf};
use crate::leads::NO_EMAIL;
use crate::letter::PresupuestoLetter;
use crate::{App, OutboundMail};

/// The payload of the job.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MailPayload {
    /// The quote's number.
    #[serde(rename = "numero")]
    pub number: String,
    /// The work that the quote is for («reforma de baño»).
    #[serde(rename = "titulo")]
    pub title: String,
    /// The PDF's file name.
    pub filename: String,
    #[serde(flatten)]
    pub pdf: WhichPdf,
}

pub(super) async fn attempt(app: &App, job: &Job) -> Ending {
    let Some(mail) = &app.outbound.mail else { return no_mail() };
    let (message, payload) = match compose(app, job, mail).await {
        Ok(composed) => composed,
        Err(ending) => return ending,
    };
    let bytes = match pdf_bytes(app, job, &payload.pdf).await {
        Ok(bytes) => bytes,
        Err(ending) => return ending,
    };
    let attachment = Some(MailAttachment { filename: payload.filename, bytes });
    send_mail(app, job, &mail.client, &MailMessage { attachment, ..message }).await
}

/// The mail without its PDF, and the payload of the job.
pub(super) async fn compose(
    app: &App,
    job: &Job,
    mail: &OutboundMail,
) -> Result<(MailMessage, MailPayload), Ending> {
    let payload = serde_json::from_str::<MailPayload>(&job.payload);
    let payload = payload.map_err(|_| Ending::never("el correo guardado no se puede leer"))?;
    let lead = match app.store.record(job.lead).await {
        Ok(record) => record.lead,
        Err(StoreError::LeadNotFound) => return Err(Ending::never("el lead ya no existe")),
        Err(error) => return Err(Ending::retry(error.to_string())),
    };
    let stored = app.store.brand(lead.empresa.id).await;
    if lead.mail().is_none() {
        return Err(Ending::unwanted(NO_EMAIL));
    }
    let brand = stored.map_err(|error| Ending::retry(error.to_string()))?.brand;
    let settings = app.store.settings(lead.empresa.id).await;
    let sender = settings.map_err(|error| Ending::retry(error.to_string()))?.connections.sender;
    // Logo and quote page are optional: the mail is also sent without them.
    let logo = app.store.logo(lead.empresa.id).await.ok().flatten().map(bytes::Bytes::from);
    let all = app.store.presupuestos(lead.id).await.unwrap_or_default();
    let presupuesto = all.iter().find(|p| p.number.to_string() == payload.number);
    // The link is made now, because the link from when the quote was drawn may have been revoked.
    let page = presupuesto.and_then(|presupuesto| app.quotes().page_url(presupuesto.id));
    let letter = PresupuestoLetter {
        lead: &lead,
        brand: &brand,
        with_logo: logo.is_some(),
        number: &payload.number,
        title: &payload.title,
        presupuesto,
        link: page.as_deref(),
    };
    let written = letter.write();
    let sender = sender.complete(mail.from_name.as_deref(), &lead.empresa, &brand);
    let message = MailMessage { logo, ..written.addressed(mail, sender, lead.email, message_id(job)) };
    Ok((message, payload))
}
