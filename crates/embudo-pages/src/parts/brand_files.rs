//! `GET /f/:slug/marca.css` and `/f/:slug/logo.png`: a company's colours and its logo.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Uri};
use sha2::{Digest as _, Sha256};

use super::shades;
use super::{Refusal, Storefront, assets};
use crate::WebState;

/// The address of a company's style sheet. It contains a version that changes with the contents.
pub(crate) fn path(storefront: &Storefront) -> String {
    format!(
        "/f/{}/marca.css?v={}",
        storefront.empresa.slug,
        version(&shades::style_sheet(storefront.brand.color))
    )
}

fn version(style_sheet: &str) -> String {
    assets::short(&Sha256::digest(style_sheet))
}

pub(crate) async fn style_sheet(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    uri: Uri,
) -> Result<Response, Refusal> {
    let storefront = Storefront::of_slug(&state, &slug).await?;
    let content = shades::style_sheet(storefront.brand.color);
    let is_current = uri.query().and_then(|q| q.strip_prefix("v=")) == Some(version(&content).as_str());
    Ok(storable(is_current, "text/css; charset=utf-8", content.into_bytes()))
}

pub(crate) async fn logo(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    uri: Uri,
) -> Result<Response, Refusal> {
    let storefront = Storefront::of_slug(&state, &slug).await?;
    let bytes = storefront.logo_bytes(&state).await?.ok_or(Refusal::NotFound)?;
    let requested = uri.query().and_then(|q| q.strip_prefix("v="));
    Ok(storable(requested.is_some() && requested == storefront.logo.as_deref(), "image/png", bytes))
}

/// An address with the current version may be cached for ever, another address only for a minute.
fn storable(is_current: bool, kind: &'static str, bytes: Vec<u8>) -> Response {
    let save = if is_current { "public, max-age=31536000, immutable" } else { "public, max-age=60" };
    let mut response = bytes.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(save));
    response
}
