//! Calls of the API inside this process: the same routes, rules and answers, without a socket or the real key.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use embudo_api::{HttpSettings, HttpState, router};
use embudo_app::App;
use embudo_server::{ApiKeys, Callers, EmptyKey};
use serde_json::Value;
use tower::ServiceExt;

/// The router of the API, called in this process.
pub struct Api {
    router: Router,
    key: String,
}

/// The refusal of the API, in its own words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

impl Api {
    /// Opens the API with a random key that exists only here.
    pub fn new(app: App) -> Result<Self, EmptyKey> {
        let key = uuid::Uuid::new_v4().to_string();
        let settings = HttpSettings::new(ApiKeys::new(&key, None)?);
        let state = HttpState::new(app, settings, Arc::new(Callers::default()));
        Ok(Self { router: router(state, Router::new()), key })
    }

    /// The text of a 2xx answer.
    pub async fn get(&self, path: &str) -> Result<String, Refused> {
        self.call(Request::get(path), Body::empty()).await
    }

    /// The text of a 2xx answer.
    pub async fn post(&self, path: &str, body: &Value) -> Result<String, Refused> {
        self.call(Request::post(path), Body::from(body.to_string())).await
    }

    async fn call(&self, request: axum::http::request::Builder, body: Body) -> Result<String, Refused> {
        let request = request.header(header::AUTHORIZATION, format!("Bearer {}", self.key)).body(body);
        let request = request.map_err(|error| Refused(error.to_string()))?;
        let Ok(response) = self.router.clone().oneshot(request).await;
        let good = response.status().is_success();
        let bytes = to_bytes(response.into_body(), usize::MAX).await;
        let bytes = bytes.map_err(|error| Refused(error.to_string()))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if good { Ok(text) } else { Err(Refused(refusal(&text))) }
    }
}

/// A text field of an answer.
pub fn field(answer: &str, name: &str) -> String {
    let value: Value = serde_json::from_str(answer).unwrap_or_default();
    value[name].as_str().unwrap_or_default().to_owned()
}

/// A problem document as lines for a person: each fault with the flag that caused it.
fn refusal(text: &str) -> String {
    let problem: Value = serde_json::from_str(text).unwrap_or_default();
    let faults: Vec<String> = problem["errores"].as_array().into_iter().flatten().map(fault).collect();
    match faults.as_slice() {
        [] => problem["detail"].as_str().unwrap_or("the call was refused").to_owned(),
        [fault] => fault.clone(),
        faults => format!("this was refused:\n  {}", faults.join("\n  ")),
    }
}

fn fault(fault: &Value) -> String {
    let place = fault["campo"].as_str().unwrap_or_default();
    format!("{}: {}", flag(place), fault["mensaje"].as_str().unwrap_or_default())
}

/// The flag of a field: `/tipoReforma` came from `--tipo-reforma`.
fn flag(place: &str) -> String {
    let mut flag = String::from("--");
    for c in place.trim_start_matches('/').chars() {
        if c.is_ascii_uppercase() {
            flag.push('-');
        }
        flag.push(c.to_ascii_lowercase());
    }
    flag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_by_flag() {
        let one = r#"{"detail":"x","errores":[{"campo":"/tipoReforma","mensaje":"No."}]}"#;
        assert_eq!(refusal(one), "--tipo-reforma: No.");
        let two = r#"{"errores":[{"campo":"/email","mensaje":"A."},{"campo":"telefono","mensaje":"B."}]}"#;
        assert_eq!(refusal(two), "this was refused:\n  --email: A.\n  --telefono: B.");
        assert_eq!(refusal(r#"{"detail":"No existe."}"#), "No existe.");
    }
}
