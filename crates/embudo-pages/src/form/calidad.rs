//! Step 4: quality, structure, time and budget.

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_domain::form_questions::{LeftOut, OptionalQuestion};
use embudo_domain::money::Cents;
use embudo_domain::perfil::Perfil;
use embudo_domain::perfil::{Calidad, Urgencia};
use embudo_store::lead_writes::Answer;
use http::Uri;

use super::answers::parse_euros;
use super::mistakes::Doubt;
use super::step::{Errors, Opened, PageResult, Step, StepView, Visitor};
use super::words::{self, CALIDADES, Choice, URGENCIAS};
use crate::WebState;
use crate::parts::{FormFields, Frame, fields_of, redirect, render_page};

const TITLE: &str = "¿Cómo te gustaría que quedara?";
/// No renovation costs less. A smaller budget is a typing mistake, or the person meant thousands.
const LITTLE: Cents = Cents::euros(100);
/// The maximum length of the text about preferences.
const MAX_TASTES: usize = 4_000;

#[derive(Template)]
#[template(path = "form/calidad.html")]
struct CalidadPage {
    frame: Frame,
    view: StepView,
    errors: Errors,
    chosen: Chosen,
    calidades: &'static [Choice],
    urgencias: &'static [Choice],
    left_out: LeftOut,
}

impl CalidadPage {
    fn asks(&self, word: &str) -> bool {
        !self.left_out.iter().any(|question| question.as_str() == word)
    }

    /// An example of what the person may want for this room.
    fn tastes_example(&self) -> &'static str {
        words::zona(self.view.drawing).tastes
    }
}

/// The values in the boxes of the form.
struct Chosen {
    calidad: String,
    estructural: String,
    urgencia: String,
    presupuesto: String,
    tastes: String,
}

impl Chosen {
    fn of_fields(fields: &FormFields) -> Self {
        let [calidad, estructural, urgencia, presupuesto, tastes] =
            ["calidad", "estructural", "urgencia", "presupuesto", "gustos"].map(|n| fields.text(n));
        Self { calidad, estructural, urgencia, presupuesto, tastes }
    }

    fn of_perfil(perfil: &Perfil) -> Self {
        let presupuesto = perfil
            .presupuesto_declarado
            .clone()
            .or_else(|| perfil.presupuesto_target_cents.map(|c| Cents(c).short()));
        Self {
            calidad: perfil.calidad_global.map_or("", Calidad::as_str).to_owned(),
            estructural: perfil.estructural.map_or("", |e| if e { "si" } else { "no" }).to_owned(),
            urgencia: perfil.urgencia.map_or("", Urgencia::as_str).to_owned(),
            presupuesto: presupuesto.unwrap_or_default(),
            tastes: perfil.taste_text.clone().unwrap_or_default(),
        }
    }
}

/// `GET /f/:slug/:pase/calidad`.
pub(crate) async fn show(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    uri: Uri,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?.since(&uri);
    let chosen = Chosen::of_perfil(&open.record.lead.perfil);
    show_with(&state, open.into(), chosen, Errors::default()).await
}

async fn show_with(state: &WebState, visitor: Visitor, chosen: Chosen, errors: Errors) -> PageResult {
    let view = StepView::new(state, &visitor, Step::Calidad).await?;
    let left_out = state.app.store.settings(visitor.storefront.empresa.id).await?.left_out;
    let page = CalidadPage {
        frame: visitor.into_frame(errors.title(TITLE)),
        view,
        errors,
        chosen,
        calidades: &CALIDADES,
        urgencias: &URGENCIAS,
        left_out,
    };
    Ok(render_page(page.errors.status(), page.view.visibility, &page.frame, &page))
}

/// `POST /f/:slug/:pase/calidad`.
pub(crate) async fn save(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    request: Request,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?.since(request.uri());
    let fields = fields_of(&state, request).await?;
    let chosen = Chosen::of_fields(&fields);
    let answers = open.answers().with(&fields);
    let mut errors = Errors::default();
    let presupuesto = parse_euros(&chosen.presupuesto);
    if !chosen.presupuesto.is_empty() && presupuesto.is_none() {
        errors.note_down(
            "presupuesto",
            "Escribe una cantidad en euros, por ejemplo 6.000. Si no lo sabes, déjalo vacío.",
        );
    }
    if let Some(little) = presupuesto.filter(|c| *c < LITTLE) {
        errors.doubt(&fields, "presupuesto", &little.0.to_string(), doubt_calidad(little));
    }
    if chosen.tastes.chars().count() > MAX_TASTES {
        errors.note_down(
            "gustos",
            "Es un poco largo: resúmelo en 4.000 letras; luego hablamos de los detalles.",
        );
    }
    if errors.has() {
        // The price is calculated with the answers of this request, although they are not saved.
        let visitor = Visitor { answers, ..open.into() };
        return show_with(&state, visitor, chosen, errors).await;
    }
    let left_out = state.app.store.settings(open.storefront.empresa.id).await?.left_out;
    let withdrawn = withdrawn(&chosen, &left_out);
    let non_empty = |text: String| Some(text).filter(|t| !t.is_empty());
    let perfil = Perfil {
        calidad_global: Calidad::parse(&chosen.calidad),
        estructural: answers.estructural.filter(|_| fields.has("estructural")),
        urgencia: Urgencia::parse(&chosen.urgencia),
        presupuesto_target_cents: presupuesto.map(|c| c.0),
        presupuesto_declarado: non_empty(chosen.presupuesto),
        taste_text: non_empty(chosen.tastes),
        ..Perfil::default()
    };
    state.app.forms().answer(&open.record.lead, perfil, &withdrawn).await?;
    Ok(redirect(&open.after_save(Step::Vivienda)))
}

fn doubt_calidad(little: Cents) -> Doubt {
    let mensaje = format!(
        "¿Seguro que son {}? Si no tienes una cifra, déjalo vacío; si son miles, escríbelo entero: 6.000. Para dejarlo \
         así, pulsa «Continuar» otra vez.",
        little.short()
    );
    Doubt { mensaje, hint: None }
}

/// The answers to delete: those whose box is empty. A question that the company left out of the form deletes nothing.
fn withdrawn(chosen: &Chosen, left_out: &LeftOut) -> Vec<Answer> {
    let asks = |question| !left_out.contains(&question);
    let empty = [
        (Answer::Estructural, &chosen.estructural, true),
        (Answer::Presupuesto, &chosen.presupuesto, asks(OptionalQuestion::Budget)),
        (Answer::TasteText, &chosen.tastes, asks(OptionalQuestion::Tastes)),
    ];
    empty
        .into_iter()
        .filter(|(_, text, asked)| *asked && text.is_empty())
        .map(|(answer, ..)| answer)
        .collect()
}
