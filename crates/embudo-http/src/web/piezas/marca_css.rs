//! `GET /f/:slug/marca.css` and `/f/:slug/logo.png`: a company's colours and its logo.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Uri};
use sha2::{Digest as _, Sha256};

use super::tonos::hoja;
use super::{Casa, Fallo, recursos};
use crate::Estado;

/// The address of a company's style sheet; it changes with its contents.
pub(crate) fn ruta(casa: &Casa) -> String {
    format!("/f/{}/marca.css?v={}", casa.empresa.slug, version(&hoja(casa.marca.color)))
}

fn version(hoja: &str) -> String {
    recursos::corta(&Sha256::digest(hoja))
}

pub(crate) async fn servir(
    State(estado): State<Estado>,
    Path(slug): Path<String>,
    uri: Uri,
) -> Result<Response, Fallo> {
    let casa = Casa::de_slug(&estado, &slug).await?;
    let hoja = hoja(casa.marca.color);
    let actual = uri.query().and_then(|q| q.strip_prefix("v=")) == Some(version(&hoja).as_str());
    Ok(guardable(actual, "text/css; charset=utf-8", hoja.into_bytes()))
}

pub(crate) async fn logo(
    State(estado): State<Estado>,
    Path(slug): Path<String>,
    uri: Uri,
) -> Result<Response, Fallo> {
    let casa = Casa::de_slug(&estado, &slug).await?;
    let bytes = casa.bytes_del_logo(&estado).await?.ok_or(Fallo::NoExiste)?;
    let pedida = uri.query().and_then(|q| q.strip_prefix("v="));
    Ok(guardable(pedida.is_some() && pedida == casa.logo.as_deref(), "image/png", bytes))
}

/// An address that names the version may be kept for ever, another one for a moment.
fn guardable(actual: bool, tipo: &'static str, bytes: Vec<u8>) -> Response {
    let guardar = if actual { "public, max-age=31536000, immutable" } else { "public, max-age=60" };
    let mut response = bytes.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(tipo));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(guardar));
    response
}
