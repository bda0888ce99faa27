//! Step 1: what to renovate.

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_domain::Zona;
use embudo_domain::perfil::Perfil;
use embudo_store::lead_writes::Answer;
use http::Uri;

use super::answers::FormAnswers;
use super::step::{Errors, Opened, PageResult, Step, StepView, Visitor};
use super::words::{ZONAS, ZonaWords};
use crate::WebState;
use crate::parts::{Frame, Storefront, fields_of, read_fields, redirect, render_page};

const TITLE: &str = "¿Qué quieres reformar?";
const CHOOSE: &str = "Elige una de las opciones para seguir.";

#[derive(Template)]
#[template(path = "form/kind.html")]
struct KindPage {
    frame: Frame,
    view: StepView,
    errors: Errors,
    chosen: Option<Zona>,
    zonas: &'static [ZonaWords],
}

impl KindPage {
    fn is_chosen(&self, a: &ZonaWords) -> bool {
        self.chosen == Some(a.zona)
    }
}

/// `GET /`: the form of the default company.
pub(crate) async fn start(State(state): State<WebState>, uri: Uri) -> PageResult {
    let storefront = Storefront::of_default(&state).await?;
    show_with(&state, visitor(&state, storefront, &uri), Errors::default()).await
}

/// `GET /f/:slug`.
pub(crate) async fn new(State(state): State<WebState>, Path(slug): Path<String>, uri: Uri) -> PageResult {
    let storefront = Storefront::of_slug(&state, &slug).await?;
    show_with(&state, visitor(&state, storefront, &uri), Errors::default()).await
}

/// Shows the page again to a person who continued without choosing.
pub(super) async fn not_chosen(state: &WebState, storefront: Storefront, uri: &Uri) -> PageResult {
    show_with(state, visitor(state, storefront, uri), missing()).await
}

fn visitor(state: &WebState, storefront: Storefront, uri: &Uri) -> Visitor {
    let fields = read_fields(uri.query().unwrap_or_default().as_bytes());
    Visitor::unknown(state, storefront, FormAnswers::of_fields(&fields))
}

fn missing() -> Errors {
    let mut errors = Errors::default();
    errors.missing("tipo", CHOOSE);
    errors
}

/// `GET /f/:slug/:pase/tipo`.
pub(crate) async fn show(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    uri: Uri,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?.since(&uri);
    show_with(&state, Visitor::from(open), Errors::default()).await
}

async fn show_with(state: &WebState, visitor: Visitor, errors: Errors) -> PageResult {
    let view = StepView::new(state, &visitor, Step::Kind).await?;
    let chosen = visitor.answers.kind;
    let frame = visitor.into_frame(errors.title(TITLE));
    let page = KindPage { frame, view, errors, chosen, zonas: &ZONAS };
    Ok(render_page(page.errors.status(), page.view.visibility, &page.frame, &page))
}

/// `POST /f/:slug/:pase/tipo`.
pub(crate) async fn save(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    request: Request,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?.since(request.uri());
    let fields = fields_of(&state, request).await?;
    let Some(kind) = Zona::parse(&fields.text("tipo")) else {
        return show_with(&state, Visitor::from(open), missing()).await;
    };
    if open.answers().kind == Some(kind) {
        return Ok(redirect(&open.after_save(Step::Metros)));
    }
    // The floor area was that of another kind of work, so the form asks for it again.
    let perfil = Perfil { tipo_reforma: Some(kind), ..Perfil::default() };
    state.app.forms().answer(&open.record.lead, perfil, &[Answer::M2Suelo]).await?;
    Ok(redirect(&open.form.path_with_return(Step::Metros)))
}
