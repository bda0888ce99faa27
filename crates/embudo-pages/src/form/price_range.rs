//! The approximate price: a readable range calculated from the answers so far, and `GET /f/:slug/rango`, which
//! refreshes it.

use std::sync::LazyLock;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use embudo_domain::decimal::Percentage;
use embudo_domain::iva::Impuestos;
use embudo_domain::money::Cents;
use embudo_domain::pricing::Range;
use http::{StatusCode, Uri};

use super::answers::FormAnswers;
use crate::WebState;
use crate::parts::{Frame, Refusal, Storefront, Visibility, read_fields, render_page};

static IMPUESTOS: LazyLock<Impuestos> = LazyLock::new(Impuestos::por_defecto);

/// The uncertainty of a price that is calculated without measuring on site, even if all answers are known.
const SLACK: Percentage = Percentage(1_000);
/// The ends of the range are rounded outwards to this step.
const STEP: Cents = Cents::euros(100);

/// The price range as the page shows it.
#[derive(Debug, Clone)]
pub(crate) struct RangeView {
    /// The lower end, formatted for people.
    pub minimum: String,
    pub maximum: String,
    /// The name of the priced work («Reforma de baño»).
    pub title: String,
    /// The tax included in the price («IVA del 10 % incluido»).
    pub impuesto: String,
    /// The assumptions of the price, each as a sentence.
    pub assumptions: Vec<String>,
}

#[derive(Template)]
#[template(path = "form/price_range.html")]
struct Piece {
    range: Option<RangeView>,
}

/// The price range for the known answers. `None` while the kind of work is unknown.
pub(crate) async fn of(
    state: &WebState,
    storefront: &Storefront,
    r: &FormAnswers,
) -> Result<Option<RangeView>, Refusal> {
    if r.kind.is_none() {
        return Ok(None);
    }
    let tarifa = storefront.tarifa(state).await?;
    let (pricing, impuesto) =
        IMPUESTOS.price(&r.reforma(), tarifa.as_ref(), r.obra.condiciones(), state.app.today());
    let Some(range) = impuesto.range.or_else(|| impuesto.in_range(around(pricing.base))) else {
        return Ok(None);
    };
    // The rate is left out if the two ends of the range have different rates.
    let of = range.percentage.map_or_else(String::new, |p| format!("del {p} "));
    let assumptions = pricing.assumptions.iter().chain(&impuesto.assumptions).map(|s| s.text.clone());
    Ok(Some(RangeView {
        minimum: range.minimum.downwards(STEP).short(),
        maximum: range.maximum.upwards(STEP).short(),
        title: pricing.title,
        impuesto: format!("{} {of}incluido", impuesto.nombre),
        assumptions: assumptions.collect(),
    }))
}

/// A range a little below and a little above the price, because nothing has been measured yet.
fn around(base: Cents) -> Range {
    let slack = base.part(SLACK).unwrap_or(Cents::ZERO);
    let minimum = base.checked_sub(slack).unwrap_or(base);
    Range { minimum, maximum: base.checked_add(slack).unwrap_or(base) }
}

/// `GET /f/:slug/rango?tipo=…`: the HTML fragment inside the price box for these answers.
pub(crate) async fn serve(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    uri: Uri,
) -> Result<Response, Refusal> {
    let storefront = Storefront::of_slug(&state, &slug).await?;
    let answers = FormAnswers::of_fields(&read_fields(uri.query().unwrap_or_default().as_bytes()));
    let range = of(&state, &storefront, &answers).await?;
    let frame = Frame::new(storefront, "Precio orientativo");
    Ok(render_page(StatusCode::OK, Visibility::Personal, &frame, &Piece { range }))
}
