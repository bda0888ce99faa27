//! A notice to the company by mail.

use embudo_delivery::Mensaje;
use embudo_domain::job::Job;
use embudo_store::StoreError;

use super::Ending;
use super::mail::send_mail;
use crate::notices::{self, Notice};
use crate::{App, OutboundMail};

pub(super) async fn attempt(app: &App, job: &Job) -> Ending {
    let Some(mail) = &app.outbound.mail else {
        return Ending::then("SMTP_HOST o EMAIL_FROM ya no están configurados");
    };
    match compose(app, job, mail).await {
        Ok(mensaje) => send_mail(app, job, &mail.cliente, &mensaje).await,
        Err(ending) => ending,
    }
}

/// The mail as it goes out.
pub(super) async fn compose(app: &App, job: &Job, mail: &OutboundMail) -> Result<Mensaje, Ending> {
    let notice = serde_json::from_str::<Notice>(&job.payload);
    let notice = notice.map_err(|_| Ending::never("el aviso guardado no se puede leer"))?;
    let record = match app.store.record(job.lead).await {
        Ok(record) => record,
        Err(StoreError::LeadNotFound) => return Err(Ending::never("el lead ya no existe")),
        Err(error) => return Err(Ending::then(error.to_string())),
    };
    let Some(to) = record.lead.empresa.email_avisos.clone() else {
        return Err(Ending::never("la empresa ya no tiene correo para avisos"));
    };
    let page_of = |number: &str| {
        let own = record.presupuestos.iter().find(|p| p.number.to_string() == number && p.pdf.is_some());
        own.and_then(|p| app.quotes().page_url(p.id))
    };
    let written = notices::write(&notice, &record, page_of);
    Ok(Mensaje {
        id: job.id.to_string(),
        date: job.creado_en,
        from: mail.from.clone(),
        from_name: mail.from_name.clone().or_else(|| Some("Embudo".to_owned())),
        reply_to: None,
        to,
        subject: written.subject,
        text: written.text,
        html: written.html,
        logo: None,
        attachment: None,
    })
}
