//! Step 2: the floor area.

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_domain::Zona;
use embudo_domain::decimal::Cantidad;
use embudo_domain::tarifa::Tarifa;
use http::Uri;

use super::answers::{FormAnswers, parse_m2, write_m2};
use super::kind::not_chosen;
use super::mistakes::Doubt;
use super::person::{RETURNS, Typed};
use super::step::{Errors, Opened, PageResult, Step, StepView, Visitor};
use super::words::{self, metros};
use crate::WebState;
use crate::parts::{FormFields, Frame, Storefront, fields_of, read_fields, redirect, render_page};

#[derive(Template)]
#[template(path = "form/metros.html")]
struct MetrosPage {
    frame: Frame,
    view: StepView,
    errors: Errors,
    title: &'static str,
    /// The text in the box.
    value: String,
    scale: Scale,
}

/// The slider and the preset sizes.
struct Scale {
    minimum: String,
    maximum: String,
    step: &'static str,
    /// The position of the slider.
    brand: String,
    /// Name, value for the form, text for people.
    sizes: Vec<(&'static str, String, String)>,
}

impl Scale {
    /// The smallest and the largest area of the slider, which covers the usual areas.
    fn limits(tarifa: &Tarifa, zona: Zona) -> (f64, f64) {
        let kind = tarifa.kind(zona);
        (in_m2(kind.min_m2), (in_m2(kind.m2_high) * 2.5).min(in_m2(kind.max_m2)).ceil())
    }

    fn of(tarifa: &Tarifa, zona: Zona, chosen: Option<f64>) -> Self {
        let kind = tarifa.kind(zona);
        let (minimum, maximum) = Self::limits(tarifa, zona);
        let sizes = [kind.m2_low, kind.assumed_m2, kind.m2_high].map(in_m2);
        let names = words::zona(zona).sizes;
        Self {
            minimum: minimum.ceil().to_string(),
            maximum: maximum.to_string(),
            step: if maximum <= 40.0 { "0.5" } else { "1" },
            brand: chosen.unwrap_or_else(|| in_m2(kind.assumed_m2)).to_string(),
            sizes: names.into_iter().zip(sizes).map(|(n, t)| (n, write_m2(t), metros(t))).collect(),
        }
    }
}

fn in_m2(cantidad: Cantidad) -> f64 {
    // A validated price table keeps areas below a million, which `f64` holds exactly.
    #[allow(clippy::cast_precision_loss)]
    let m2 = cantidad.0 as f64 / 100.0;
    m2
}

/// The result of sending this step.
enum Leave {
    /// Continue with this area. `None`: the person does not know it.
    Follows(Option<f64>),
    /// Show the page again, with the text that was typed.
    Again(String, Errors),
}

impl Leave {
    /// The button «No lo sé» has priority over everything else, and a preset button has priority over the box.
    fn of(fields: &FormFields, tarifa: &Tarifa, zona: Zona) -> Self {
        if fields.has("no-se") {
            return Self::Follows(None);
        }
        let preset = fields.text("talla");
        let text = if preset.is_empty() { fields.text("m2") } else { preset };
        let mut errors = Errors::default();
        match parse_m2(&text) {
            Ok(None) => return Self::Follows(None),
            Err(mensaje) => errors.note_down("m2", mensaje),
            Ok(Some(m2)) => {
                if let Some(doubt) = oddity(tarifa, zona, m2) {
                    errors.doubt(fields, "m2", &write_m2(m2), doubt);
                }
                if !errors.has() {
                    return Self::Follows(Some(m2));
                }
            }
        }
        Self::Again(text, errors)
    }
}

/// The question about an area outside the slider's range. Such an area is usually a typing mistake. `None` for an area
/// within the range.
fn oddity(tarifa: &Tarifa, zona: Zona, m2: f64) -> Option<Doubt> {
    let (minimum, maximum) = Scale::limits(tarifa, zona);
    let how_much = match m2 {
        _ if m2 > maximum => "mucho",
        _ if m2 < minimum => "muy poco",
        _ => return None,
    };
    let mensaje = format!(
        "¿Seguro que son {} m²? Es {how_much} para {}. Si está bien, pulsa «Continuar» otra vez; si no, corrígelo.",
        metros(m2),
        words::zona(zona).a
    );
    Some(Doubt { mensaje, hint: None })
}

/// `GET /f/:slug/metros?tipo=…`.
pub(crate) async fn new(State(state): State<WebState>, Path(slug): Path<String>, uri: Uri) -> PageResult {
    let storefront = Storefront::of_slug(&state, &slug).await?;
    let fields = read_fields(uri.query().unwrap_or_default().as_bytes());
    let answers = FormAnswers::of_fields(&fields);
    if answers.kind.is_none() {
        return not_chosen(&state, storefront, &uri).await;
    }
    show_with(&state, Visitor::unknown(&state, storefront, answers), None, None).await
}

/// `POST /f/:slug/metros`: goes back from step 3 when JavaScript is off. The contact data already typed travels in the
/// request body, never in an address.
pub(crate) async fn go_back(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    request: Request,
) -> PageResult {
    let storefront = Storefront::of_slug(&state, &slug).await?;
    let fields = fields_of(&state, request).await?;
    let visitor = Visitor::unknown(&state, storefront, FormAnswers::of_fields(&fields));
    show_with(&state, visitor, Some(Typed::of(&fields)), None).await
}

/// The contact data typed in step 3, if the person came back from there.
type Then = Option<Typed>;

/// The text that was typed here but cannot be accepted, with its errors.
type Wrong = Option<(String, Errors)>;

async fn show_with(state: &WebState, visitor: Visitor, then: Then, wrong: Wrong) -> PageResult {
    let FormAnswers { kind, m2, .. } = visitor.answers;
    let mut view = StepView::new(state, &visitor, Step::Metros).await?;
    if let Some(typed) = then {
        view = view.personal();
        view.hidden.extend(typed.fields());
    }
    let tarifa = visitor.storefront.tarifa(state).await?;
    let zona = Zona::assumed(kind);
    let title = words::zona(zona).ask_m2;
    let (value, errors) = wrong.unwrap_or_else(|| (m2.map(metros).unwrap_or_default(), Errors::default()));
    let page = MetrosPage {
        scale: Scale::of(&tarifa, zona, m2),
        value,
        frame: visitor.into_frame(errors.title(title)),
        view,
        errors,
        title,
    };
    Ok(render_page(page.errors.status(), page.view.visibility, &page.frame, &page))
}

/// Reads the fields of this step. Its form is sent to the address of the next step, which calls this function. Returns
/// the answers, or this page with its errors as `Err`.
pub(super) async fn on_leave(
    state: &WebState,
    storefront: &Storefront,
    fields: &FormFields,
) -> Result<FormAnswers, PageResult> {
    let answers = FormAnswers { m2: None, ..FormAnswers::of_fields(fields) };
    let tarifa = match storefront.tarifa(state).await {
        Ok(tarifa) => tarifa,
        Err(refusal) => return Err(Err(refusal)),
    };
    match Leave::of(fields, &tarifa, Zona::assumed(answers.kind)) {
        Leave::Follows(m2) => Ok(FormAnswers { m2, ..answers }),
        Leave::Again(text, errors) => {
            let then = fields.has(RETURNS).then(|| Typed::of(fields));
            let visitor = Visitor::unknown(state, storefront.clone(), answers);
            Err(show_with(state, visitor, then, Some((text, errors))).await)
        }
    }
}

/// `GET /f/:slug/:pase/metros`.
pub(crate) async fn show(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    uri: Uri,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?.since(&uri);
    show_with(&state, Visitor::from(open), None, None).await
}

/// `POST /f/:slug/:pase/metros`.
pub(crate) async fn save(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    request: Request,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?.since(request.uri());
    let fields = fields_of(&state, request).await?;
    let tarifa = open.storefront.tarifa(&state).await?;
    let m2 = match Leave::of(&fields, &tarifa, Zona::assumed(open.answers().kind)) {
        Leave::Follows(m2) => m2,
        Leave::Again(text, errors) => {
            return show_with(&state, Visitor::from(open), None, Some((text, errors))).await;
        }
    };
    state.app.forms().answer_area(&open.record.lead, m2).await?;
    Ok(redirect(&open.after_save(Step::Calidad)))
}
