//! Actions on a draft or a quote other than editing: begin, recalculate, discard, revoke its links, mark as handed
//! over.

use askama::Template;
use axum::extract::{Request, State};
use embudo_app::Beginning;
use embudo_domain::PresupuestoId;
use embudo_store::drafts::DraftChange;
use http::StatusCode;

use super::differences::recalculated;
use super::revision::FormRevision;
use super::{OpenQuote, Paper, STYLES, read_draft};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::work::{Posted, press};
use crate::panel::{PanelFrame, PanelResult, Section};
use crate::parts::{fields_of, private_page, redirect};

pub(super) const STALE: &str = "Alguien ha guardado cambios en este presupuesto mientras lo mirabas. No se ha hecho nada: míralo otra vez.";

pub(super) const LOST: &str = "No ha llegado entero. Vuelve a pulsar el botón.";

/// `POST /panel/leads/:id/presupuestos`: opens the lead's draft. A new draft begins from the last version, from another
/// version, or from scratch.
pub(crate) async fn begin(form: Posted) -> PanelResult {
    let beginning = match form.fields.raw("desde") {
        "cero" => Beginning::Scratch,
        other => PresupuestoId::parse(other).map_or(Beginning::Latest, Beginning::Version),
    };
    let draft = form.state.app.quotes().open(form.lead.id, beginning, &form.signed.actor()).await?;
    Ok(redirect(&format!("/panel/presupuestos/{}?hecho=nuevo", draft.id)))
}

#[derive(Template)]
#[template(path = "panel/quotes/recalculate.html")]
struct Recalculation {
    frame: PanelFrame,
    form: FormState,
    base: String,
    revision: String,
    differences: Vec<String>,
}

/// `GET /panel/presupuestos/:id/recalcular`: shows what recalculating would change.
pub(crate) async fn ask_recalculate(open: OpenQuote) -> PanelResult {
    recalculation(&open, StatusCode::OK, FormState::default()).await
}

async fn recalculation(open: &OpenQuote, status: StatusCode, form: FormState) -> PanelResult {
    let Some(stored) = open.draft() else { return Ok(open.to("")) };
    let before = read_draft(stored)?;
    let ingredients = open.ingredients().await?;
    let after = before.recalculate(&open.record.lead, ingredients.base()).draft;
    let frame = PanelFrame::new(&open.state, &open.signed, "Recalcular", Section::Quotes).await?;
    let page = Recalculation {
        frame: frame.with(STYLES, &[]),
        form,
        base: open.path(),
        revision: open.form_revision(stored),
        differences: recalculated(&before, &after, open, &ingredients),
    };
    Ok(private_page(status, &page))
}

/// `POST /panel/presupuestos/:id/recalcular`.
pub(crate) async fn recalculate(
    State(state): State<WebState>,
    open: OpenQuote,
    request: Request,
) -> PanelResult {
    let Some(stored) = open.draft() else { return Ok(open.to("")) };
    let fields = fields_of(&state, request).await?;
    let Some(seen) = FormRevision::parse(fields.raw("revision")) else {
        return recalculation(&open, StatusCode::UNPROCESSABLE_ENTITY, FormState::wrong("", LOST)).await;
    };
    if !seen.is_of(stored) {
        return recalculation(&open, StatusCode::CONFLICT, FormState::wrong("", STALE)).await;
    }
    let before = read_draft(stored)?;
    let after = state.app.quotes().recalculate(&open.record, &before).await?.draft;
    if after != before {
        let actor = open.signed.actor();
        match state.app.quotes().save(open.seen(stored), &after, &actor).await? {
            DraftChange::Done(_) => {}
            DraftChange::Gone => return Ok(open.to_lead("presupuesto-ido")),
            DraftChange::Stale(_) => {
                return recalculation(&open, StatusCode::CONFLICT, FormState::wrong("", STALE)).await;
            }
        }
    }
    Ok(open.to("?hecho=recalculado"))
}

#[derive(Template)]
#[template(path = "panel/quotes/discard.html")]
struct Discarding {
    frame: PanelFrame,
    form: FormState,
    base: String,
    nombre: String,
    revision: String,
}

/// `GET /panel/presupuestos/:id/descartar`: asks for confirmation.
pub(crate) async fn ask_discard(open: OpenQuote) -> PanelResult {
    discarding(&open, StatusCode::OK, FormState::default()).await
}

async fn discarding(open: &OpenQuote, status: StatusCode, form: FormState) -> PanelResult {
    let Some(stored) = open.draft() else { return Ok(open.to("")) };
    let frame = PanelFrame::new(&open.state, &open.signed, "Descartar el borrador", Section::Quotes).await?;
    let page = Discarding {
        frame: frame.with(STYLES, &[]),
        form,
        base: open.path(),
        nombre: open.record.lead.name(),
        revision: open.form_revision(stored),
    };
    Ok(private_page(status, &page))
}

/// `POST /panel/presupuestos/:id/descartar`.
pub(crate) async fn discard(State(state): State<WebState>, open: OpenQuote, request: Request) -> PanelResult {
    let Some(stored) = open.draft() else { return Ok(open.to("")) };
    let fields = fields_of(&state, request).await?;
    let Some(seen) = FormRevision::parse(fields.raw("revision")) else {
        return discarding(&open, StatusCode::UNPROCESSABLE_ENTITY, FormState::wrong("", LOST)).await;
    };
    if !seen.is_of(stored) {
        return discarding(&open, StatusCode::CONFLICT, FormState::wrong("", STALE)).await;
    }
    match state.app.quotes().discard(open.seen(stored), &open.signed.actor()).await? {
        DraftChange::Done(()) | DraftChange::Gone => Ok(open.to_lead("descartado")),
        DraftChange::Stale(_) => discarding(&open, StatusCode::CONFLICT, FormState::wrong("", STALE)).await,
    }
}

/// `POST /panel/presupuestos/:id/revocar`: invalidates all links to this quote and to the client's other quotes. The
/// quote's page shows the new link.
pub(crate) async fn revoke(State(state): State<WebState>, open: OpenQuote) -> PanelResult {
    let Paper::Quote(quote) = &open.paper else { return Ok(open.to("")) };
    state.app.rights().revoke_quotes(quote.lead, &open.signed.actor()).await?;
    Ok(open.to("?hecho=revocado"))
}

/// `POST /panel/presupuestos/:id/entregado`: records that a person handed the quote to the client.
pub(crate) async fn hand_over(
    State(state): State<WebState>,
    open: OpenQuote,
    request: Request,
) -> PanelResult {
    let Paper::Quote(quote) = &open.paper else { return Ok(open.to("")) };
    let fields = fields_of(&state, request).await?;
    let Some(key) = press(&fields, "entregado", quote.id.0) else {
        return Ok(open.to(""));
    };
    state.app.quotes().hand_over(quote, key, &open.signed.actor()).await?;
    Ok(open.to("?hecho=entregado"))
}
