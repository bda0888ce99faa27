//! `POST /panel/empresa/tarifa/revisar`: what the next version changes, a lead to try it on, and the button that keeps it.

use askama::Template;
use axum::extract::{Request, State};
use embudo_app::NextTarifa;
use embudo_domain::tarifa::Tarifa;
use embudo_domain::words;
use embudo_store::StoreError;
use embudo_store::sheet::Edited;
use http::StatusCode;
use jiff::ToSpan as _;
use jiff::civil::Date;

use super::changes::{self, Changes};
use super::posted::read_form;
use super::proposal::{Proposal, What};
use super::sample::Sample;
use super::{PATH, Shelf, TABS, Tabs, Which, editor, frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{FormFields, Refusal, private_page, redirect};

/// A version begins within so many years.
const MAX_YEARS: i32 = 5;
const STALE: &str = "Mientras preparabas esta versión se ha guardado otra, o se ha retirado una. No se ha guardado nada: mira lo que cambia ahora y guarda si sigues queriendo.";
const TAKEN: &str = "Ya hay una versión con ese nombre, y los presupuestos la nombran: elige otro.";

#[derive(Template)]
#[template(path = "panel/empresa/tarifa/review.html")]
struct Page {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    proposal: Proposal,
    seen: String,
    before: String,
    base: String,
    today: String,
    /// What is worth knowing before saving.
    notes: Vec<String>,
    /// The version that the changes could be made to instead.
    rebase: Option<String>,
    changes: Changes,
    sample: Sample,
}

impl Page {
    fn is_file(&self) -> bool {
        matches!(self.proposal.what, What::File(_))
    }

    fn back(&self) -> &'static str {
        PATH
    }
}

/// A proposal on its way to the page.
pub(super) struct Review {
    pub proposal: Proposal,
    pub form: FormState,
    pub status: StatusCode,
    /// The lead to try it on, as it was typed.
    pub tried: FormFields,
}

impl Review {
    pub fn new(proposal: Proposal) -> Self {
        let (form, tried) = (FormState::default(), FormFields::default());
        Self { proposal, form, status: StatusCode::OK, tried }
    }
}

pub(crate) async fn act(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let shelf = Shelf::of(&state, &signed).await?;
    let fields = read_form(&state, request).await?;
    let Some(mut proposal) = Proposal::read(&fields) else { return Ok(redirect(PATH)) };
    match fields.raw("hacer") {
        "editar" => return editor::resume(&state, &signed, &shelf, fields).await,
        "cambiar-base" => {
            if let What::Edits { base, .. } = &mut proposal.what {
                *base = Which::parse(fields.raw("otra-base"));
            }
        }
        "guardar" => {
            return save(&state, &signed, &shelf, Review { tried: fields, ..Review::new(proposal) }).await;
        }
        _ => {}
    }
    page(&state, &signed, &shelf, Review { tried: fields, ..Review::new(proposal) }).await
}

async fn save(state: &WebState, signed: &Signed, shelf: &Shelf, review: Review) -> PanelResult {
    let proposal = &review.proposal;
    let (table, _) = proposal.table(state, shelf).await?;
    let mut form = FormState::default();
    if !Tarifa::is_version(&proposal.version) {
        form.add("version", "Usa letras sin tilde, cifras, puntos o guiones, 32 como mucho: 2027.1.");
    }
    let since = day_of(&proposal.since, shelf.today);
    if since.is_none() {
        form.add("desde", format!("Elige hoy o un día posterior, dentro de {MAX_YEARS} años."));
    }
    let Some(since) = since.filter(|_| form.is_good()) else {
        return refuse(state, signed, shelf, review, form, StatusCode::UNPROCESSABLE_ENTITY).await;
    };
    let is_as_written = table.version() == proposal.version
        && table.vigente_desde() == since
        && (proposal.notas.is_empty() || proposal.notas == table.notas());
    let (before, diffed) = (shelf.table_of(state, since).await?, table.clone());
    let Some(next) = table.into_version(&proposal.version, since, &proposal.notas) else {
        form.add("notas", "Escribe una línea de 2.000 caracteres como mucho.");
        return refuse(state, signed, shelf, review, form, StatusCode::UNPROCESSABLE_ENTITY).await;
    };
    let text = match &proposal.what {
        What::File(text) if is_as_written => text.clone(),
        _ => next.write(),
    };
    // What is kept must read: quotes rely on it.
    state.app.tarifas().read(text.clone()).await?.map_err(|_| Refusal::Internal)?;
    let done = redirect(&format!("{PATH}?hecho=guardada&version={}", proposal.version));
    if proposal.seen != shelf.fingerprint() {
        // The button may have been pressed twice.
        let kept = state.app.store.tarifa(shelf.empresa, proposal.version.clone()).await?;
        if kept.is_some_and(|kept| kept.text == text && kept.since == since) {
            return Ok(done);
        }
        form.add("", STALE);
        return refuse(state, signed, shelf, review, form, StatusCode::CONFLICT).await;
    }
    let told = embudo_domain::tarifa::diff::diff(&before.1, &diffed);
    let summary = changes::summary(&told.partidas, told.others.len());
    let next = NextTarifa {
        version: proposal.version.clone(),
        since,
        text,
        before: before.0.name(),
        after: format!("{}, desde el {since}. {summary}", proposal.version),
    };
    match state.app.tarifas().add(shelf.empresa, shelf.versions.clone(), next, &signed.actor()).await {
        Ok(Edited::Saved | Edited::Same) => Ok(done),
        Ok(Edited::Stale) => {
            form.add("", STALE);
            let shelf = Shelf::of(state, signed).await?;
            refuse(state, signed, &shelf, review, form, StatusCode::CONFLICT).await
        }
        Err(StoreError::TarifaTaken) => {
            form.add("version", TAKEN);
            refuse(state, signed, shelf, review, form, StatusCode::CONFLICT).await
        }
        Err(other) => Err(other.into()),
    }
}

async fn refuse(
    state: &WebState,
    signed: &Signed,
    shelf: &Shelf,
    review: Review,
    form: FormState,
    status: StatusCode,
) -> PanelResult {
    page(state, signed, shelf, Review { form, status, ..review }).await
}

/// A day on which a version may begin.
fn day_of(text: &str, today: Date) -> Option<Date> {
    let day: Date = text.parse().ok()?;
    let last = today.checked_add(MAX_YEARS.years()).ok()?;
    (today..=last).contains(&day).then_some(day)
}

pub(super) async fn page(state: &WebState, signed: &Signed, shelf: &Shelf, review: Review) -> PanelResult {
    let Review { proposal, mut form, mut status, tried } = review;
    let (table, lost) = proposal.table(state, shelf).await?;
    let since = day_of(&proposal.since, shelf.today).unwrap_or(shelf.today);
    let (before, before_table) = shelf.table_of(state, since).await?;
    let comparison = state.app.tarifas().compare(before_table.clone(), table.clone()).await?;
    let impuestos = state.app.quotes().impuestos();
    let (sample, facts) = Sample::read("revisar", &tried, &mut form);
    if facts.is_none() && status == StatusCode::OK {
        status = StatusCode::UNPROCESSABLE_ENTITY;
    }
    let before_name = before.name();
    let tables = [(before_name.as_str(), &before_table), (proposal.version.as_str(), &table)];
    let sample = sample.with(facts.as_ref(), tables, (impuestos, shelf.today));
    let rebase = proposal.base().filter(|base| **base != before).map(|_| before.word().to_owned());
    let page = Page {
        frame: frame(state, signed, "Revisar la tarifa").await?,
        tabs: TABS,
        notes: notes(shelf, &proposal, &before, since, lost),
        seen: shelf.fingerprint(),
        base: proposal.base().map(|base| base.word().to_owned()).unwrap_or_default(),
        before: before_name,
        today: shelf.today.to_string(),
        rebase,
        changes: Changes::of(&comparison, impuestos),
        sample,
        proposal,
        form,
    };
    Ok(private_page(status, &page))
}

fn notes(shelf: &Shelf, proposal: &Proposal, before: &Which, since: Date, lost: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if proposal.seen != shelf.fingerprint() {
        notes.push(
            "Desde que empezaste ha cambiado la lista de versiones: lo que ves abajo ya la tiene en cuenta."
                .to_owned(),
        );
    }
    if let Some(base) = proposal.base().filter(|base| *base != before) {
        notes.push(format!(
            "Partiste de la versión {}, pero el {} la que vale es {}. Abajo ves la diferencia con esa: lo que cambió en ella y no en la tuya se perdería.",
            base.name(),
            words::day(since),
            before.name()
        ));
    }
    match lost {
        0 => {}
        1 => notes.push("Un cambio no se puede aplicar a esa versión, y se queda fuera.".to_owned()),
        n => notes.push(format!("{n} cambios no se pueden aplicar a esa versión, y se quedan fuera.")),
    }
    // The list has the latest day first.
    if let Some(next) = shelf.versions.iter().rev().find(|v| v.since > since) {
        notes.push(format!(
            "Valdrá hasta que entre la versión {}, el {}.",
            next.version,
            words::day(next.since)
        ));
    }
    if let Some(same) = shelf.versions.iter().find(|v| v.since == since) {
        notes.push(format!(
            "La versión {} empieza el mismo día: la que guardes ahora ocupa su lugar.",
            same.version
        ));
    }
    notes
}
