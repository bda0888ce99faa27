//! A notice: by mail to the company's own address, and as separate jobs to the mail and the devices of everybody who
//! chose it.

use embudo_delivery::MailMessage;
use embudo_domain::job::{Job, JobKind};
use embudo_domain::notice::Recipient;
use embudo_domain::record::LeadRecord;
use embudo_store::StoreError;
use embudo_store::outbox::NewJob;

use super::mail::{no_mail, send_mail};
use super::notice_mail::{Chosen, derived, message, read_payload, received_by};
use super::person_mail::PersonPayload;
use super::{Ending, as_text, push};
use crate::notices::{Notice, Reader};
use crate::{App, OutboundMail};

/// One attempt, and the jobs for the people who chose the notice. The first attempt that gets so far creates these
/// jobs, whatever the result of the mail to the company's address is. That mail is retried separately.
pub(super) async fn attempt(app: &App, job: &Job) -> (Ending, Vec<NewJob>) {
    let Some(mail) = &app.outbound.mail else { return (no_mail(), Vec::new()) };
    let (notice, record) = match read_payload(app, job).await {
        Ok(read) => read,
        Err(ending) => return (ending, Vec::new()),
    };
    let people = match hand_on(app, job, &notice).await {
        Ok(people) => people,
        Err(error) => return (Ending::retry(error.to_string()), Vec::new()),
    };
    let ending = match addressed(app, job, mail, &notice, &record).await {
        Err(ending) => return (ending, Vec::new()),
        Ok(Some(message)) => send_mail(app, job, &mail.client, &message).await,
        Ok(None) if people.is_empty() => Ending::unwanted("ya nadie quiere este aviso"),
        Ok(None) => Ending::handed_on(readers(&people)),
    };
    (ending, people)
}

fn readers(jobs: &[NewJob]) -> String {
    let devices = jobs.iter().filter(|job| job.kind == JobKind::PushNotice).count();
    received_by(jobs.len() - devices, devices)
}

/// The mail to the company's address as it will be sent.
pub(super) async fn compose(app: &App, job: &Job, mail: &OutboundMail) -> Result<MailMessage, Ending> {
    let (notice, record) = read_payload(app, job).await?;
    let message = addressed(app, job, mail, &notice, &record).await?;
    message.ok_or_else(|| Ending::unwanted("el correo de avisos de la empresa no recibe este"))
}

async fn addressed(
    app: &App,
    job: &Job,
    mail: &OutboundMail,
    notice: &Notice,
    record: &LeadRecord,
) -> Result<Option<MailMessage>, Ending> {
    let empresa = &record.lead.empresa;
    match empresa.email_avisos.clone().filter(|_| empresa.shared_topics().has(notice.topic())) {
        Some(to) => message(app, job, mail, (notice, record), (Reader::Empresa, to)).await.map(Some),
        None => Ok(None),
    }
}

/// A job for each person and each device that should get this notice and has no job for it yet. The ids are derived, so
/// that repeated attempts create each job only once.
async fn hand_on(app: &App, job: &Job, notice: &Notice) -> Result<Vec<NewJob>, StoreError> {
    let Some(chosen) = Chosen::of(app, job).await? else { return Ok(Vec::new()) };
    let new = |recipient: &Recipient| {
        let id = derived(job.id, recipient.user);
        let payload = PersonPayload { user: recipient.user, notice: notice.clone() };
        NewJob { id, ..app.jobs().shared(JobKind::PersonNotice, as_text(&payload)) }
    };
    let mut jobs: Vec<NewJob> = chosen.by_mail(notice.topic()).map(new).collect();
    jobs.extend(push::for_devices(app, job, notice, &chosen).await?);
    let made = app.store.jobs(jobs.iter().map(|job| job.id).collect()).await?;
    jobs.retain(|new| made.iter().all(|job| job.id != new.id));
    Ok(jobs)
}
