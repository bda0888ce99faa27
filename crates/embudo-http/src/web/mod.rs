//! The pages that clients of a company see: the form, and what hangs on it.
//!
//! Server-rendered, no cookie, nothing inline and nothing from third parties. Every page is made with [`piezas::Marco`] and
//! answered with [`piezas::pagina`]; every refusal is a [`piezas::Fallo`], which the layer here turns into a page in the company's
//! look. A handler extracts, calls once and fills a template; rules of the business stay in the domain.

mod formulario;
pub(crate) mod piezas;
mod presupuesto;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;

use crate::Estado;
pub use piezas::Cuota;
pub(crate) use piezas::Cuotas;
pub(crate) use piezas::capa::desconocida;
use piezas::{Fallo, capa, marca_css, recursos};

/// Every page, with the layer that all of them share.
pub(crate) fn rutas(estado: &Estado) -> Router<Estado> {
    formulario::rutas()
        .route("/recursos/{version}/{nombre}", get(recursos::servir))
        .route("/f/{slug}/marca.css", get(marca_css::servir))
        .route("/f/{slug}/logo.png", get(marca_css::logo))
        .merge(presupuesto::rutas())
        .method_not_allowed_fallback(async || Fallo::NoExiste)
        .layer(from_fn_with_state(estado.clone(), capa::capa))
}
