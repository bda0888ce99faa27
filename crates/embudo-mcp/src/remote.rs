//! The API of a running server, over HTTP.

use std::time::Duration;

use http::StatusCode;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};

use crate::api::{Api, ApiAnswer, ApiCall, MAX_ANSWER_BYTES};
use crate::server::PATIENCE;

const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// A server's address, and the API key for it.
#[derive(Clone)]
pub struct Remote {
    client: Client,
    /// The server's address, without a slash at its end.
    base: String,
    key: String,
}

impl Remote {
    /// `base` is the server's address, such as `https://leads.example.com`. A TLS provider must be installed before
    /// this call.
    ///
    /// # Errors
    /// A text that says why, if `base` is not a valid address or the system's certificates cannot be read.
    pub fn new(base: &str, key: &str) -> Result<Self, String> {
        let url = Url::parse(base)
            .map_err(|_| format!("«{base}» is not an address such as https://leads.example.com"))?;
        if !matches!(url.scheme(), "http" | "https") || url.query().is_some() || url.fragment().is_some() {
            return Err(format!("«{base}» is not an address such as https://leads.example.com"));
        }
        let client = Client::builder()
            // The key is meant for this server only, so redirects are not followed.
            .redirect(Policy::none())
            .connect_timeout(CONNECT_WITHIN)
            .timeout(PATIENCE)
            .user_agent(concat!("embudo-mcp/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self { client, base: url.as_str().trim_end_matches('/').to_owned(), key: key.to_owned() })
    }

    async fn ask(&self, call: ApiCall) -> Result<ApiAnswer, Failure> {
        let url = format!("{}{}", self.base, call.path_and_query);
        let mut request = self.client.request(call.method, url).bearer_auth(&self.key);
        if let Some(key) = call.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = call.body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        let mut response = request.send().await?;
        let status = StatusCode::from_u16(response.status().as_u16()).unwrap_or(StatusCode::BAD_GATEWAY);
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = retry_after.map(str::to_owned);
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if bytes.len() + chunk.len() > MAX_ANSWER_BYTES {
                return Err(Failure::TooLong);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(ApiAnswer { status, retry_after, text: String::from_utf8_lossy(&bytes).into_owned() })
    }
}

enum Failure {
    TooLong,
    Http(reqwest::Error),
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        Self::Http(error)
    }
}

impl Api for Remote {
    async fn call(&self, call: ApiCall) -> Result<ApiAnswer, String> {
        self.ask(call).await.map_err(|failure| match failure {
            Failure::TooLong => crate::api::TOO_LONG.to_owned(),
            Failure::Http(error) if error.is_builder() => {
                "La clave o «idempotencyKey» tiene caracteres que no viajan en una cabecera.".to_owned()
            }
            Failure::Http(error) if error.is_connect() => {
                format!("No se llega al servidor de Embudo en {}.", self.base)
            }
            Failure::Http(error) if error.is_timeout() => {
                "El servidor tarda demasiado en responder.".to_owned()
            }
            Failure::Http(_) => "La conexión con el servidor se ha cortado.".to_owned(),
        })
    }
}
