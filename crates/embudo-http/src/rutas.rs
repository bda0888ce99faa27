//! The table of routes.

use axum::Router;
use axum::routing::{MethodRouter, get};

use crate::Estado;
use crate::api::{
    calificacion, conversacion, eventos, fotos, ingesta, intento, leads, lista, mensajeria, perfil,
    presupuestos,
};
use crate::problema::{Problema, panico, rendir};
use crate::puerta::Registro;
use crate::{docs, enlaces, openapi, sistema, web};

/// Writes the routes once: the router is built from them, and tests walk them.
macro_rules! rutas {
    ($($ruta:literal => $($metodo:ident $handler:path),+;)+) => {
        /// Every documented path with its methods. The OpenAPI document is checked against it.
        #[cfg(test)]
        pub(crate) const RUTAS: &[(&str, &[&str])] = &[$(($ruta, &[$(stringify!($metodo)),+])),+];

        fn documentadas() -> Router<Estado> {
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

/// The whole server.
pub fn router(estado: Estado) -> Router {
    let rutas = documentadas()
        .route("/fotos/{lead}/{foto}", get(enlaces::show))
        .route("/docs", get(docs::pagina))
        .route("/docs/problemas", get(docs::problemas))
        .route("/docs/docs.css", get(docs::estilo))
        .route("/docs/docs.js", get(docs::modulo))
        .merge(web::rutas(&estado));
    acabar(rutas, estado)
}

/// The metrics alone, for a bind of their own.
pub fn router_metricas(estado: Estado) -> Router {
    acabar(Router::new().route("/metrics", get(sistema::metrics_open)), estado)
}

fn acabar(rutas: Router<Estado>, estado: Estado) -> Router {
    rutas
        .fallback(web::desconocida)
        .method_not_allowed_fallback(async || Problema::metodo_no_permitido())
        .layer(Registro::new(panico, rendir))
        .with_state(estado)
}
