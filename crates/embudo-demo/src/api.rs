//! Calls of the API as the form, the bot and the render generator make them.

use std::error::Error;

use axum::Router;
use axum::body::Body;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{Method, Request};
use serde_json::Value;
use tower::ServiceExt as _;

/// The longest answer that is read.
const MAX_ANSWER: usize = 1024 * 1024;

/// The API within this process, with its key.
#[derive(Clone)]
pub struct Api {
    router: Router,
    bearer: String,
}

impl Api {
    pub fn new(router: Router, key: &str) -> Self {
        Self { router, bearer: format!("Bearer {key}") }
    }

    /// One call; whatever is not accepted is an error that says why.
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
