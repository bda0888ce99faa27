//! Draws what a client accepted, stores the PDF, and mails it to the client.
//!
//! Every step can be repeated: the PDF that was stored first is kept, and the mail is a separate job.

use embudo_delivery::MailMessage;
use embudo_delivery::mail::MailAttachment;
use embudo_domain::PresupuestoId;
use embudo_domain::job::{Job, JobKind};
use embudo_domain::presupuesto::Presupuesto;
use embudo_store::StoreError;
use embudo_store::outbox::NewJob;
use embudo_store::presupuestos::KeepAccepted;
use serde::{Deserialize, Serialize};

use super::mail::{message_id, no_mail, send_mail};
use super::{Ending, as_text};
use crate::blobs::with_blobs;
use crate::letter::AcceptanceLetter;
use crate::{App, AppError, OutboundMail};

/// The payload of both jobs: the one that stores the PDF, and the mail.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct AcceptancePayload {
    pub presupuesto: PresupuestoId,
}

/// Draws and stores the PDF. Returns the mail that follows, if the client has an address.
pub(super) async fn attempt(app: &App, job: &Job) -> (Ending, Option<NewJob>) {
    match keep(app, job).await {
        Ok((quote, has_address)) => {
            let has_mail = app.outbound.mail.is_some() && has_address;
            let payload = AcceptancePayload { presupuesto: quote.id };
            let mail = has_mail.then(|| app.jobs().shared(JobKind::AcceptanceMail, as_text(&payload)));
            (Ending::arrived(quote.number.to_string()), mail)
        }
        Err(ending) => (ending, None),
    }
}

/// Stores the PDF of what was accepted. Returns the quote, and whether its client has an address.
async fn keep(app: &App, job: &Job) -> Result<(Presupuesto, bool), Ending> {
    let quote = accepted(app, job).await?;
    let record = match app.store.record(quote.lead).await {
        Ok(record) => record,
        Err(StoreError::LeadNotFound) => return Err(Ending::never("el lead ya no existe")),
        Err(error) => return Err(Ending::retry(error.to_string())),
    };
    let has_address = !record.lead.email.is_empty();
    if quote.accepted_pdf.is_some() {
        return Ok((quote, has_address));
    }
    let Some(acceptance) = quote.acceptance() else { return Err(Ending::unwanted(NOT_ACCEPTED)) };
    let retry = |error: AppError| Ending::retry(error.to_string());
    let drawn = app.quotes().draw_accepted(&quote, &acceptance, &record.fotos).await.map_err(retry)?;
    let (id, pdf) = (quote.id, drawn.stored);
    let placed = [(pdf.digest, drawn.pdf.into())];
    let kept = with_blobs(app, quote.lead, &placed, |swept| async move {
        app.store.keep_accepted(KeepAccepted { id, pdf, swept }).await
    });
    match kept.await {
        Ok(()) => Ok((quote, has_address)),
        Err(AppError::Store(StoreError::PresupuestoNotFound | StoreError::LeadNotFound)) => {
            Err(Ending::never("el presupuesto ya no existe"))
        }
        Err(error) => Err(retry(error)),
    }
}

const NOT_ACCEPTED: &str = "el presupuesto no está aceptado";

async fn accepted(app: &App, job: &Job) -> Result<Presupuesto, Ending> {
    let payload: AcceptancePayload = serde_json::from_str(&job.payload)
        .map_err(|_| Ending::never("el encargo guardado no se puede leer"))?;
    match app.store.presupuesto(payload.presupuesto).await {
        Ok(quote) => Ok(quote),
        Err(StoreError::PresupuestoNotFound) => Err(Ending::never("el presupuesto ya no existe")),
        Err(error) => Err(Ending::retry(error.to_string())),
    }
}

pub(super) async fn attempt_mail(app: &App, job: &Job) -> Ending {
    let Some(mail) = &app.outbound.mail else { return no_mail() };
    let (message, quote) = match compose(app, job, mail).await {
        Ok(composed) => composed,
        Err(ending) => return ending,
    };
    let Some(pdf) = quote.accepted_pdf else { return Ending::retry("lo aceptado todavía no tiene PDF") };
    let bytes = match app.blobs.get(quote.lead, &pdf.digest).await {
        Ok(bytes) => bytes,
        Err(error) => return Ending::retry(error.to_string()),
    };
    let attachment = Some(MailAttachment { filename: quote.number.accepted_file_name(), bytes });
    send_mail(app, job, &mail.client, &MailMessage { attachment, ..message }).await
}

/// The mail without its PDF, and the quote.
pub(super) async fn compose(
    app: &App,
    job: &Job,
    mail: &OutboundMail,
) -> Result<(MailMessage, Presupuesto), Ending> {
    let retry = |error: StoreError| Ending::retry(error.to_string());
    let quote = accepted(app, job).await?;
    let Some(acceptance) = quote.acceptance() else { return Err(Ending::unwanted(NOT_ACCEPTED)) };
    let lead = match app.store.lead(quote.lead).await {
        Ok(lead) => lead,
        Err(StoreError::LeadNotFound) => return Err(Ending::never("el lead ya no existe")),
        Err(error) => return Err(retry(error)),
    };
    if lead.email.is_empty() {
        return Err(Ending::unwanted("el cliente no tiene correo"));
    }
    let brand = app.store.brand(lead.empresa.id).await.map_err(retry)?.brand;
    let sender = app.store.settings(lead.empresa.id).await.map_err(retry)?.connections.sender;
    // Logo and link are optional: the mail is also sent without them.
    let logo = app.store.logo(lead.empresa.id).await.ok().flatten().map(bytes::Bytes::from);
    let link = app.quotes().page_url(quote.id);
    let letter = AcceptanceLetter {
        lead: &lead,
        brand: &brand,
        with_logo: logo.is_some(),
        quote: &quote,
        acceptance: &acceptance,
        link: link.as_deref(),
    };
    let written = letter.write();
    let sender = sender.complete(mail.from_name.as_deref(), &lead.empresa, &brand);
    let message = MailMessage { logo, ..written.addressed(mail, sender, lead.email, message_id(job)) };
    Ok((message, quote))
}
