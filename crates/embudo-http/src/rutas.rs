//! The table of routes.

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::{get, post};

use crate::Estado;
use crate::api::{calificacion, conversacion, fotos, ingesta, intento, leads, lista, mensajeria, perfil};
use crate::problema::{Problema, panico, rendir};
use crate::puerta::Registro;
use crate::sistema;

/// The whole server.
pub fn router(estado: Estado) -> Router {
    let rutas = Router::new()
        .route("/api/leads", get(lista::list).post(leads::create))
        .route("/api/leads/{id}", get(leads::show).patch(leads::update_contacto))
        .route("/api/leads/{id}/ingesta", post(ingesta::ingest))
        .route("/api/leads/{id}/conversacion", post(conversacion::append))
        .route("/api/leads/{id}/perfil", post(perfil::update))
        .route("/api/leads/{id}/calificacion", post(calificacion::upsert))
        .route("/api/leads/{id}/intento", post(intento::record))
        .route("/api/leads/{id}/mensajeria", post(mensajeria::start))
        .route("/api/leads/{id}/fotos/{foto}", get(fotos::show).delete(fotos::delete))
        .route("/healthz", get(sistema::healthz))
        .route("/readyz", get(sistema::readyz))
        .route("/metrics", get(sistema::metrics));
    acabar(rutas, estado)
}

/// The metrics alone, for a bind of their own.
pub fn router_metricas(estado: Estado) -> Router {
    acabar(Router::new().route("/metrics", get(sistema::metrics_open)), estado)
}

fn acabar(rutas: Router<Estado>, estado: Estado) -> Router {
    rutas
        .fallback(async || Problema::ruta_desconocida())
        .method_not_allowed_fallback(async || Problema::metodo_no_permitido())
        .layer(from_fn(rendir))
        .layer(Registro::new(panico))
        .with_state(estado)
}
