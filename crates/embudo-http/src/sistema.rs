//! What machines ask the server about itself: `/healthz`, `/readyz`, `/metrics`.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use embudo_store::StoreError;
use http::StatusCode;
use http::header::CONTENT_TYPE;

use crate::Estado;
use crate::extraer::wrong_key;
use crate::problema::Problema;

/// How long readiness waits for the database.
const ESPERA: Duration = Duration::from_secs(3);

/// The process runs.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// Storage can be reached. Migrations have run, or the server would not have started.
pub(crate) async fn readyz(State(estado): State<Estado>) -> Result<&'static str, Problema> {
    match tokio::time::timeout(ESPERA, estado.app.store.ping()).await {
        Ok(ping) => ping?,
        Err(_) => return Err(StoreError::Unavailable("no answer in 3 s".to_owned()).into()),
    }
    Ok("ok\n")
}

/// Prometheus' page, behind the metrics token or the API key.
pub(crate) async fn metrics(State(estado): State<Estado>, request: Request) -> Result<Response, Problema> {
    let (parts, _) = request.into_parts();
    let token = estado.ajustes.token_metricas.as_ref().is_some_and(|token| token.check(&parts.headers));
    if !token && !estado.ajustes.llaves.check(&parts.headers) {
        return Err(wrong_key(&parts, &estado));
    }
    metrics_open(State(estado)).await
}

/// The same page on a bind of its own, where the operator's network is the guard.
pub(crate) async fn metrics_open(State(estado): State<Estado>) -> Result<Response, Problema> {
    let Some(pintar) = &estado.ajustes.metricas else {
        return Err(Problema::ruta_desconocida());
    };
    Ok((StatusCode::OK, [(CONTENT_TYPE, "text/plain; version=0.0.4")], pintar()).into_response())
}
