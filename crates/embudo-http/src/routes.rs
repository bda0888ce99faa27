//! The table of routes.

use axum::Router;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get};

use crate::HttpState;
use crate::api::{
    calificacion, conversacion, events, fotos, ingesta, intento, leads, list, mensajeria, perfil,
    presupuestos,
};
use crate::problem::{Problem, panic, render};
use crate::{docs, links, openapi, system};
use embudo_door::AccessLog;

/// Writes the routes once: the router is built from them, and tests walk them.
macro_rules! routes {
    ($($path:literal => $($method:ident $handler:path),+;)+) => {
        /// Every documented path with its methods. The OpenAPI document is checked against it.
        #[cfg(test)]
        pub(crate) const ROUTES: &[(&str, &[&str])] = &[$(($path, &[$(stringify!($method)),+])),+];

        fn documented() -> Router<HttpState> {
            Router::new()$(.route($path, MethodRouter::new()$(.$method($handler))+))+
        }
    };
}

routes! {
    "/api/leads" => get list::list, post leads::create;
    "/api/leads/{id}" => get leads::show, patch leads::update_contact;
    "/api/leads/{id}/ingesta" => post ingesta::ingest;
    "/api/leads/{id}/conversacion" => post conversacion::append;
    "/api/leads/{id}/perfil" => post perfil::update;
    "/api/leads/{id}/calificacion" => post calificacion::upsert;
    "/api/leads/{id}/intento" => post intento::record;
    "/api/leads/{id}/mensajeria" => post mensajeria::start;
    "/api/leads/{id}/eventos" => get events::list;
    "/api/leads/{id}/fotos/{foto}" => get fotos::show, delete fotos::delete;
    "/api/leads/{id}/presupuestos/{fichero}" => get presupuestos::pdf;
    "/healthz" => get system::healthz;
    "/readyz" => get system::readyz;
    "/metrics" => get system::metrics;
    "/openapi.json" => get openapi::serve;
}

/// The whole server: the API beside the pages, which also answer what no route knows.
pub fn router(state: HttpState, pages: Router) -> Router {
    let routes = documented()
        .route("/fotos/{lead}/{foto}", get(links::show))
        .route("/docs", get(docs::page))
        .route("/docs/problemas", get(docs::problems))
        .route("/docs/docs.css", get(docs::estilo))
        .route("/docs/docs.js", get(docs::modulo));
    finish(routes.with_state(state).merge(pages))
}

/// The metrics alone, for a bind of their own.
pub fn metrics_router(state: HttpState) -> Router {
    let routes = Router::new().route("/metrics", get(system::metrics_open)).with_state(state);
    finish(routes.fallback(async || unknown_route()))
}

/// The answer to an address that nobody knows.
pub fn unknown_route() -> Response {
    Problem::unknown_path().into_response()
}

fn finish(routes: Router) -> Router {
    routes
        .method_not_allowed_fallback(async || Problem::method_not_allowed())
        .layer(AccessLog::new(panic, render))
}
