//! The quote's page: what the PDF says, before and after, and the client's answer to it.
//!
//! The pass in the address is the permission; everything but a pass to a quote is a page that says 404. What is shown comes from
//! the sealed document of the quote, never from the lead as it is now, so that page and PDF say the same. Plain forms
//! throughout: `POST` is answered with 303 to the page, or with the page and what is wrong. It must not decide whether an
//! answer counts: the store does, and the page shows what came of it.

mod acceso;
mod contestar;
mod cuadros;
mod ficheros;
mod palabras;
mod puente;
mod situacion;
mod ver;
mod vista;

use axum::Router;
use axum::routing::{get, post};

use crate::Estado;

pub(super) fn rutas() -> Router<Estado> {
    Router::new()
        .route("/p/{pase}", get(ver::mostrar))
        .route("/p/{pase}/pdf", get(ficheros::pdf))
        .route("/p/{pase}/fotos/{foto}", get(ficheros::foto))
        .route("/p/{pase}/aceptar", post(contestar::aceptar))
        .route("/p/{pase}/rechazar", post(contestar::rechazar))
        .route("/p/{pase}/dudas", post(contestar::preguntar))
}
