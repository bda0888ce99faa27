//! A notice as a mail: the common part of notices to the company's address, to its people and to their devices.

use embudo_delivery::MailMessage;
use embudo_domain::job::Job;
use embudo_domain::notice::{NoticeTopic, Recipient};
use embudo_domain::record::LeadRecord;
use embudo_domain::{Digest, JobId, UserId};
use embudo_store::StoreError;
use uuid::Builder;

use super::Ending;
use super::mail::message_id;
use crate::notices::{Notice, Reader, Writing};
use crate::{App, AppError, OutboundMail};

/// The stored notice, and the present record of its lead.
pub(super) async fn read_payload<T: serde::de::DeserializeOwned>(
    app: &App,
    job: &Job,
) -> Result<(T, LeadRecord), Ending> {
    let notice = serde_json::from_str(&job.payload);
    let notice = notice.map_err(|_| Ending::never("el aviso guardado no se puede leer"))?;
    match app.store.record(job.lead).await {
        Ok(record) => Ok((notice, record)),
        Err(StoreError::LeadNotFound) => Err(Ending::never("el lead ya no existe")),
        Err(error) => Err(Ending::retry(error.to_string())),
    }
}

/// A notice as a mail, in the company's colour.
pub(super) async fn message(
    app: &App,
    job: &Job,
    mail: &OutboundMail,
    (notice, record): (&Notice, &LeadRecord),
    (reader, to): (Reader, String),
) -> Result<MailMessage, Ending> {
    let retry = |error: AppError| Ending::retry(error.to_string());
    let color = app.store.brand(job.empresa).await.map_err(|error| retry(error.into()))?.brand.color;
    let amount = app.quotes().drafted_amount(notice.draft(), record).await.map_err(retry)?;
    let page_of = |number: &str| {
        let own = record.presupuestos.iter().find(|p| p.number.to_string() == number && p.pdf.is_some());
        own.and_then(|p| app.quotes().page_url(p.id))
    };
    let public_url = app.outbound.links.as_ref().map(|links| links.public_url.as_str());
    let written = Writing { notice, record, reader, public_url, page_of, color, amount }.write();
    Ok(written.addressed(mail, mail.own_sender(), to, message_id(job)))
}

/// The choices of each of the company's people, and the person in charge of the lead.
pub(super) struct Chosen {
    recipients: Vec<Recipient>,
    assigned: Option<UserId>,
}

impl Chosen {
    /// `None`: the notice is only for the company's address, because it was sent again by hand or is older than the
    /// time for which jobs are kept.
    pub async fn of(app: &App, job: &Job) -> Result<Option<Self>, StoreError> {
        let is_remembered = app.now().duration_since(job.creado_en) < app.outbound.save;
        if job.repeats.is_some() || !is_remembered {
            return Ok(None);
        }
        let recipients = app.store.recipients(job.empresa).await?;
        let assigned = match recipients.is_empty() {
            true => None,
            false => app.store.assigned_to(job.lead).await?,
        };
        Ok(Some(Self { recipients, assigned }))
    }

    pub fn by_mail(&self, topic: NoticeTopic) -> impl Iterator<Item = &Recipient> {
        self.recipients.iter().filter(move |r| r.wants(topic, self.assigned))
    }

    pub fn on_devices(&self, topic: NoticeTopic) -> impl Iterator<Item = &Recipient> {
        self.recipients.iter().filter(move |r| r.wants_on_devices(topic, self.assigned))
    }
}

/// The id of the job that sends a notice to one person or device.
pub(super) fn derived(notice: JobId, reader: impl std::fmt::Display) -> JobId {
    let digest = Digest::of(format!("{notice} {reader}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.0[..16]);
    JobId(Builder::from_custom_bytes(bytes).into_uuid())
}

/// «Lo reciben 2 personas en su correo y 1 dispositivo.»
pub(super) fn received_by(people: usize, devices: usize) -> String {
    let verb = if people + devices == 1 { "recibe" } else { "reciben" };
    let people = match people {
        0 => None,
        1 => Some("1 persona en su correo".to_owned()),
        n => Some(format!("{n} personas en su correo")),
    };
    let devices = match devices {
        0 => None,
        1 => Some("1 dispositivo".to_owned()),
        n => Some(format!("{n} dispositivos")),
    };
    let readers: Vec<String> = people.into_iter().chain(devices).collect();
    format!("Lo {verb} {}.", readers.join(" y "))
}

#[cfg(test)]
mod tests {
    use super::received_by;

    #[test]
    fn one_reader_is_singular() {
        let all =
            [(1, 0), (2, 0), (0, 1), (0, 3), (1, 1)].map(|(people, devices)| received_by(people, devices));
        assert_eq!(
            all,
            [
                "Lo recibe 1 persona en su correo.",
                "Lo reciben 2 personas en su correo.",
                "Lo recibe 1 dispositivo.",
                "Lo reciben 3 dispositivos.",
                "Lo reciben 1 persona en su correo y 1 dispositivo.",
            ]
        );
    }
}
