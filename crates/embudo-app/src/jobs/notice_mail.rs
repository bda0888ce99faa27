//! A notice as a mail: what the mails to the company's address and to its people have in common.

use embudo_delivery::MailMessage;
use embudo_domain::job::Job;
use embudo_domain::record::LeadRecord;
use embudo_store::StoreError;

use super::Ending;
use super::mail::message_id;
use crate::notices::{Notice, Reader, Writing};
use crate::{App, OutboundMail};

/// A notice as it was kept, and what is known of its lead now.
pub(super) async fn read_payload<T: serde::de::DeserializeOwned>(
    app: &App,
    job: &Job,
) -> Result<(T, LeadRecord), Ending> {
    let notice = serde_json::from_str(&job.payload);
    let notice = notice.map_err(|_| Ending::never("el aviso guardado no se puede leer"))?;
    match app.store.record(job.lead).await {
        Ok(record) => Ok((notice, record)),
        Err(StoreError::LeadNotFound) => Err(Ending::never("el lead ya no existe")),
        Err(error) => Err(Ending::then(error.to_string())),
    }
}

/// A notice as a mail.
pub(super) fn message(
    app: &App,
    job: &Job,
    mail: &OutboundMail,
    (notice, record): (&Notice, &LeadRecord),
    (reader, to): (Reader, String),
) -> MailMessage {
    let page_of = |number: &str| {
        let own = record.presupuestos.iter().find(|p| p.number.to_string() == number && p.pdf.is_some());
        own.and_then(|p| app.quotes().page_url(p.id))
    };
    let public_url = app.outbound.links.as_ref().map(|links| links.public_url.as_str());
    let written = Writing { notice, record, reader, public_url, page_of }.write();
    written.addressed(mail, mail.own_sender(), to, message_id(job))
}
