//! A reminder by mail, to the client.

use embudo_delivery::MailMessage;
use embudo_domain::job::Job;
use embudo_domain::reminders::LATEST;
use embudo_store::StoreError;

use super::mail::{message_id, no_mail, send_mail};
use super::presupuesto::in_lowercase;
use super::{Conclusion, Ending};
use crate::forms::refusal_url;
use crate::leads::NO_EMAIL;
use crate::letter::{About, FollowUpLetter};
use crate::reminders::{Reminder, is_daytime, until_daytime};
use crate::{App, OutboundMail};

pub(super) async fn attempt(app: &App, job: &Job) -> Ending {
    let Some(mail) = &app.outbound.mail else { return no_mail() };
    let Ok(reminder) = read(job) else { return Ending::never("el recordatorio guardado no se puede leer") };
    match reminder.check(app, job.lead, job.empresa).await {
        Ok(None) => {}
        Ok(Some(refusal)) => return Ending::unwanted(refusal),
        Err(StoreError::LeadNotFound) => return Ending::never("el lead ya no existe"),
        Err(error) => return Ending::retry(error.to_string()),
    }
    let now = app.now();
    if now > job.creado_en + LATEST {
        return Ending::unwanted("ha pasado demasiado tiempo");
    }
    if !is_daytime(now) {
        let wait = until_daytime(now).try_into().ok();
        return Ending {
            conclusion: Conclusion::Retry(wait),
            ..Ending::never("de noche no se molesta a nadie")
        };
    }
    match compose(app, job, mail).await {
        Ok(message) => send_mail(app, job, &mail.client, &message).await,
        Err(ending) => ending,
    }
}

/// The mail as it would be sent. This does not check whether it may be sent.
pub(super) async fn compose(app: &App, job: &Job, mail: &OutboundMail) -> Result<MailMessage, Ending> {
    let ending_of = |error: StoreError| match error {
        StoreError::LeadNotFound => Ending::never("el lead ya no existe"),
        StoreError::PresupuestoNotFound => Ending::never("el presupuesto ya no existe"),
        error => Ending::retry(error.to_string()),
    };
    let reminder = read(job).map_err(|_| Ending::never("el recordatorio guardado no se puede leer"))?;
    let lead = app.store.lead(job.lead).await.map_err(ending_of)?;
    let settings = app.store.settings(job.empresa).await.map_err(ending_of)?;
    let reminders = &settings.reminders;
    if lead.mail().is_none() {
        return Err(Ending::unwanted(NO_EMAIL));
    }
    let brand = app.store.brand(job.empresa).await.map_err(ending_of)?.brand;
    // The logo is optional: the mail is also sent without it.
    let logo = app.store.logo(job.empresa).await.ok().flatten().map(bytes::Bytes::from);
    let (about, text, link) = match reminder {
        Reminder::Presupuesto { presupuesto, days } => {
            let quote = app.store.presupuesto(presupuesto).await.map_err(ending_of)?;
            let about = About::Quote {
                number: quote.number.to_string(),
                title: in_lowercase(&quote.document.pricing.title),
                until: quote.validity.until,
            };
            (about, reminders.quotes.text(days).unwrap_or_default(), app.quotes().page_url(presupuesto))
        }
        Reminder::Formulario => {
            let path = format!("/f/{}/{}", lead.empresa.slug, app.form_passes().to_form(lead.id));
            let url = app.outbound.links.as_ref().map(|with| format!("{}{path}", with.public_url));
            (About::Form, reminders.form.text().to_owned(), url)
        }
    };
    let (Some(link), Some(refusal)) = (link, refusal_url(app, lead.id)) else {
        return Err(Ending::never("PUBLIC_URL ya no está configurada, y sin ella no hay enlaces"));
    };
    let letter = FollowUpLetter {
        lead: &lead,
        brand: &brand,
        with_logo: logo.is_some(),
        about,
        text: &text,
        link: &link,
        refusal: Some(&refusal),
    };
    let written = letter.write();
    let sender = settings.connections.sender.complete(mail.from_name.as_deref(), &lead.empresa, &brand);
    let message = written.addressed(mail, sender, lead.email, message_id(job));
    Ok(MailMessage { logo, unsubscribe: Some(refusal), ..message })
}

fn read(job: &Job) -> serde_json::Result<Reminder> {
    serde_json::from_str(&job.payload)
}
