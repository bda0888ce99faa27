//! The responses of API calls.

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// A response with its complete body.
#[derive(Debug)]
pub struct Answered {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// The body as text.
    pub text: String,
}

impl Answered {
    pub(crate) async fn read(answer: reqwest::Response) -> Self {
        let (status, headers) = (answer.status(), answer.headers().clone());
        let text = answer.text().await.expect("the answer is read whole");
        Self { status, headers, text }
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{}: {e}: {}", self.status, self.text))
    }

    /// Asserts this status and returns the body. The message of a failure contains the whole response.
    #[track_caller]
    pub fn with(self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        if self.text.is_empty() { Value::Null } else { self.json() }
    }

    /// Asserts that the response is a problem document with this status, as RFC 9457 requires.
    #[track_caller]
    pub fn problem(self, status: u16) -> Value {
        assert_eq!(self.headers["content-type"], "application/problem+json", "{}", self.text);
        let problem = self.with(status);
        assert_eq!(problem["status"], status);
        for field in ["type", "title", "detail", "instance"] {
            assert!(problem[field].is_string(), "{field} is missing: {problem}");
        }
        problem
    }

    /// Asserts that the response is a 422, and returns its errors as `(campo, codigo)`.
    #[track_caller]
    pub fn errors(self) -> Vec<(String, String)> {
        let problem = self.problem(422);
        let errors = problem["errores"].as_array().expect("a 422 lists its errors");
        let pair = |e: &Value| {
            assert!(e["mensaje"].as_str().is_some_and(|m| !m.is_empty()), "an error says what to do: {e}");
            (e["campo"].as_str().unwrap().to_owned(), e["codigo"].as_str().unwrap().to_owned())
        };
        errors.iter().map(pair).collect()
    }

    pub fn header(&self, nombre: &str) -> Option<&str> {
        self.headers.get(nombre).map(|v| v.to_str().unwrap())
    }
}
