//! `POST /mcp`: the API as tools for language models, over the streamable transport without sessions.
//!
//! The key is that of the API, and so are the limits: the body is read within its limit, its pace and the shared
//! budget, and each tool is a request to the API's own router, which logs and counts it as any other.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use axum::Extension;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use embudo_mcp::{Api, ApiAnswer, ApiCall, MAX_ANSWER_BYTES, TOO_LONG, Toolbox};
use embudo_server::{BodyPermit, read_body};
use http::header::{CACHE_CONTROL, RETRY_AFTER};
use http::{HeaderName, HeaderValue};
use tower::ServiceExt as _;

use crate::HttpState;
use crate::extract::Authorized;
use crate::problem::Problem;

/// The largest message; larger photos go to the API itself.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The most values in a message. The library parses it to a tree in which each takes hundreds of bytes: four megabytes
/// of empty lists would take half a gigabyte and seconds.
const MAX_VALUES: usize = 20_000;
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

static TOOLBOX: LazyLock<Arc<Toolbox>> = LazyLock::new(|| Arc::new(Toolbox::of(&crate::openapi::document())));

/// The documented routes, to be called inside the server.
#[derive(Clone)]
pub(crate) struct Inside(pub Router);

pub(crate) async fn serve(
    key: Authorized,
    State(state): State<HttpState>,
    Extension(Inside(router)): Extension<Inside>,
    request: Request,
) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    let (settings, limit) = (&state.settings, state.settings.max_bot_bytes.min(MAX_BYTES));
    let read = read_body(&head.headers, body, limit, &settings.body_budget, None).await?;
    if values(&read.bytes) > MAX_VALUES {
        return Err(Problem::too_many_values(MAX_VALUES));
    }
    let permit = Permit(Arc::new(Mutex::new(Some(read.permit))));
    let caller = Caller { router, key, permit: permit.clone() };
    let request = http::Request::from_parts(head, read.bytes);
    let mut reply = state.mcp.answer(Arc::clone(&TOOLBOX), caller, request).await.map(Body::new);
    permit.give_back();
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(reply)
}

/// An upper bound on the values in a JSON text: it counts the separators that are not inside strings.
fn values(json: &[u8]) -> usize {
    let (mut count, mut in_text, mut is_escaped) = (1, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' | b':' if !in_text => count += 1,
            _ => {}
        }
    }
    count
}

/// The API with the rights of the caller of one message.
#[derive(Clone)]
struct Caller {
    router: Router,
    key: Authorized,
    permit: Permit,
}

/// The message's share of the memory for bodies. It is given back only once.
#[derive(Clone)]
struct Permit(Arc<Mutex<Option<BodyPermit>>>);

impl Permit {
    fn give_back(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl Api for Caller {
    async fn call(&self, call: ApiCall) -> Result<ApiAnswer, String> {
        // The API takes a share of memory for the same bytes. Waiting for that share while holding this one could
        // deadlock.
        self.permit.give_back();
        let mut request = http::Request::builder().method(call.method).uri(call.path_and_query);
        if let Some(key) = call.idempotency_key {
            request = request.header(IDEMPOTENCY_KEY, key);
        }
        let request = request.body(call.body.map_or_else(Body::empty, Body::from));
        let mut request = request.map_err(|_| {
            "Un argumento es demasiado largo o tiene caracteres que no viajan en una petición.".to_owned()
        })?;
        request.extensions_mut().insert(self.key);
        let Ok(response) = self.router.clone().oneshot(request).await;
        let (head, body) = response.into_parts();
        let retry_after =
            head.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let bytes = to_bytes(body, MAX_ANSWER_BYTES).await.map_err(|_| TOO_LONG.to_owned())?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(ApiAnswer { status: head.status, retry_after, text })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    fn holds(value: &Value, key: &str) -> bool {
        match value {
            Value::Object(map) => map.contains_key(key) || map.values().any(|inner| holds(inner, key)),
            Value::Array(list) => list.iter().any(|inner| holds(inner, key)),
            _ => false,
        }
    }

    #[test]
    fn values_are_counted_outside_texts() {
        for (json, expected) in
            [("", 1), ("0", 1), (r#""a,b,{[:\\\",,""#, 1), ("[[],[]]", 5), (r#"{"a":"x\\","b":[0,1]}"#, 7)]
        {
            assert_eq!(values(json.as_bytes()), expected, "{json}");
        }
    }

    /// The arguments of a tool are those that the document lists for its operation: path, query, key and every field of
    /// the body.
    #[test]
    fn the_tools_take_what_the_documents_operations_take() {
        let document = crate::openapi::document();
        for (tool, name) in TOOLBOX.tools().iter().zip(embudo_mcp::NAMES) {
            assert_eq!(tool.name, name);
            let schema = Value::Object((*tool.input_schema).clone());
            assert!(!holds(&schema, "$ref") && !holds(&schema, "x-orden"), "{name}");
            let words = tool.description.as_deref().unwrap_or_default();
            assert!(words.len() > 40, "{name} says what it is for");
            let taken: BTreeSet<&str> =
                schema["properties"].as_object().expect("fields").keys().map(String::as_str).collect();
            let paths = document["paths"].as_object().expect("paths").values();
            let mut operations = paths.flat_map(|methods| methods.as_object().expect("methods").values());
            let operation = operations.find(|o| o["operationId"] == name).expect("an operation");
            let mut expected: Vec<&str> = Vec::new();
            for parameter in operation["parameters"].as_array().expect("parameters") {
                let parameter = match parameter["$ref"].as_str() {
                    Some(reference) => document.pointer(&reference[1..]).expect("it leads somewhere"),
                    None => parameter,
                };
                let named = parameter["name"].as_str().expect("a name");
                expected.push(if named == "Idempotency-Key" { "idempotencyKey" } else { named });
            }
            if let Some(body) =
                operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str()
            {
                let body = document.pointer(&body[1..]).expect("it leads somewhere");
                expected.extend(body["properties"].as_object().expect("fields").keys().map(String::as_str));
            }
            let distinct: BTreeSet<&str> = expected.iter().copied().collect();
            assert_eq!(
                distinct.len(),
                expected.len(),
                "{name}: a field of the body has the name of a parameter"
            );
            assert_eq!(taken, distinct, "{name}");
        }
    }

    /// The guide lists the tools, all of them and no others, in their order.
    #[test]
    fn the_guide_lists_the_tools() {
        let guide = include_str!("../../../docs/mcp.md");
        let rows = guide.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        let listed: Vec<&str> = rows.map(|(name, _)| name).collect();
        assert_eq!(listed, embudo_mcp::NAMES);
    }
}
