//! `GET /panel/envios/:id`: one job of the outbox, with its body and all attempts.

use askama::Template;
use axum::extract::{Path, State};
use embudo_app::Preview;
use embudo_domain::connections::Connections;
use embudo_domain::job::{Delivery, Job, JobStanding};
use embudo_domain::{JobId, Timestamp};
use embudo_store::outbox_admin::{JobFilter, ListedJob};
use http::{StatusCode, Uri};

use super::super::words::{exact, moment, until};
use super::super::{PanelFrame, PanelResult, Section, Signed};
use super::{STYLES, body, words};
use crate::WebState;
use crate::parts::{Refusal, private_page, read_fields};

/// The maximum number of attempts shown, the newest ones.
const MAX_ATTEMPTS: usize = 30;
/// The maximum length of a displayed response.
const MAX_ANSWER: usize = 2_000;
/// How many jobs of the lead are searched for repetitions of this job.
const SIBLINGS: u32 = 100;

#[derive(Template)]
#[template(path = "panel/outbox/detail.html")]
struct JobPage {
    frame: PanelFrame,
    done: Option<&'static str>,
    id: String,
    what: &'static str,
    lead: String,
    nombre: String,
    standing: JobStanding,
    standing_label: &'static str,
    chip: &'static str,
    explained: &'static str,
    /// The word of the job's destination, for the form that resumes it.
    destination: &'static str,
    host: Option<String>,
    created: String,
    ended: Option<String>,
    next: Option<String>,
    attempts_label: String,
    quote: Option<String>,
    /// The job that this job repeats, and the jobs that repeat this one.
    repeats: Option<String>,
    repeated: Vec<(String, String)>,
    can_repeat: bool,
    has_newer: bool,
    content: Content,
    attempts: Vec<Attempt>,
    more_attempts: usize,
}

enum Content {
    Signal { body: String },
    Mail { to: String, subject: String, attachment: Option<String> },
    Nothing,
    Unknown(String),
}

struct Attempt {
    n: usize,
    when: String,
    lasted: String,
    ok: bool,
    status: Option<u16>,
    error: Option<String>,
    hint: Option<&'static str>,
    /// The beginning of the response, and whether it was cut.
    answer: Option<(String, bool)>,
    headers: Option<String>,
}

pub(in super::super) async fn show(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    uri: Uri,
) -> PanelResult {
    let id = JobId::parse(&id).ok_or(Refusal::NotFound)?;
    let (job, deliveries) = state.app.store.job(id).await?;
    signed.within(job.empresa)?;
    signed.looks_at(&state, job.lead).await;
    let now = state.app.now();
    let listed = state.app.store.listed_job(id, now).await?;
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let filter = JobFilter { lead: Some(job.lead), kind: Some(job.kind), ..JobFilter::default() };
    let siblings = state.app.store.list_jobs(filter, None, SIBLINGS).await?;
    let has_newer = job.kind.is_superseded_by_newer()
        && siblings.iter().any(|other| (other.creado_en, other.id) > (job.creado_en, job.id));
    let repeated = siblings.iter().filter(|other| other.repeats == Some(id));
    let desk = state.app.outbox();
    let can_repeat = listed.standing == JobStanding::Done && job.kind.destination().is_some();
    let hosts = desk.hosts(job.empresa).await?;
    let frame = PanelFrame::new(&state, &signed, job.kind.label(), Section::Outbox).await?;
    let page = JobPage {
        frame: frame.with(STYLES, &[]),
        done: done(query.raw("hecho")),
        id: id.to_string(),
        what: job.kind.label(),
        lead: job.lead.to_string(),
        nombre: listed
            .nombre
            .as_deref()
            .map_or_else(|| "Lead borrado".to_owned(), embudo_domain::words::name),
        standing: listed.standing,
        standing_label: words::standing(listed.standing),
        chip: words::chip(listed.standing),
        explained: words::explained(listed.standing, job.kind),
        destination: job.kind.destination().map_or("", |destination| destination.as_str()),
        host: job.kind.destination().and_then(|destination| hosts.of(destination)),
        created: moment(job.creado_en, now),
        ended: job.terminado_en.map(|at| moment(at, now)),
        next: next(&listed, now),
        attempts_label: words::attempts(job.intentos),
        quote: desk.quote_of(&job),
        repeats: job.repeats.map(|old| old.to_string()),
        repeated: repeated.map(|new| (new.id.to_string(), moment(new.creado_en, now))).collect(),
        can_repeat: can_repeat && !has_newer,
        has_newer: can_repeat && has_newer,
        content: content(desk.preview(&job).await),
        more_attempts: deliveries.len().saturating_sub(MAX_ATTEMPTS),
        attempts: attempts(&job, deliveries, now),
    };
    Ok(private_page(StatusCode::OK, &page))
}

fn done(word: &str) -> Option<&'static str> {
    match word {
        "reintento" => Some("En marcha: sale en unos segundos."),
        "descartado" => Some("Descartado. Si cambias de idea, puedes enviarlo desde aquí."),
        "enviado" => Some("Dado por enviado."),
        "repetido" => Some("Este es el envío nuevo, con el mismo contenido. Sale en unos segundos."),
        "tarde" => Some("No se ha hecho nada: mientras tanto ha cambiado de estado."),
        _ => None,
    }
}

fn next(listed: &ListedJob, now: Timestamp) -> Option<String> {
    match listed.standing {
        JobStanding::Waiting | JobStanding::Failing => {
            Some(format!("{} ({})", until(listed.proximo_en, now), moment(listed.proximo_en, now)))
        }
        JobStanding::Paused => Some("al reanudar el destino".to_owned()),
        _ => None,
    }
}

fn content(preview: Preview) -> Content {
    match preview {
        Preview::Signal { body } => Content::Signal { body: body::laid_out(&body) },
        Preview::Mail(mail) => Content::Mail {
            to: mail.to,
            subject: mail.subject,
            attachment: mail.attachment.map(|(name, bytes)| match bytes {
                Some(bytes) => format!("{name} ({})", words::size(bytes)),
                None => name,
            }),
        },
        Preview::Nothing => Content::Nothing,
        Preview::Unknown(why) => Content::Unknown(why),
    }
}

/// The attempts, newest first.
fn attempts(job: &Job, deliveries: Vec<Delivery>, now: Timestamp) -> Vec<Attempt> {
    let numbered = deliveries.into_iter().enumerate().rev().take(MAX_ATTEMPTS);
    let one = |(n, delivery): (usize, Delivery)| Attempt {
        n: n + 1,
        when: exact(delivery.start, now),
        lasted: words::lasted(delivery.duracion_ms),
        ok: delivery.ok,
        status: delivery.status,
        hint: if delivery.ok { None } else { words::hint(job.kind, delivery.status) },
        headers: headers(job, &delivery),
        error: delivery.error,
        answer: delivery.answer.map(|answer| words::cut(&answer, MAX_ANSWER)),
    };
    numbered.map(one).collect()
}

/// The headers that identify an attempt of a webhook. Its signature is not stored anywhere.
fn headers(job: &Job, delivery: &Delivery) -> Option<String> {
    let is_webhook = job.kind.destination().is_some_and(|to| Connections::SIGNALS.contains(&to));
    is_webhook.then(|| {
        format!(
            "content-type: application/json\nwebhook-id: {}\nwebhook-timestamp: {}",
            job.id,
            delivery.start.as_second()
        )
    })
}
