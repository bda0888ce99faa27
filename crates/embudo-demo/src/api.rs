//! API calls like those of the form, the bot and the render generator.

use std::error::Error;

use axum::Router;
use axum::body::Body;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{Method, Request};
use serde_json::Value;
use tower::ServiceExt as _;

/// The maximum size of a response.
const MAX_ANSWER: usize = 1024 * 1024;

/// The API in this process, with its key.
#[derive(Clone)]
pub struct Api {
    router: Router,
    bearer: String,
}

impl Api {
    pub fn new(router: Router, key: &str) -> Self {
        Self { router, bearer: format!("Bearer {key}") }
    }

    /// Calls the API, with `key` as `Idempotency-Key`. A refused call becomes an error with the reason.
    pub async fn post(
        &self,
        path: &str,
        body: &Value,
        key: Option<&str>,
    ) -> Result<Value, Box<dyn Error + Send + Sync>> {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(path)
            .header(AUTHORIZATION, &self.bearer)
            .header(CONTENT_TYPE, "application/json");
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let request = request.body(Body::from(body.to_string()))?;
        let response = self.router.clone().oneshot(request).await?;
        let status = response.status();
        let answer = axum::body::to_bytes(response.into_body(), MAX_ANSWER).await?;
        if !status.is_success() {
            return Err(format!("{path}: {status} {}", String::from_utf8_lossy(&answer)).into());
        }
        Ok(serde_json::from_slice(&answer)?)
    }
}
