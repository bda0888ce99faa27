//! A notice: by mail to the company's own address, and handed on to everybody who chose it.

use embudo_delivery::MailMessage;
use embudo_domain::job::{Job, JobKind};
use embudo_domain::notice::Recipient;
use embudo_domain::record::LeadRecord;
use embudo_domain::{Digest, JobId, UserId};
use embudo_store::StoreError;
use embudo_store::outbox::NewJob;
use uuid::Builder;

use super::mail::{no_mail, send_mail};
use super::notice_mail::{message, read_payload};
use super::person_mail::PersonPayload;
use super::{Ending, as_text};
use crate::notices::{Notice, Reader};
use crate::{App, OutboundMail};

/// One attempt, and the jobs for those who chose it. These come with the end of the first attempt that gets so far, whatever becomes of
/// the mail to the company's address, which is tried again by itself.
pub(super) async fn attempt(app: &App, job: &Job) -> (Ending, Vec<NewJob>) {
    let Some(mail) = &app.outbound.mail else { return (no_mail(), Vec::new()) };
    let (notice, record) = match read_payload(app, job).await {
        Ok(read) => read,
        Err(ending) => return (ending, Vec::new()),
    };
    let people = match hand_on(app, job, &notice).await {
        Ok(people) => people,
        Err(error) => return (Ending::then(error.to_string()), Vec::new()),
    };
    let ending = match addressed(app, job, mail, &notice, &record) {
        Some(message) => send_mail(app, job, &mail.client, &message).await,
        None if people.is_empty() => Ending::unwanted("ya nadie quiere este aviso"),
        None => Ending::handed_on(format!("Lo reciben {} personas en su correo.", people.len())),
    };
    (ending, people)
}

/// The mail to the company's address as it goes out.
pub(super) async fn compose(app: &App, job: &Job, mail: &OutboundMail) -> Result<MailMessage, Ending> {
    let (notice, record) = read_payload(app, job).await?;
    let message = addressed(app, job, mail, &notice, &record);
    message.ok_or_else(|| Ending::unwanted("el correo de avisos de la empresa no recibe este"))
}

fn addressed(
    app: &App,
    job: &Job,
    mail: &OutboundMail,
    notice: &Notice,
    record: &LeadRecord,
) -> Option<MailMessage> {
    let empresa = &record.lead.empresa;
    let to = empresa.email_avisos.clone().filter(|_| empresa.shared_topics().has(notice.topic()))?;
    Some(message(app, job, mail, (notice, record), (Reader::Empresa, to)))
}

/// A job for each person who chose this notice and has none yet. The ids are derived, so that one person has one job of it, however often
/// it is tried; one that is sent again by hand, or older than jobs are remembered, is for the company's address alone.
async fn hand_on(app: &App, job: &Job, notice: &Notice) -> Result<Vec<NewJob>, StoreError> {
    let is_remembered = app.now().duration_since(job.creado_en) < app.outbound.save;
    if job.repeats.is_some() || !is_remembered {
        return Ok(Vec::new());
    }
    let recipients = app.store.recipients(job.empresa).await?;
    let assigned = match recipients.is_empty() {
        true => None,
        false => app.store.assigned_to(job.lead).await?,
    };
    let wants = |r: &&Recipient| r.wants(notice.topic(), assigned);
    let people: Vec<UserId> = recipients.iter().filter(wants).map(|recipient| recipient.user).collect();
    let made = app.store.jobs(people.iter().map(|user| derived(job.id, *user)).collect()).await?;
    let new = |user: UserId| {
        let id = derived(job.id, user);
        let payload = PersonPayload { user, notice: notice.clone() };
        NewJob { id, ..app.jobs().shared(JobKind::PersonNotice, as_text(&payload)) }
    };
    let is_missing = |new: &NewJob| made.iter().all(|job| job.id != new.id);
    Ok(people.into_iter().map(new).filter(is_missing).collect())
}

/// The id of one person's job of a notice.
fn derived(notice: JobId, user: UserId) -> JobId {
    let digest = Digest::of(format!("{notice} {user}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.0[..16]);
    JobId(Builder::from_custom_bytes(bytes).into_uuid())
}
