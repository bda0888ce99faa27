//! Photos and PDFs that only people of the company see.

use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use embudo_blobs::BlobReader;
use embudo_domain::presupuesto::PresupuestoNumber;
use embudo_server::blob;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, StatusCode};

/// A PDF with the file name of its quote.
pub(in crate::panel) fn pdf_of(number: PresupuestoNumber, bytes: BlobReader) -> Response {
    pdf_named(&number.file_name(), bytes)
}

pub(in crate::panel) fn pdf_named(name: &str, bytes: BlobReader) -> Response {
    let disposition = format!("inline; filename=\"{name}\"");
    let mut response = file("application/pdf", bytes);
    let disposition = HeaderValue::from_str(&disposition).expect("a number is plain ASCII");
    response.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    response
}

/// A file that browsers must not cache, so that the next person at the same computer does not find a client's photos or
/// PDFs.
pub(in crate::panel) fn file(kind: &'static str, bytes: BlobReader) -> Response {
    let headers = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (HeaderName::from_static("x-robots-tag"), "noindex"),
    ];
    (headers, blob(bytes)).into_response()
}

/// A PDF that browsers must not cache.
pub(in crate::panel) fn unkept_pdf(disposition: &'static str, pdf: Bytes) -> Response {
    let headers = [
        (CONTENT_TYPE, "application/pdf"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_DISPOSITION, disposition),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (HeaderName::from_static("x-robots-tag"), "noindex"),
    ];
    (StatusCode::OK, headers, pdf).into_response()
}
