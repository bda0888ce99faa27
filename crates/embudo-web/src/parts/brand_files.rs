//! `GET /f/:slug/marca.css` and `/f/:slug/logo.png`: a company's colours and its logo.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Uri};
use sha2::{Digest as _, Sha256};

use super::shades::hoja;
use super::{Refusal, Storefront, assets};
use crate::WebState;

/// The address of a company's style sheet; it changes with its contents.
pub(crate) fn ruta(storefront: &Storefront) -> String {
    format!("/f/{}/marca.css?v={}", storefront.empresa.slug, version(&hoja(storefront.marca.color)))
}

fn version(hoja: &str) -> String {
    assets::corta(&Sha256::digest(hoja))
}

pub(crate) async fn style_sheet(
    State(estado): State<WebState>,
    Path(slug): Path<String>,
    uri: Uri,
) -> Result<Response, Refusal> {
    let storefront = Storefront::de_slug(&estado, &slug).await?;
    let hoja = hoja(storefront.marca.color);
    let actual = uri.query().and_then(|q| q.strip_prefix("v=")) == Some(version(&hoja).as_str());
    Ok(guardable(actual, "text/css; charset=utf-8", hoja.into_bytes()))
}

pub(crate) async fn logo(
    State(estado): State<WebState>,
    Path(slug): Path<String>,
    uri: Uri,
) -> Result<Response, Refusal> {
    let storefront = Storefront::de_slug(&estado, &slug).await?;
    let bytes = storefront.bytes_del_logo(&estado).await?.ok_or(Refusal::NoExiste)?;
    let pedida = uri.query().and_then(|q| q.strip_prefix("v="));
    Ok(guardable(pedida.is_some() && pedida == storefront.logo.as_deref(), "image/png", bytes))
}

/// An address that names the version may be kept for ever, another one for a moment.
fn guardable(actual: bool, tipo: &'static str, bytes: Vec<u8>) -> Response {
    let guardar = if actual { "public, max-age=31536000, immutable" } else { "public, max-age=60" };
    let mut response = bytes.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(tipo));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(guardar));
    response
}
