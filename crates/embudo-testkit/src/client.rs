//! What came back from a call.

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// An answer, read whole.
#[derive(Debug)]
pub struct Answered {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as text.
    pub texto: String,
}

impl Answered {
    pub(crate) async fn leer(respuesta: reqwest::Response) -> Self {
        let (status, headers) = (respuesta.status(), respuesta.headers().clone());
        let texto = respuesta.text().await.expect("the answer is read whole");
        Self { status, headers, texto }
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.texto).unwrap_or_else(|e| panic!("{}: {e}: {}", self.status, self.texto))
    }

    /// The status must be this; returns the body. The message shows the whole answer.
    #[track_caller]
    pub fn con(self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.texto);
        if self.texto.is_empty() { Value::Null } else { self.json() }
    }

    /// It must be a problem document of this status, and as RFC 9457 wants it.
    #[track_caller]
    pub fn problema(self, status: u16) -> Value {
        assert_eq!(self.headers["content-type"], "application/problem+json", "{}", self.texto);
        let problema = self.con(status);
        assert_eq!(problema["status"], status);
        for campo in ["type", "title", "detail", "instance"] {
            assert!(problema[campo].is_string(), "{campo} is missing: {problema}");
        }
        problema
    }

    /// It must be a 422; returns its errors as `(campo, codigo)`.
    #[track_caller]
    pub fn errores(self) -> Vec<(String, String)> {
        let problema = self.problema(422);
        let errores = problema["errores"].as_array().expect("a 422 lists its errors");
        let par = |e: &Value| {
            assert!(e["mensaje"].as_str().is_some_and(|m| !m.is_empty()), "an error says what to do: {e}");
            (e["campo"].as_str().unwrap().to_owned(), e["codigo"].as_str().unwrap().to_owned())
        };
        errores.iter().map(par).collect()
    }

    /// A header as text.
    pub fn cabecera(&self, nombre: &str) -> Option<&str> {
        self.headers.get(nombre).map(|v| v.to_str().unwrap())
    }
}
