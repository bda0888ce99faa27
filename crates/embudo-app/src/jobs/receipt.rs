//! The receipt of a form by mail, to the client.

use embudo_delivery::MailMessage;
use embudo_domain::job::Job;
use embudo_store::StoreError;
use serde::{Deserialize, Serialize};

use super::Ending;
use super::mail::{message_id, no_mail, send_mail};
use crate::leads::NO_EMAIL;
use crate::letter::{About, FollowUpLetter};
use crate::{App, OutboundMail};

/// The payload of the job. It is empty: the mail describes the state at the time of sending.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReceiptPayload {}

pub(super) async fn attempt(app: &App, job: &Job) -> Ending {
    let Some(mail) = &app.outbound.mail else { return no_mail() };
    match compose(app, job, mail).await {
        Ok(message) => send_mail(app, job, &mail.client, &message).await,
        Err(ending) => ending,
    }
}

pub(super) async fn compose(app: &App, job: &Job, mail: &OutboundMail) -> Result<MailMessage, Ending> {
    let ending_of = |error: StoreError| match error {
        StoreError::LeadNotFound => Ending::never("el lead ya no existe"),
        error => Ending::retry(error.to_string()),
    };
    let lead = app.store.lead(job.lead).await.map_err(ending_of)?;
    if lead.mail().is_none() {
        return Err(Ending::unwanted(NO_EMAIL));
    }
    let settings = app.store.settings(job.empresa).await.map_err(ending_of)?;
    let brand = app.store.brand(job.empresa).await.map_err(ending_of)?.brand;
    // The logo is optional: the mail is also sent without it.
    let logo = app.store.logo(job.empresa).await.ok().flatten().map(bytes::Bytes::from);
    let follows = app.forms().what_follows(&lead).await.map_err(|error| Ending::retry(error.to_string()))?;
    let Some(with) = &app.outbound.links else {
        return Err(Ending::never("PUBLIC_URL ya no está configurada, y sin ella no hay enlaces"));
    };
    let pass = app.form_passes().to_form(lead.id);
    let link = format!("{}/f/{}/{pass}/resumen", with.public_url, lead.empresa.slug);
    let letter = FollowUpLetter {
        lead: &lead,
        brand: &brand,
        with_logo: logo.is_some(),
        about: About::Receipt,
        text: &format!("Hemos recibido tu solicitud. {}\n\n{CHANGES}", follows.text(&lead, &brand)),
        link: &link,
        refusal: None,
    };
    let sender = settings.connections.sender.complete(mail.from_name.as_deref(), &lead.empresa, &brand);
    let message = letter.write().addressed(mail, sender, lead.email.clone(), message_id(job));
    Ok(MailMessage { logo, ..message })
}

const CHANGES: &str =
    "Si quieres cambiar algo o mandarnos más fotos, hazlo con este enlace. Vale 30 días y es solo tuyo.";
