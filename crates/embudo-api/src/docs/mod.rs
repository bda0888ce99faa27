//! The documentation pages: `/docs`, made from the OpenAPI document, `/docs/problemas` and the guides.
//!
//! The pages load nothing from other servers: one style sheet and one ES module of ours. Reading needs no script; the
//! module adds the forms that try a call. The API key that a reader types lives in the page's memory and nowhere else.

mod guides;
mod html;
mod page;
mod problems;
mod snippets;
mod tables;

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::extract::Path;
use axum::response::{IntoResponse as _, Response};
use http::HeaderMap;

use crate::problem::Problem;
use crate::static_resource::StaticResource;

static PAGE: LazyLock<StaticResource> =
    LazyLock::new(|| StaticResource::page(page::render(&crate::openapi::document())));
static PROBLEMS: LazyLock<StaticResource> = LazyLock::new(|| StaticResource::page(problems::render()));
static GUIDES: LazyLock<HashMap<&str, StaticResource>> = LazyLock::new(|| {
    guides::render().into_iter().map(|(name, html)| (name, StaticResource::page(html))).collect()
});
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

/// `GET /docs/guias`.
pub(crate) async fn guides(headers: HeaderMap) -> Response {
    guide(Path(String::new()), headers).await
}

/// `GET /docs/guias/{guide}`.
pub(crate) async fn guide(Path(guide): Path<String>, headers: HeaderMap) -> Response {
    match GUIDES.get(&*guide) {
        Some(page) => page.respond(&headers),
        None => Problem::unknown_path().into_response(),
    }
}

/// `GET /docs/docs.css`.
pub(crate) async fn style_sheet(headers: HeaderMap) -> Response {
    STYLE_SHEET.respond(&headers)
}

/// `GET /docs/docs.js`.
pub(crate) async fn script(headers: HeaderMap) -> Response {
    SCRIPT.respond(&headers)
}
