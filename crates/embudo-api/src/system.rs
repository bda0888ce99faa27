//! What machines ask the server about itself: `/healthz`, `/readyz`, `/metrics`.

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;

use crate::HttpState;
use crate::extract::wrong_key;
use crate::problem::Problem;

/// The process runs.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// Storage can be reached and written to, and the background tasks make progress. Migrations have run, or the server
/// would not have started.
pub(crate) async fn readyz(State(state): State<HttpState>) -> Result<&'static str, Problem> {
    state.app.ready().await?;
    Ok("ok\n")
}

/// Prometheus' page, behind the metrics token or the API key.
pub(crate) async fn metrics(State(state): State<HttpState>, request: Request) -> Result<Response, Problem> {
    let (parts, _) = request.into_parts();
    let token = state.settings.metrics_token.as_ref().is_some_and(|token| token.check(&parts.headers));
    if !token && !state.settings.keys.check(&parts.headers) {
        return Err(wrong_key(&parts, &state));
    }
    metrics_open(State(state)).await
}

/// The same page on a listening address of its own, which only the operator's network protects.
pub(crate) async fn metrics_open(State(state): State<HttpState>) -> Result<Response, Problem> {
    let Some(render) = &state.settings.metrics else {
        return Err(Problem::unknown_path());
    };
    Ok((StatusCode::OK, [(CONTENT_TYPE, "text/plain; version=0.0.4")], render()).into_response())
}
