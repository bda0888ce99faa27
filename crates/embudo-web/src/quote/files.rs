//! `GET /p/:pase/pdf` and `/p/:pase/fotos/:foto`: the files behind the page.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use embudo_blobs::BlobReader;
use embudo_domain::FotoId;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Uri};

use super::access::Abierto;
use super::bridge;
use crate::WebState;
use crate::parts::Refusal;
use embudo_door::blob;

/// The PDF, to be kept under its name.
pub(super) async fn pdf(State(estado): State<WebState>, abierto: Abierto) -> Result<Response, Refusal> {
    let bytes = bridge::pdf(&estado, &abierto.presupuesto).await?;
    let nombre = abierto.presupuesto.numero.nombre_fichero();
    let disposicion = HeaderValue::from_str(&format!("attachment; filename=\"{nombre}\""))
        .expect("a number is plain ASCII");
    let mut response = fichero("application/pdf", "private, no-cache", bytes);
    response.headers_mut().insert(CONTENT_DISPOSITION, disposicion);
    Ok(response)
}

/// A photo of this quote as it is printed; no other photo of the lead.
pub(super) async fn foto(
    State(estado): State<WebState>,
    abierto: Abierto,
    uri: Uri,
) -> Result<Response, Refusal> {
    let pedida = uri.path().split('/').nth(4).and_then(FotoId::parse).ok_or(Refusal::NoExiste)?;
    let suya = abierto.presupuesto.documento.fotos.iter().any(|f| f.id == pedida);
    if !suya {
        return Err(Refusal::NoExiste);
    }
    let bytes = bridge::foto(&estado, abierto.presupuesto.lead, pedida).await?;
    Ok(fichero("image/jpeg", "private, max-age=86400", bytes))
}

/// Somebody's own file: found by nobody, and nothing in it runs.
fn fichero(tipo: &'static str, guardar: &'static str, bytes: BlobReader) -> Response {
    let cabeceras = [
        (CONTENT_TYPE, tipo),
        (CACHE_CONTROL, guardar),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (HeaderName::from_static("x-robots-tag"), "noindex"),
    ];
    (cabeceras, blob(bytes)).into_response()
}
