//! Step 5: questions that decide the tax, and up to which floor the materials must be carried. No answer is required.

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_domain::Zona;
use embudo_domain::obra::{Obra, ObraPatch};
use http::Uri;

use super::answers::{obra_fields, obra_of};
use super::step::{Errors, Opened, PageResult, Step, StepView, Visitor};
use crate::WebState;
use crate::parts::{FormFields, Frame, fields_of, redirect, render_page};

const TITLE: &str = "Sobre la vivienda";

#[derive(Template)]
#[template(path = "form/vivienda.html")]
struct ViviendaPage {
    frame: Frame,
    view: StepView,
    errors: Errors,
    questions: Vec<Question>,
    /// The number of bathrooms matters only for a whole dwelling.
    asks_banos: bool,
    banos: String,
    planta: String,
}

struct Question {
    name: &'static str,
    legend: &'static str,
    help: &'static str,
    choices: &'static [(&'static str, &'static str)],
    chosen: String,
}

const YES_NO: &[(&str, &str)] = &[("si", "Sí"), ("no", "No"), ("", "No lo sé")];
const IS_HOME: &[(&str, &str)] = &[("si", "Sí"), ("no", "No, es un local u oficina"), ("", "No lo sé")];
const WHO: &[(&str, &str)] = &[
    ("particular", "Un particular"),
    ("comunidad", "La comunidad de vecinos"),
    ("empresa", "Una empresa o un profesional"),
    ("", "No lo sé"),
];

fn questions(typed: &FormFields) -> Vec<Question> {
    let question =
        |name, legend, help, choices| Question { name, legend, help, choices, chosen: typed.text(name) };
    vec![
        question("esVivienda", "¿Es una vivienda?", "Una segunda residencia también lo es.", IS_HOME),
        question("contratante", "¿A nombre de quién irá la factura?", "", WHO),
        question(
            "dosAnos",
            "¿Han pasado dos años desde que se construyó o se rehabilitó?",
            "Una rehabilitación es una obra grande, en la estructura o la fachada: una cocina o un baño nuevos no lo son. Si han pasado, el impuesto suele ser el reducido.",
            YES_NO,
        ),
        question("ascensor", "¿Hay ascensor que se pueda usar para la obra?", "", YES_NO),
    ]
}

/// `GET /f/:slug/:pase/vivienda`.
pub(crate) async fn show(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    uri: Uri,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?.since(&uri);
    let known = obra_fields(&open.record.lead.obra).into_iter().map(|(name, value)| (name.to_owned(), value));
    show_with(&state, open.into(), FormFields(known.collect()), Errors::default()).await
}

async fn show_with(state: &WebState, visitor: Visitor, typed: FormFields, errors: Errors) -> PageResult {
    let (banos, planta, questions) = (typed.text("banos"), typed.text("planta"), questions(&typed));
    let asks_banos = visitor.answers.kind == Some(Zona::Integral);
    let view = StepView::new(state, &visitor, Step::Vivienda).await?;
    let frame = visitor.into_frame(errors.title(TITLE));
    let page = ViviendaPage { frame, view, errors, questions, asks_banos, banos, planta };
    Ok(render_page(page.errors.status(), page.view.visibility, &page.frame, &page))
}

/// `POST /f/:slug/:pase/vivienda`.
pub(crate) async fn save(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    request: Request,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?.since(request.uri());
    let fields = fields_of(&state, request).await?;
    let obra = Obra { codigo_postal: None, ..obra_of(&fields) };
    let errors = mistakes(&fields, &obra);
    if errors.has() {
        let answers = open.answers().with(&fields);
        let visitor = Visitor { answers, ..open.into() };
        return show_with(&state, visitor, fields, errors).await;
    }
    let patch = ObraPatch { cleared: cleared(&fields, &obra), obra };
    state.app.forms().answer_obra(open.record.lead.id, patch).await?;
    Ok(redirect(&open.after_save(Step::Fotos)))
}

fn mistakes(fields: &FormFields, obra: &Obra) -> Errors {
    let mut errors = Errors::default();
    if obra.banos.is_none() && !fields.text("banos").is_empty() {
        errors.note_down(
            "banos",
            "Escribe cuántos baños con un número, por ejemplo 2. Si no lo sabes, déjalo vacío.",
        );
    }
    if obra.planta.is_none() && !fields.text("planta").is_empty() {
        errors.note_down(
            "planta",
            "Escribe la planta con un número, por ejemplo 3, o «bajo». Si no lo sabes, déjalo vacío.",
        );
    }
    errors
}

/// The answers to delete: those that the form asked for and that are unknown now.
fn cleared(fields: &FormFields, obra: &Obra) -> Vec<&'static str> {
    let known = obra_fields(obra);
    let is_asked = |name: &str| name != "codigoPostal" && fields.0.iter().any(|(n, _)| n == name);
    let names = Obra::fields().iter().map(|field| field.nombre);
    names.filter(|name| is_asked(name) && !known.iter().any(|(n, _)| n == name)).collect()
}
