//! `GET /f/:slug/marca.css` and `/f/:slug/logo.png`: a company's colours and its logo.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Uri};
use sha2::{Digest as _, Sha256};

use super::shades;
use super::{Refusal, Storefront, assets};
use crate::WebState;

/// The address of a company's style sheet; it changes with its contents.
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
    let actual = uri.query().and_then(|q| q.strip_prefix("v=")) == Some(version(&content).as_str());
    Ok(storable(actual, "text/css; charset=utf-8", content.into_bytes()))
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

/// An address that names the version may be kept for ever, another one for a moment.
fn storable(actual: bool, kind: &'static str, bytes: Vec<u8>) -> Response {
    let save = if actual { "public, max-age=31536000, immutable" } else { "public, max-age=60" };
    let mut response = bytes.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(save));
    response
}
