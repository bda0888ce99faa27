//! What machines ask the server about itself: `/healthz`, `/readyz`, `/metrics`.

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;

use crate::HttpState;
use crate::extraer::wrong_key;
use crate::problema::Problema;

/// The process runs.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// Storage can be reached and written to, and what runs beside the requests gets on. Migrations have run, or the server would not
/// have started.
pub(crate) async fn readyz(State(estado): State<HttpState>) -> Result<&'static str, Problema> {
    estado.app.ready().await?;
    Ok("ok\n")
}

/// Prometheus' page, behind the metrics token or the API key.
pub(crate) async fn metrics(State(estado): State<HttpState>, request: Request) -> Result<Response, Problema> {
    let (parts, _) = request.into_parts();
    let token = estado.ajustes.token_metricas.as_ref().is_some_and(|token| token.check(&parts.headers));
    if !token && !estado.ajustes.llaves.check(&parts.headers) {
        return Err(wrong_key(&parts, &estado));
    }
    metrics_open(State(estado)).await
}

/// The same page on a bind of its own, where the operator's network is the guard.
pub(crate) async fn metrics_open(State(estado): State<HttpState>) -> Result<Response, Problema> {
    let Some(pintar) = &estado.ajustes.metricas else {
        return Err(Problema::ruta_desconocida());
    };
    Ok((StatusCode::OK, [(CONTENT_TYPE, "text/plain; version=0.0.4")], pintar()).into_response())
}
