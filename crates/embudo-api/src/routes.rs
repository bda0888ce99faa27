//! The table of routes.

use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get};
use axum::{Extension, Router};

use crate::HttpState;
use crate::api::{
    calificacion, conversacion, events, fotos, ingesta, intento, leads, list, mensajeria, pendiente, perfil,
    presupuestos, visita,
};
use crate::problem::{Problem, panic, render};
use crate::{docs, links, mcp, openapi, system};
use embudo_server::AccessLog;

/// Defines the routes once: the router is built from them, and tests iterate over them.
macro_rules! routes {
    ($(#[$about:meta])* $table:ident, $router:ident: $($path:literal => $($method:ident $handler:path),+;)+) => {
        $(#[$about])*
        pub(crate) const $table: &[(&str, &[&str])] = &[$(($path, &[$(stringify!($method)),+])),+];

        fn $router() -> Router<HttpState> {
            Router::new()$(.route($path, MethodRouter::new()$(.$method($handler))+))+
        }
    };
}

routes! {
    /// Every documented path with its methods. The OpenAPI document is checked against it.
    ROUTES, documented:
    "/api/pendiente" => get pendiente::list;
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
    "/api/leads/{id}/presupuestos" => get presupuestos::list;
    "/api/leads/{id}/presupuestos/{fichero}" => get presupuestos::pdf;
    "/api/leads/{id}/visita" => get visita::show;
    "/healthz" => get system::healthz;
    "/readyz" => get system::readyz;
    "/metrics" => get system::metrics;
    "/openapi.json" => get openapi::serve;
}

routes! {
    /// Routes that people and links in signals open: photos by signed links, and the documentation.
    BESIDE, beside:
    "/fotos/{lead}/{foto}" => get links::show;
    "/docs" => get docs::page;
    "/docs/problemas" => get docs::problems;
    "/docs/guias" => get docs::guides;
    "/docs/guias/{*guide}" => get docs::guide;
    "/docs/docs.css" => get docs::style_sheet;
    "/docs/docs.js" => get docs::script;
}

routes! {
    /// The API as tools for language models.
    TOOLS, tools:
    "/mcp" => post mcp::serve;
}

/// Every route of this crate, as its method and its address. The pages have their own tables.
pub fn routes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = [ROUTES, BESIDE, TOOLS].into_iter().flatten();
    all.flat_map(|(path, methods)| methods.iter().map(|method| (*method, *path)))
}

/// The whole server: the routes of the API and of the pages. The pages also answer addresses without a route.
pub fn router(state: HttpState, pages: Router) -> Router {
    // Tools call the same routes as clients do, but without a socket.
    let inside = mcp::Inside(finish(documented().with_state(state.clone())));
    let tools = tools().route_layer(Extension(inside));
    finish(documented().merge(beside()).merge(tools).with_state(state).merge(pages))
}

/// The metrics alone, for a listening address of their own.
pub fn metrics_router(state: HttpState) -> Router {
    let routes = Router::new().route("/metrics", get(system::metrics_open)).with_state(state);
    finish(routes.fallback(async || unknown_route()))
}

/// The answer to an unknown address.
pub fn unknown_route() -> Response {
    Problem::unknown_path().into_response()
}

fn finish(routes: Router) -> Router {
    routes
        .method_not_allowed_fallback(async || Problem::method_not_allowed())
        .layer(AccessLog::new(panic, render))
}
