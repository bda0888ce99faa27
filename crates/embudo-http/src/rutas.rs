//! The table of routes.

use axum::Router;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get};

use crate::HttpState;
use crate::api::{
    calificacion, conversacion, eventos, fotos, ingesta, intento, leads, lista, mensajeria, perfil,
    presupuestos,
};
use crate::problema::{Problema, panico, rendir};
use crate::{docs, enlaces, openapi, sistema};
use embudo_door::AccessLog;

/// Writes the routes once: the router is built from them, and tests walk them.
macro_rules! rutas {
    ($($ruta:literal => $($metodo:ident $handler:path),+;)+) => {
        /// Every documented path with its methods. The OpenAPI document is checked against it.
        #[cfg(test)]
        pub(crate) const RUTAS: &[(&str, &[&str])] = &[$(($ruta, &[$(stringify!($metodo)),+])),+];

        fn documentadas() -> Router<HttpState> {
            Router::new()$(.route($ruta, MethodRouter::new()$(.$metodo($handler))+))+
        }
    };
}

rutas! {
    "/api/leads" => get lista::list, post leads::create;
    "/api/leads/{id}" => get leads::show, patch leads::update_contacto;
    "/api/leads/{id}/ingesta" => post ingesta::ingest;
    "/api/leads/{id}/conversacion" => post conversacion::append;
    "/api/leads/{id}/perfil" => post perfil::update;
    "/api/leads/{id}/calificacion" => post calificacion::upsert;
    "/api/leads/{id}/intento" => post intento::record;
    "/api/leads/{id}/mensajeria" => post mensajeria::start;
    "/api/leads/{id}/eventos" => get eventos::list;
    "/api/leads/{id}/fotos/{foto}" => get fotos::show, delete fotos::delete;
    "/api/leads/{id}/presupuestos/{fichero}" => get presupuestos::pdf;
    "/healthz" => get sistema::healthz;
    "/readyz" => get sistema::readyz;
    "/metrics" => get sistema::metrics;
    "/openapi.json" => get openapi::servir;
}

/// The whole server: the API beside the pages, which also answer what no route knows.
pub fn router(estado: HttpState, pages: Router) -> Router {
    let rutas = documentadas()
        .route("/fotos/{lead}/{foto}", get(enlaces::show))
        .route("/docs", get(docs::pagina))
        .route("/docs/problemas", get(docs::problemas))
        .route("/docs/docs.css", get(docs::estilo))
        .route("/docs/docs.js", get(docs::modulo));
    acabar(rutas.with_state(estado).merge(pages))
}

/// The metrics alone, for a bind of their own.
pub fn router_metricas(estado: HttpState) -> Router {
    let rutas = Router::new().route("/metrics", get(sistema::metrics_open)).with_state(estado);
    acabar(rutas.fallback(async || unknown_route()))
}

/// The answer to an address that nobody knows.
pub fn unknown_route() -> Response {
    Problema::ruta_desconocida().into_response()
}

fn acabar(rutas: Router) -> Router {
    rutas
        .method_not_allowed_fallback(async || Problema::metodo_no_permitido())
        .layer(AccessLog::new(panico, rendir))
}
