//! A notice: by mail to the company's own address, and handed on to the mail and the devices of everybody who chose it.

use embudo_delivery::Mensaje;
use embudo_domain::job::{Job, JobKind};
use embudo_domain::notice::{NoticeTopic, Recipient};
use embudo_domain::record::LeadRecord;
use embudo_domain::{Digest, JobId, UserId};
use embudo_store::StoreError;
use embudo_store::outbox::NewJob;
use uuid::Builder;

use super::mail::send_mail;
use super::person_mail::PersonPayload;
use super::{Ending, as_text, push};
use crate::notices::{Notice, Reader, Writing};
use crate::{App, AppError, OutboundMail};

/// One attempt, and the jobs for those who chose it. These come with the end of the first attempt that gets so far, whatever becomes of
/// the mail to the company's address, which is tried again by itself.
pub(super) async fn attempt(app: &App, job: &Job) -> (Ending, Vec<NewJob>) {
    let Some(mail) = &app.outbound.mail else { return (no_mail(), Vec::new()) };
    let (notice, record) = match told(app, job, &job.payload).await {
        Ok(told) => told,
        Err(ending) => return (ending, Vec::new()),
    };
    let people = match hand_on(app, job, &notice).await {
        Ok(people) => people,
        Err(error) => return (Ending::then(error.to_string()), Vec::new()),
    };
    let ending = match addressed(app, job, mail, &notice, &record).await {
        Err(ending) => return (ending, Vec::new()),
        Ok(Some(mensaje)) => send_mail(app, job, &mail.cliente, &mensaje).await,
        Ok(None) if people.is_empty() => Ending::unwanted("ya nadie quiere este aviso"),
        Ok(None) => Ending::handed_on(readers(&people)),
    };
    (ending, people)
}

/// «Lo reciben 2 personas en su correo y 1 dispositivos.»
fn readers(jobs: &[NewJob]) -> String {
    let devices = jobs.iter().filter(|job| job.kind == JobKind::PushNotice).count();
    match (jobs.len() - devices, devices) {
        (people, 0) => format!("Lo reciben {people} personas en su correo."),
        (0, devices) => format!("Lo reciben {devices} dispositivos."),
        (people, devices) => format!("Lo reciben {people} personas en su correo y {devices} dispositivos."),
    }
}

/// The mail to the company's address as it goes out.
pub(super) async fn compose(app: &App, job: &Job, mail: &OutboundMail) -> Result<Mensaje, Ending> {
    let (notice, record) = told(app, job, &job.payload).await?;
    let mensaje = addressed(app, job, mail, &notice, &record).await?;
    mensaje.ok_or_else(|| Ending::unwanted("el correo de avisos de la empresa no recibe este"))
}

pub(super) fn no_mail() -> Ending {
    Ending::then("SMTP_HOST o EMAIL_FROM ya no están configurados")
}

/// A notice as it was kept, and what is known of its lead now.
pub(super) async fn told<T: serde::de::DeserializeOwned>(
    app: &App,
    job: &Job,
    payload: &str,
) -> Result<(T, LeadRecord), Ending> {
    let notice = serde_json::from_str(payload);
    let notice = notice.map_err(|_| Ending::never("el aviso guardado no se puede leer"))?;
    match app.store.record(job.lead).await {
        Ok(record) => Ok((notice, record)),
        Err(StoreError::LeadNotFound) => Err(Ending::never("el lead ya no existe")),
        Err(error) => Err(Ending::then(error.to_string())),
    }
}

/// A notice as a mail, in the company's colour.
pub(super) async fn mensaje(
    app: &App,
    job: &Job,
    mail: &OutboundMail,
    (notice, record): (&Notice, &LeadRecord),
    (reader, to): (Reader, String),
) -> Result<Mensaje, Ending> {
    let then = |error: AppError| Ending::then(error.to_string());
    let brand = app.store.brand(job.empresa).await.map_err(|error| then(error.into()))?.brand;
    let amount = app.quotes().drafted_amount(notice.draft(), record).await.map_err(then)?;
    let page_of = |number: &str| {
        let own = record.presupuestos.iter().find(|p| p.number.to_string() == number && p.pdf.is_some());
        own.and_then(|p| app.quotes().page_url(p.id))
    };
    let public_url = app.outbound.links.as_ref().map(|links| links.public_url.as_str());
    let color = brand.color;
    let written = Writing { notice, record, reader, public_url, page_of, color, amount }.write();
    Ok(Mensaje {
        id: job.id.to_string(),
        date: job.creado_en,
        from: mail.from.clone(),
        shown_from: None,
        from_name: mail.from_name.clone().or_else(|| Some("Embudo".to_owned())),
        reply_to: None,
        to,
        subject: written.subject,
        text: written.text,
        html: written.html,
        logo: None,
        attachment: None,
        unsubscribe: None,
        calendar: None,
    })
}

async fn addressed(
    app: &App,
    job: &Job,
    mail: &OutboundMail,
    notice: &Notice,
    record: &LeadRecord,
) -> Result<Option<Mensaje>, Ending> {
    let empresa = &record.lead.empresa;
    match empresa.email_avisos.clone().filter(|_| empresa.shared_topics().has(notice.topic())) {
        Some(to) => mensaje(app, job, mail, (notice, record), (Reader::Empresa, to)).await.map(Some),
        None => Ok(None),
    }
}

/// Who chose what of the company's people, and whose the lead is.
pub(super) struct Chosen {
    recipients: Vec<Recipient>,
    assigned: Option<UserId>,
}

impl Chosen {
    /// `None`: a notice that is sent again by hand, or older than jobs are remembered, is for the company's address alone.
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

    fn by_mail(&self, topic: NoticeTopic) -> impl Iterator<Item = &Recipient> {
        self.recipients.iter().filter(move |r| r.wants(topic, self.assigned))
    }

    pub fn on_devices(&self, topic: NoticeTopic) -> impl Iterator<Item = &Recipient> {
        self.recipients.iter().filter(move |r| r.wants_on_devices(topic, self.assigned))
    }
}

/// A job for each person and each device that is to have this notice and has none yet. The ids are derived, so that each has one job of
/// it, however often it is tried.
async fn hand_on(app: &App, job: &Job, notice: &Notice) -> Result<Vec<NewJob>, StoreError> {
    let Some(chosen) = Chosen::of(app, job).await? else { return Ok(Vec::new()) };
    let new = |recipient: &Recipient| {
        let id = derived(job.id, recipient.user);
        let payload = PersonPayload { persona: recipient.user, notice: notice.clone() };
        NewJob { id, ..app.jobs().shared(JobKind::PersonNotice, as_text(&payload)) }
    };
    let mut jobs: Vec<NewJob> = chosen.by_mail(notice.topic()).map(new).collect();
    jobs.extend(push::for_devices(app, job, notice, &chosen).await?);
    let made = app.store.jobs(jobs.iter().map(|job| job.id).collect()).await?;
    jobs.retain(|new| made.iter().all(|job| job.id != new.id));
    Ok(jobs)
}

/// The id of one reader's job of a notice.
pub(super) fn derived(notice: JobId, reader: impl std::fmt::Display) -> JobId {
    let digest = Digest::of(format!("{notice} {reader}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.0[..16]);
    JobId(Builder::from_custom_bytes(bytes).into_uuid())
}
