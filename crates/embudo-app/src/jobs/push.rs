//! A notice on one device of a person who chose it, by web push. If no mail is configured, also the notice itself,
//! which then only creates the jobs for the devices.

use embudo_delivery::WebhookAttempt;
use embudo_delivery::push::{OutgoingPush, Urgency};
use embudo_domain::job::{Job, JobKind};
use embudo_domain::notice::Recipient;
use embudo_domain::push::{PushDevice, PushMessage, WORTH_SHOWING};
use embudo_domain::{PushId, Timestamp, UserId};
use embudo_store::StoreError;
use embudo_store::outbox::NewJob;
use embudo_store::outbox_admin::JobFilter;
use serde::{Deserialize, Serialize};

use super::notice_mail::{Chosen, derived, read_payload, received_by};
use super::{Conclusion, Ending, Health, as_text};
use crate::App;
use crate::notices::{Notice, on_screen};

/// The maximum number of the lead's jobs that are searched for progress after an unfinished form.
const MANY: u32 = 200;

/// What is shown, and on which device. The job stores neither endpoint nor keys: they are looked up when it is sent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PushPayload {
    /// `None`: this job creates a job for every device whose person chose the notice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispositivo: Option<PushId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<UserId>,
    pub notice: Notice,
}

/// One attempt, and the new jobs for devices if this job creates them.
pub(super) async fn attempt(app: &App, job: &Job, start: Timestamp) -> (Ending, Vec<NewJob>) {
    let ended = match serde_json::from_str(&job.payload) {
        Ok(PushPayload { dispositivo: None, notice, .. }) => hand_on(app, job, &notice).await,
        Ok(_) => send(app, job, start).await.map(|ending| (ending, Vec::new())),
        Err(_) => Err(Ending::never("el aviso guardado no se puede leer")),
    };
    ended.unwrap_or_else(|ending| (ending, Vec::new()))
}

/// The message that the device shows.
pub(super) async fn compose(app: &App, job: &Job) -> Result<(PushDevice, PushMessage, Urgency), Ending> {
    let (payload, record): (PushPayload, _) = read_payload(app, job).await?;
    let gone = || Ending::unwanted("el dispositivo ya no recibe avisos");
    let retry = |error: StoreError| Ending::retry(error.to_string());
    let device = app.store.device(payload.dispositivo.ok_or_else(gone)?).await.map_err(retry)?;
    let device = device.filter(|device| Some(device.user) == payload.persona).ok_or_else(gone)?;
    let notice = &payload.notice;
    let recipients = app.store.recipients(job.empresa).await.map_err(retry)?;
    let assigned = app.store.assigned_to(job.lead).await.map_err(retry)?;
    let wants = |r: &Recipient| r.user == device.user && r.wants_on_devices(notice.topic(), assigned);
    let recipient = recipients.into_iter().find(wants);
    let recipient =
        recipient.ok_or_else(|| Ending::unwanted("ya no quiere este aviso, o ya no está en la empresa"))?;
    let urgency = if notice.is_urgent() { Urgency::High } else { Urgency::Normal };
    Ok((device, on_screen(notice, &record.lead, recipient.role), urgency))
}

async fn send(app: &App, job: &Job, start: Timestamp) -> Result<Ending, Ending> {
    let left = WORTH_SHOWING - start.duration_since(job.creado_en);
    if !left.is_positive() {
        return Err(Ending::expired("ha pasado un día sin que el dispositivo pudiera recibirlo"));
    }
    let (device, message, urgency) = compose(app, job).await?;
    let key = app.push_key().await.map_err(|error| Ending::retry(error.to_string()))?;
    let content = serde_json::to_vec(&message).expect("a message is plain");
    let contact = app.push_contact();
    let sending = OutgoingPush {
        target: &device.target,
        content: &content,
        ttl_seconds: left.as_secs().unsigned_abs(),
        urgency,
        key: &key,
        contact: contact.as_deref(),
    };
    let attempt = app.outbound.webhooks.push(&app.outbound.fetches, sending, start).await;
    let noted = match attempt.status {
        Some(404 | 410) => app.store.forget_device(device.id).await,
        Some(200..=299) => app.store.touch_device(device.id, start).await,
        _ => Ok(()),
    };
    if let Err(error) = noted {
        tracing::warn!(job = %job.id, %error, "what a push service said of a device could not be kept");
    }
    Ok(judged(attempt))
}

/// What an answer means. The push service of one device says nothing about those of other devices, so it does not
/// affect the circuit breaker.
fn judged(attempt: WebhookAttempt) -> Ending {
    let status = attempt.status;
    let ending = Ending { health: Health::Unknown, ..Ending::from(attempt) };
    match status {
        Some(404 | 410) => Ending {
            conclusion: Conclusion::Unwanted,
            error: Some("el navegador ya no quiere avisos: se ha quitado el dispositivo".to_owned()),
            ..ending
        },
        // The message is too long, or signed by a key that the service does not know: another attempt would get the
        // same answer.
        Some(400..=407 | 409 | 411..=428) => Ending { conclusion: Conclusion::Never, ..ending },
        _ => ending,
    }
}

/// Handles a notice while no mail is configured: it creates the jobs for devices.
async fn hand_on(app: &App, job: &Job, notice: &Notice) -> Result<(Ending, Vec<NewJob>), Ending> {
    let retry = |error: StoreError| Ending::retry(error.to_string());
    if *notice == Notice::HalfDoneForm && went_on(app, job).await.map_err(retry)? {
        return Err(Ending::unwanted("el formulario se ha completado"));
    }
    let mut devices = match Chosen::of(app, job).await.map_err(retry)? {
        Some(chosen) => for_devices(app, job, notice, &chosen).await.map_err(retry)?,
        None => Vec::new(),
    };
    let made = app.store.jobs(devices.iter().map(|job| job.id).collect()).await.map_err(retry)?;
    devices.retain(|new| made.iter().all(|job| job.id != new.id));
    match devices.len() {
        0 => Err(Ending::unwanted("ya nadie quiere este aviso")),
        n => Ok((Ending::handed_on(received_by(0, n)), devices)),
    }
}

/// Whether a newer notice about the form has been made since the form was left.
async fn went_on(app: &App, job: &Job) -> Result<bool, StoreError> {
    let filter = JobFilter { kind: Some(JobKind::PushNotice), lead: Some(job.lead), ..JobFilter::default() };
    let others = app.store.list_jobs(filter, None, MANY).await?;
    let is_news = |other: &Job| {
        let read = serde_json::from_str::<PushPayload>(&other.payload);
        let of_form = |notice: &Notice| {
            use Notice::{AskedAgain, Call, CompleteForm, MessageWaits, ToReview};
            matches!(notice, CompleteForm | Call | MessageWaits | ToReview { .. } | AskedAgain { .. })
        };
        read.is_ok_and(|payload| payload.dispositivo.is_none() && of_form(&payload.notice))
    };
    Ok(others.iter().any(|other| other.creado_en >= job.creado_en && other.id != job.id && is_news(other)))
}

/// A job for each device that should show a notice.
pub(super) async fn for_devices(
    app: &App,
    job: &Job,
    notice: &Notice,
    chosen: &Chosen,
) -> Result<Vec<NewJob>, StoreError> {
    let mut jobs = Vec::new();
    for recipient in chosen.on_devices(notice.topic()) {
        for device in app.store.devices_of(recipient.user).await? {
            let payload = PushPayload {
                dispositivo: Some(device.id),
                persona: Some(device.user),
                notice: notice.clone(),
            };
            let id = derived(job.id, device.id);
            jobs.push(NewJob { id, ..app.jobs().shared(JobKind::PushNotice, as_text(&payload)) });
        }
    }
    Ok(jobs)
}
