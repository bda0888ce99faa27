//! `GET /p/:pase/pdf` and `/p/:pase/fotos/:foto`: the files behind the page.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use embudo_blobs::BlobReader;
use embudo_domain::FotoId;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Uri};

use super::acceso::Abierto;
use super::puente;
use crate::Estado;
use crate::blob_body::blob;
use crate::web::piezas::Fallo;

/// The PDF, to be kept under its name.
pub(super) async fn pdf(State(estado): State<Estado>, abierto: Abierto) -> Result<Response, Fallo> {
    let bytes = puente::pdf(&estado, &abierto.presupuesto).await?;
    let nombre = abierto.presupuesto.numero.nombre_fichero();
    let disposicion = HeaderValue::from_str(&format!("attachment; filename=\"{nombre}\""))
        .expect("a number is plain ASCII");
    let mut response = fichero("application/pdf", "private, no-cache", bytes);
    response.headers_mut().insert(CONTENT_DISPOSITION, disposicion);
    Ok(response)
}

/// A photo of this quote as it is printed; no other photo of the lead.
pub(super) async fn foto(
    State(estado): State<Estado>,
    abierto: Abierto,
    uri: Uri,
) -> Result<Response, Fallo> {
    let pedida = uri.path().split('/').nth(4).and_then(FotoId::parse).ok_or(Fallo::NoExiste)?;
    let suya = abierto.presupuesto.documento.fotos.iter().any(|f| f.id == pedida);
    if !suya {
        return Err(Fallo::NoExiste);
    }
    let bytes = puente::foto(&estado, abierto.presupuesto.lead, pedida).await?;
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
