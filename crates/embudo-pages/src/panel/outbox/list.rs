//! `GET /panel/envios`: the jobs of the outbox by status, without their bodies.

use askama::Template;
use axum::extract::State;
use embudo_domain::job::{JobKind, JobStanding};
use embudo_domain::{JobId, Timestamp};
use embudo_store::outbox_admin::{ListedJob, MOST_CLOSED, OutboxFilter, StandingCount};
use http::{StatusCode, Uri};

use super::super::form_state::FormState;
use super::super::words::{moment, until};
use super::super::{PanelFrame, PanelResult, Section, Signed};
use super::destinations::{self, ShownDestination};
use super::{STYLES, words};
use crate::WebState;
use crate::parts::{FormFields, private_page, read_fields};

const PAGE: u32 = 50;

#[derive(Template)]
#[template(path = "panel/outbox/list.html")]
struct OutboxPage {
    frame: PanelFrame,
    form: FormState,
    done: Option<&'static str>,
    destinations: Vec<ShownDestination>,
    tabs: Vec<Tab>,
    /// Word and name of each kind, and whether it is selected.
    kinds: Vec<(&'static str, &'static str, bool)>,
    /// The word of the selected status.
    standing: &'static str,
    rows: Vec<Row>,
    next: Option<String>,
    is_first: bool,
    is_filtered: bool,
}

/// A tab with the jobs of one status.
struct Tab {
    path: String,
    name: &'static str,
    count: String,
    is_chosen: bool,
    /// Whether jobs of this status wait for a person.
    is_urgent: bool,
}

pub(super) struct Row {
    id: String,
    what: &'static str,
    lead: String,
    nombre: String,
    standing: &'static str,
    chip: &'static str,
    created: String,
    attempts: String,
    /// When the next attempt is due.
    next: Option<String>,
    error: Option<String>,
}

/// `GET /panel/envios?estado=…&tipo=…&desde=…`.
pub(in super::super) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    page(&state, &signed, StatusCode::OK, FormState::default(), &query).await
}

pub(super) async fn page(
    state: &WebState,
    signed: &Signed,
    status: StatusCode,
    form: FormState,
    query: &FormFields,
) -> PanelResult {
    let empresa = signed.empresa()?.id;
    let (store, now) = (&state.app.store, state.app.now());
    let standing = JobStanding::parse(query.raw("estado"));
    let kind = JobKind::parse(query.raw("tipo"));
    let after = cursor(query);
    let filter = OutboxFilter { empresa, standing, kind };
    let mut found = store.list_outbox(filter, now, after, PAGE + 1).await?;
    let has_more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let next = found.last().filter(|_| has_more).map(|last| {
        let place = address(standing, kind);
        let joint = if place.contains('?') { '&' } else { '?' };
        format!("{place}{joint}desde={}-{}", last.creado_en.as_microsecond(), last.id)
    });
    let counts = store.count_outbox(empresa, now).await?;
    let pauses = store.pauses(empresa).await?;
    let hosts = state.app.outbox().hosts(empresa).await?;
    let page = OutboxPage {
        frame: PanelFrame::new(state, signed, "Envíos", Section::Outbox).await?.with(STYLES, &[]),
        form,
        done: match query.raw("hecho") {
            "pausa" => Some("En pausa. Lo que salga hacia ahí espera hasta que lo reanudes."),
            "reanudado" => Some("Reanudado. Lo que esperaba sale ahora."),
            _ => None,
        },
        destinations: destinations::shown(&hosts, &pauses, now),
        tabs: tabs(&counts, standing, kind),
        kinds: JobKind::ALL.map(|k| (k.as_str(), k.label(), Some(k) == kind)).into(),
        standing: standing.map_or("", JobStanding::as_str),
        rows: found.into_iter().map(|job| row(job, now)).collect(),
        next,
        is_first: after.is_none(),
        is_filtered: standing.is_some() || kind.is_some(),
    };
    Ok(private_page(status, &page))
}

fn row(job: ListedJob, now: Timestamp) -> Row {
    let waits = matches!(job.standing, JobStanding::Waiting | JobStanding::Failing);
    let is_over =
        matches!(job.standing, JobStanding::Done | JobStanding::Superseded | JobStanding::Discarded);
    Row {
        id: job.id.to_string(),
        what: job.kind.label(),
        lead: job.lead.to_string(),
        nombre: job.nombre.as_deref().map_or_else(|| "Lead borrado".to_owned(), embudo_domain::words::name),
        standing: words::standing(job.standing),
        chip: words::chip(job.standing),
        created: moment(job.creado_en, now),
        attempts: words::attempts(job.intentos),
        next: waits.then(|| until(job.proximo_en, now)),
        error: job.ultimo_error.filter(|_| !is_over).map(|error| words::plain_error(&error)),
    }
}

/// The tabs. Empty tabs that are seldom needed are left out.
fn tabs(counts: &[StandingCount], chosen: Option<JobStanding>, kind: Option<JobKind>) -> Vec<Tab> {
    let of = |standing: JobStanding| counts.iter().find(|c| c.standing == standing).map_or(0, |c| c.count);
    let closed = [JobStanding::Done, JobStanding::Superseded, JobStanding::Discarded];
    let is_bounded = closed.into_iter().map(of).sum::<u64>() >= u64::from(MOST_CLOSED);
    let tab = |standing: JobStanding| {
        let (count, is_chosen) = (of(standing), chosen == Some(standing));
        let is_rare = matches!(
            standing,
            JobStanding::Running | JobStanding::Paused | JobStanding::Superseded | JobStanding::Discarded
        );
        let is_urgent = matches!(standing, JobStanding::Dead | JobStanding::Parked) && count > 0;
        let more = if is_bounded && closed.contains(&standing) { "+" } else { "" };
        (is_chosen || count > 0 || !is_rare).then(|| Tab {
            path: address(Some(standing), kind),
            name: plural(standing),
            count: format!("{count}{more}"),
            is_chosen,
            is_urgent,
        })
    };
    let all = Tab {
        path: address(None, kind),
        name: "Todos",
        count: String::new(),
        is_chosen: chosen.is_none(),
        is_urgent: false,
    };
    let order = [
        JobStanding::Parked,
        JobStanding::Dead,
        JobStanding::Failing,
        JobStanding::Waiting,
        JobStanding::Running,
        JobStanding::Paused,
        JobStanding::Done,
        JobStanding::Superseded,
        JobStanding::Discarded,
    ];
    std::iter::once(all).chain(order.into_iter().filter_map(tab)).collect()
}

fn plural(standing: JobStanding) -> &'static str {
    match standing {
        JobStanding::Done => "Hechos",
        JobStanding::Superseded => "Sustituidos",
        JobStanding::Discarded => "Descartados",
        other => words::standing(other),
    }
}

fn address(standing: Option<JobStanding>, kind: Option<JobKind>) -> String {
    let standing = standing.map(|standing| format!("estado={standing}"));
    let kind = kind.map(|kind| format!("tipo={kind}"));
    let query: Vec<String> = standing.into_iter().chain(kind).collect();
    if query.is_empty() { "/panel/envios".to_owned() } else { format!("/panel/envios?{}", query.join("&")) }
}

/// The position of the last job of the previous page. `None` starts with the first job: the address contains no cursor,
/// or an invalid one.
fn cursor(query: &FormFields) -> Option<(Timestamp, JobId)> {
    let (micros, id) = query.raw("desde").split_once('-')?;
    Some((Timestamp::from_microsecond(micros.parse().ok()?).ok()?, JobId::parse(id)?))
}
