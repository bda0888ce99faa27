//! `POST /panel/empresa/tarifa/revisar`: goes back to the editor, shows the page again, or saves the next version.

use axum::extract::{Request, State};
use embudo_app::NextTarifa;
use embudo_domain::tarifa::Tarifa;
use embudo_domain::tarifa::diff::diff;
use embudo_store::StoreError;
use embudo_store::edited::Edited;
use http::StatusCode;

use super::posted::read_form;
use super::proposal::{Proposal, What};
use super::review::{MAX_YEARS, Review, day_of, page};
use super::{PATH, Shelf, Which, changes, editor};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelResult, Signed};
use crate::parts::{Refusal, redirect};

const STALE: &str = "Mientras preparabas esta versión se ha guardado otra, o se ha retirado una. No se ha guardado nada: mira lo que cambia ahora y guarda si sigues queriendo.";
const TAKEN: &str = "Ya hay una versión con ese nombre, y los presupuestos la nombran: elige otro.";

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
    // The text is parsed once more before it is stored, because quotes rely on it.
    state.app.tarifas().read(text.clone()).await?.map_err(|_| Refusal::Internal)?;
    let done = redirect(&format!("{PATH}?hecho=guardada&version={}", proposal.version));
    if proposal.seen != shelf.fingerprint() {
        // The button may have been pressed twice, so that this version is already stored.
        let kept = state.app.store.tarifa(shelf.empresa, proposal.version.clone()).await?;
        if kept.is_some_and(|kept| kept.text == text && kept.since == since) {
            return Ok(done);
        }
        form.add("", STALE);
        return refuse(state, signed, shelf, review, form, StatusCode::CONFLICT).await;
    }
    let changed = diff(&before.1, &diffed);
    let summary = changes::summary(&changed.partidas, changed.others.len());
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
