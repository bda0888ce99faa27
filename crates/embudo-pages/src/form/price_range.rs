//! The orientative price: from the answers so far to a range that one can read, and `GET /f/:slug/rango` that refreshes
//! it.

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

/// A price by measure on paper is this good, whatever is known.
const SLACK: Percentage = Percentage(1_000);
/// Ranges are rounded outwards to this.
const STEP: Cents = Cents::euros(100);

/// What is shown of a price.
#[derive(Debug, Clone)]
pub(crate) struct RangeView {
    /// At least, as people read it.
    pub minimum: String,
    pub maximum: String,
    /// What was priced («Reforma de baño»).
    pub title: String,
    /// What about taxes («IVA del 10 % incluido»).
    pub impuesto: String,
    /// What it takes for granted, each in a sentence.
    pub assumptions: Vec<String>,
}

#[derive(Template)]
#[template(path = "form/price_range.html")]
struct Piece {
    range: Option<RangeView>,
}

/// The price of what is known; none while not even the kind of work is.
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
    // Where one end has another rate, naming one would be wrong.
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

/// A little less and a little more: nothing was measured yet.
fn around(base: Cents) -> Range {
    let slack = base.part(SLACK).unwrap_or(Cents::ZERO);
    let minimum = base.checked_sub(slack).unwrap_or(base);
    Range { minimum, maximum: base.checked_add(slack).unwrap_or(base) }
}

/// `GET /f/:slug/rango?tipo=…`: the inside of the price box for these answers.
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
