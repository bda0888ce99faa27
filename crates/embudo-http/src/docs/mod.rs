//! The documentation pages: `/docs`, made from the OpenAPI document, and `/docs/problemas`.
//!
//! They are whole pages without a network: one style sheet and one ES module of ours. Reading needs no script; the module
//! adds the forms that try a call. The API key that a reader types lives in the page's memory and nowhere else.

mod html;
mod pagina;
pub(crate) mod problemas;
mod recurso;
mod tablas;

use std::sync::LazyLock;

use axum::response::Response;
use http::HeaderMap;

pub(crate) use recurso::Recurso;

static PAGINA: LazyLock<Recurso> =
    LazyLock::new(|| Recurso::pagina(pagina::pintar(&crate::openapi::documento())));
static PROBLEMAS: LazyLock<Recurso> = LazyLock::new(|| Recurso::pagina(problemas::pintar()));
static ESTILO: LazyLock<Recurso> =
    LazyLock::new(|| Recurso::new("text/css; charset=utf-8", include_bytes!("docs.css").to_vec()));
static MODULO: LazyLock<Recurso> =
    LazyLock::new(|| Recurso::new("text/javascript; charset=utf-8", include_bytes!("docs.js").to_vec()));

/// `GET /docs`.
pub(crate) async fn pagina(headers: HeaderMap) -> Response {
    PAGINA.responder(&headers)
}

/// `GET /docs/problemas`.
pub(crate) async fn problemas(headers: HeaderMap) -> Response {
    PROBLEMAS.responder(&headers)
}

/// `GET /docs/docs.css`.
pub(crate) async fn estilo(headers: HeaderMap) -> Response {
    ESTILO.responder(&headers)
}

/// `GET /docs/docs.js`.
pub(crate) async fn modulo(headers: HeaderMap) -> Response {
    MODULO.responder(&headers)
}
