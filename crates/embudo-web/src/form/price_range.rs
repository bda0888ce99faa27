//! The orientative price: from the answers so far to a range that one can read, and `GET /f/:slug/rango` that refreshes it.

use std::sync::LazyLock;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use embudo_domain::calculo::Rango;
use embudo_domain::decimal::Porcentaje;
use embudo_domain::dinero::Cents;
use embudo_domain::iva::{Condiciones, Impuestos};
use http::{StatusCode, Uri};

use super::answers::Respuestas;
use crate::WebState;
use crate::parts::{Frame, Refusal, Storefront, Visibilidad, leer_campos, pagina};

static IMPUESTOS: LazyLock<Impuestos> = LazyLock::new(Impuestos::por_defecto);

/// A price by measure on paper is this good, whatever is known.
const HOLGURA: Porcentaje = Porcentaje(1_000);
/// Ranges are rounded outwards to this.
const PASO: Cents = Cents::euros(100);

/// What is shown of a price.
#[derive(Debug, Clone)]
pub(crate) struct RangoVista {
    /// At least, as people read it.
    pub minimo: String,
    /// At most.
    pub maximo: String,
    /// What was priced («Reforma de baño»).
    pub titulo: String,
    /// What about taxes («IVA del 10 % incluido»).
    pub impuesto: String,
    /// What it takes for granted, each in a sentence.
    pub supuestos: Vec<String>,
}

#[derive(Template)]
#[template(path = "form/price_range.html")]
struct Trozo {
    rango: Option<RangoVista>,
}

/// The price of what is known; none while not even the kind of work is.
pub(crate) async fn de(
    estado: &WebState,
    storefront: &Storefront,
    r: &Respuestas,
) -> Result<Option<RangoVista>, Refusal> {
    if r.tipo.is_none() {
        return Ok(None);
    }
    let tarifa = storefront.tarifa(estado).await?;
    let (calculo, impuesto) =
        IMPUESTOS.price(&r.reforma(), tarifa.as_ref(), Condiciones::default(), estado.app.hoy());
    let Some(rango) = impuesto.rango.or_else(|| impuesto.en_rango(alrededor(calculo.base))) else {
        return Ok(None);
    };
    // Where one end has another rate, naming one would be wrong.
    let del = rango.porcentaje.map_or_else(String::new, |p| format!("del {p} "));
    let supuestos = calculo.supuestos.iter().chain(&impuesto.supuestos).map(|s| s.texto.clone());
    Ok(Some(RangoVista {
        minimo: rango.minimo.hacia_abajo(PASO).corto(),
        maximo: rango.maximo.hacia_arriba(PASO).corto(),
        titulo: calculo.titulo,
        impuesto: format!("{} {del}incluido", impuesto.nombre),
        supuestos: supuestos.collect(),
    }))
}

/// A little less and a little more: nothing was measured yet.
fn alrededor(base: Cents) -> Rango {
    let holgura = base.parte(HOLGURA).unwrap_or(Cents::CERO);
    let minimo = base.checked_sub(holgura).unwrap_or(base);
    Rango { minimo, maximo: base.checked_add(holgura).unwrap_or(base) }
}

/// `GET /f/:slug/rango?tipo=…`: the inside of the price box for these answers.
pub(crate) async fn serve(
    State(estado): State<WebState>,
    Path(slug): Path<String>,
    uri: Uri,
) -> Result<Response, Refusal> {
    let storefront = Storefront::de_slug(&estado, &slug).await?;
    let respuestas = Respuestas::de_campos(&leer_campos(uri.query().unwrap_or_default().as_bytes()));
    let rango = de(&estado, &storefront, &respuestas).await?;
    let frame = Frame::new(storefront, "Precio orientativo");
    Ok(pagina(StatusCode::OK, Visibilidad::Personal, &frame, &Trozo { rango }))
}
