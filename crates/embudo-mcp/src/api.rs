//! One call of the API, and its answer in words.

use http::{Method, StatusCode};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// The longest answer that becomes a tool's result. No model reads more, and the whole answer is in memory.
pub const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// What a model reads instead of an answer that is too long.
pub const TOO_LONG: &str =
    "La respuesta es demasiado larga para leerla aquí. Pide menos, o consulta el panel.";

/// A request to the API, without the API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiCall {
    pub method: Method,
    /// Already escaped.
    pub path_and_query: String,
    pub idempotency_key: Option<String>,
    /// JSON; `None` for a call without a body.
    pub body: Option<String>,
}

/// What the API answered.
#[derive(Debug, Clone)]
pub struct ApiAnswer {
    pub status: StatusCode,
    /// `Retry-After`, in seconds.
    pub retry_after: Option<String>,
    pub text: String,
}

/// How the API is called: inside the server, or over the network.
pub trait Api: Clone + Send + Sync + 'static {
    /// `Err` says in words why there is no answer.
    fn call(&self, call: ApiCall) -> impl Future<Output = Result<ApiAnswer, String>> + Send;
}

/// The result of a tool that could not be called, or whose call was refused: the model reads why.
pub(crate) fn refused(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

impl ApiAnswer {
    pub(crate) fn into_result(self) -> CallToolResult {
        if self.status.is_success() {
            return CallToolResult::success(vec![ContentBlock::text(self.text)]);
        }
        refused(self.problem())
    }

    /// A problem document for a model: what was refused and each mistake at its place in the arguments.
    fn problem(&self) -> String {
        let problem: Value = serde_json::from_str(&self.text).unwrap_or_default();
        let word = |name: &str| problem[name].as_str().unwrap_or_default();
        let mut lines = match word("title") {
            "" => format!("El servidor respondió {}.", self.status.as_u16()),
            title => format!("{} {title}. {}", self.status.as_u16(), word("detail")),
        };
        for mistake in problem["errores"].as_array().into_iter().flatten() {
            let word = |name: &str| mistake[name].as_str().unwrap_or_default();
            lines += &format!("\n{} ({}): {}", word("campo"), word("codigo"), word("mensaje"));
        }
        if let Some(seconds) = &self.retry_after {
            lines += &format!("\nVuelve a intentarlo dentro de {seconds} s.");
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, text: &str) -> CallToolResult {
        let status = StatusCode::from_u16(status).expect("a status");
        ApiAnswer { status, retry_after: None, text: text.to_owned() }.into_result()
    }

    fn text(result: &CallToolResult) -> String {
        let value = serde_json::to_value(result).expect("a result");
        value["content"][0]["text"].as_str().expect("a text").to_owned()
    }

    #[test]
    fn a_refusal_is_an_error_with_its_words_and_pointers() {
        let problem = r#"{"title":"Datos no válidos","detail":"Hay 2 errores.","errores":[
            {"campo":"/rol","codigo":"valor","mensaje":"No vale."},
            {"campo":"/mensaje","codigo":"requerido","mensaje":"Falta."}]}"#;
        let result = answered(422, problem);
        assert_eq!(result.is_error, Some(true));
        let expected =
            "422 Datos no válidos. Hay 2 errores.\n/rol (valor): No vale.\n/mensaje (requerido): Falta.";
        assert_eq!(text(&result), expected);
        let from_a_proxy = answered(502, "<html>");
        assert_eq!(text(&from_a_proxy), "El servidor respondió 502.");
        let done = answered(200, r#"{"ok":true}"#);
        assert_eq!((done.is_error, text(&done)), (Some(false), r#"{"ok":true}"#.to_owned()));
    }
}
