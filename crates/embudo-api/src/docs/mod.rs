//! The documentation pages: `/docs`, made from the OpenAPI document, and `/docs/problemas`.
//!
//! They are whole pages without a network: one style sheet and one ES module of ours. Reading needs no script; the
//! module adds the forms that try a call. The API key that a reader types lives in the page's memory and nowhere else.

mod html;
mod page;
mod problems;
mod snippets;
mod tables;

use std::sync::LazyLock;

use axum::response::Response;
use http::HeaderMap;

use crate::static_resource::StaticResource;

static PAGE: LazyLock<StaticResource> =
    LazyLock::new(|| StaticResource::page(page::render(&crate::openapi::document())));
static PROBLEMS: LazyLock<StaticResource> = LazyLock::new(|| StaticResource::page(problems::render()));
static STYLE_SHEET: LazyLock<StaticResource> =
    LazyLock::new(|| StaticResource::new("text/css; charset=utf-8", include_bytes!("docs.css").to_vec()));
static SCRIPT: LazyLock<StaticResource> = LazyLock::new(|| {
    StaticResource::new("text/javascript; charset=utf-8", include_bytes!("docs.js").to_vec())
});

/// `GET /docs`.
pub(crate) async fn page(headers: HeaderMap) -> Response {
    PAGE.respond(&headers)
}

/// `GET /docs/problemas`.
pub(crate) async fn problems(headers: HeaderMap) -> Response {
    PROBLEMS.respond(&headers)
}

/// `GET /docs/docs.css`.
pub(crate) async fn style_sheet(headers: HeaderMap) -> Response {
    STYLE_SHEET.respond(&headers)
}

/// `GET /docs/docs.js`.
pub(crate) async fn script(headers: HeaderMap) -> Response {
    SCRIPT.respond(&headers)
}
