//! `GET /p/:pase/pdf` and `/p/:pase/fotos/:foto`: the files behind the page.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use embudo_blobs::BlobReader;
use embudo_domain::FotoId;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Uri};

use super::access::Opened;
use super::bridge;
use crate::WebState;
use crate::parts::Refusal;
use embudo_server::blob;

/// The PDF as a download. `?aceptado` selects the PDF of the accepted version.
pub(super) async fn pdf(State(state): State<WebState>, open: Opened, uri: Uri) -> Result<Response, Refusal> {
    let number = open.presupuesto.number;
    let (bytes, nombre) = match uri.query() {
        Some("aceptado") => {
            (bridge::accepted_pdf(&state, &open.presupuesto).await?, number.accepted_file_name())
        }
        _ => (bridge::pdf(&state, &open.presupuesto).await?, number.file_name()),
    };
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{nombre}\""))
        .expect("a number is plain ASCII");
    let mut response = file("application/pdf", "private, no-cache", bytes);
    response.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    Ok(response)
}

/// A photo of this quote in its print size. Other photos of the lead are not served.
pub(super) async fn foto(State(state): State<WebState>, open: Opened, uri: Uri) -> Result<Response, Refusal> {
    let requested = uri.path().split('/').nth(4).and_then(FotoId::parse).ok_or(Refusal::NotFound)?;
    let own = open.presupuesto.document.fotos.iter().any(|f| f.id == requested);
    if !own {
        return Err(Refusal::NotFound);
    }
    let bytes = bridge::foto(&state, open.presupuesto.lead, requested).await?;
    Ok(file("image/jpeg", "private, max-age=86400", bytes))
}

/// A file with personal data: search engines must not index it, and browsers must not run anything in it.
fn file(kind: &'static str, save: &'static str, bytes: BlobReader) -> Response {
    let extra_headers = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, save),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (HeaderName::from_static("x-robots-tag"), "noindex"),
    ];
    (extra_headers, blob(bytes)).into_response()
}
