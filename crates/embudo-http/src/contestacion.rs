//! Successful answers: made before the work is done, so that the answer can be stored with the work.

use axum::response::{IntoResponse, Response};
use embudo_app::Contestada;
use embudo_store::{Hecho, Respuesta};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;

/// An answer in the making.
pub(crate) fn contestar(status: StatusCode, cuerpo: &impl Serialize) -> Respuesta {
    let cuerpo = serde_json::to_string(cuerpo).expect("answers are plain data");
    Respuesta { status: status.as_u16(), location: None, cuerpo }
}

/// The answer to a command without signals: the one just made, or the first one again.
pub(crate) fn tras(hecho: Hecho, ahora: Respuesta) -> Response {
    match hecho {
        Hecho::Ahora => responder(ahora),
        Hecho::Antes(respuesta) | Hecho::EnCurso { respuesta, .. } => repetir(respuesta),
    }
}

/// The answer to a call whose signals decided part of it.
pub(crate) fn contestada(contestada: Contestada) -> Response {
    if contestada.repetida { repetir(contestada.respuesta) } else { responder(contestada.respuesta) }
}

fn repetir(antes: Respuesta) -> Response {
    let mut response = responder(antes);
    let repetida = HeaderName::from_static("idempotency-replayed");
    response.headers_mut().insert(repetida, HeaderValue::from_static("true"));
    response
}

/// A JSON answer with personal data: never cached.
pub(crate) fn responder(respuesta: Respuesta) -> Response {
    let status = StatusCode::from_u16(respuesta.status).unwrap_or(StatusCode::OK);
    let cabeceras = [
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    let mut response = (status, cabeceras, respuesta.cuerpo).into_response();
    if let Some(location) = respuesta.location.and_then(|l| HeaderValue::from_str(&l).ok()) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}
