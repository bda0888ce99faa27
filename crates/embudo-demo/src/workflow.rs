//! A simulated external workflow: it receives the signals over HTTP, verifies them, sends renders and `finalizar`, and
//! simulates the messaging channel.

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use embudo_delivery::Secrets;
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use crate::messages::{Author, ChatMessage, Messages};
use crate::rooms::{self, Room};

/// The maximum size of a signal, which may contain a quote's PDF in base64 or inline photos.
const MAX_SIGNAL: usize = 64 * 1024 * 1024;
/// The maximum seconds between the time of a signature and now. A signal with a larger difference is refused.
const TOLERANCE_S: i64 = 300;
/// How long the renders take: long enough to see that the lead waits for them.
const RENDERING: Duration = Duration::from_secs(4);
const CALL_PATIENCE: Duration = Duration::from_secs(60);

/// The workflow and its state.
#[derive(Clone)]
pub struct Workflow(Arc<Inner>);

struct Inner {
    secrets: Secrets,
    messages: Messages,
    client: reqwest::Client,
    /// The address of the API and its key. They are unknown until the server listens.
    api: OnceLock<(String, String)>,
    /// While the history is generated, signals are only verified and accepted. The history itself does the rest.
    is_awake: AtomicBool,
}

impl Workflow {
    /// A workflow that verifies signatures with this secret.
    pub(crate) fn new(secret: &str, messages: Messages) -> Result<Self, Box<dyn Error>> {
        let client = reqwest::Client::builder().no_proxy().timeout(CALL_PATIENCE).build()?;
        Ok(Self(Arc::new(Inner {
            secrets: Secrets::read(secret)?,
            messages,
            client,
            api: OnceLock::new(),
            is_awake: AtomicBool::new(false),
        })))
    }

    /// Starts to answer signals.
    pub(crate) fn wake(&self, url: &str, key: &str) {
        let _ = self.0.api.set((url.to_owned(), key.to_owned()));
        self.0.is_awake.store(true, Ordering::Release);
    }

    pub(crate) fn router(&self) -> Router {
        Router::new()
            .route("/perfil", post(profile))
            .route("/pdf", post(quote))
            .route("/inicio", post(start))
            .route("/respuesta", post(reply))
            .layer(DefaultBodyLimit::max(MAX_SIGNAL))
            .with_state(self.clone())
    }

    /// Verifies the signature of a signal and parses it.
    fn verified(&self, headers: &HeaderMap, body: &[u8]) -> Result<Value, StatusCode> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let (id, signature) = (text("webhook-id"), text("webhook-signature"));
        let at: i64 = text("webhook-timestamp").parse().map_err(|_| StatusCode::BAD_REQUEST)?;
        let mut signer = self.0.secrets.signer(id, at);
        signer.update(body);
        let is_fresh = (self.0.messages.now().as_second() - at).abs() <= TOLERANCE_S;
        if !is_fresh || signer.header().is_none_or(|ours| ours != signature) {
            return Err(StatusCode::UNAUTHORIZED);
        }
        serde_json::from_slice(body).map_err(|_| StatusCode::BAD_REQUEST)
    }

    fn is_awake(&self) -> bool {
        self.0.is_awake.load(Ordering::Acquire)
    }

    /// Calls the API over HTTP, like an external program.
    pub(crate) async fn call(
        &self,
        path: &str,
        body: Value,
        key: &str,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let (url, bearer) = self.0.api.get().ok_or("the server is not there yet")?;
        let request = self.0.client.post(format!("{url}{path}")).bearer_auth(bearer);
        let response = request.header("idempotency-key", key).json(&body).send().await?;
        let status = response.status();
        if !status.is_success() {
            return Err(format!("{path}: {status} {}", response.text().await?).into());
        }
        Ok(())
    }

    /// Sends a render for every zone with photos, then `finalizar`.
    async fn render(&self, signal: &Value, id: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        let lead = signal["leadId"].as_str().ok_or("a signal without a lead")?;
        tokio::time::sleep(RENDERING).await;
        let path = format!("/api/leads/{lead}/ingesta");
        let items = self.renders(signal);
        if !items.is_empty() {
            self.call(&path, json!({ "items": items }), &format!("{id}-renders")).await?;
        }
        self.call(&path, json!({ "finalizar": true }), &format!("{id}-fin")).await
    }

    /// A render for each zone of the signal that has photos but no render yet.
    fn renders(&self, signal: &Value) -> Vec<Value> {
        let zones = signal["zonas"].as_array().map_or(&[][..], Vec::as_slice);
        let count = |zone: &Value, when: &str| zone["fotos"][when].as_array().map_or(0, Vec::len);
        let bare = zones.iter().filter(|zone| count(zone, "antes") > 0 && count(zone, "despues") == 0);
        let of = |zone: &Value| {
            let name = zone["zona"].as_str()?;
            let number = signal["leadId"].as_str().map_or(0, |id| id.bytes().map(usize::from).sum());
            let picture = &rooms::pair(room_of(name), number).after;
            Some(photo(name, "despues", picture))
        };
        bare.filter_map(of).collect()
    }

    fn say(&self, signal: &Value, text: String, pdf: Option<String>) {
        let field = |name: &str| signal[name].as_str().unwrap_or_default().to_owned();
        let kept = self.0.messages.add(ChatMessage {
            at: self.0.messages.now().as_millisecond(),
            lead: field("leadId"),
            name: field("nombre"),
            phone: field("telefono"),
            author: Author::Company,
            text,
            pdf,
        });
        if let Err(error) = kept {
            tracing::warn!(%error, "demo: a message could not be kept");
        }
    }

    /// Continues the work on a signal after it was answered. An error is logged; the panel then shows an overdue loop.
    fn later(
        &self,
        what: &'static str,
        work: impl Future<Output = Result<(), Box<dyn Error + Send + Sync>>> + Send + 'static,
    ) {
        tokio::spawn(async move {
            if let Err(error) = work.await {
                tracing::warn!(%error, what, "demo: the simulated workflow could not go on");
            }
        });
    }
}

/// The room that is drawn for a zone.
pub(crate) fn room_of(zone: &str) -> Room {
    match zone {
        "bano" => Room::Bano,
        "cocina" => Room::Cocina,
        _ => Room::Salon,
    }
}

/// A photo in the format of ingestion.
pub(crate) fn photo(zone: &str, when: &str, picture: &[u8]) -> Value {
    let image = format!("data:image/jpeg;base64,{}", STANDARD.encode(picture));
    json!({ "tipo": "foto", "zona": zone, "momento": when, "imagen": image })
}

fn id_of(headers: &HeaderMap) -> String {
    headers.get("webhook-id").and_then(|id| id.to_str().ok()).unwrap_or_default().to_owned()
}

async fn profile(
    State(workflow): State<Workflow>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<(), StatusCode> {
    let signal = workflow.verified(&headers, &body)?;
    if workflow.is_awake() {
        let (this, id) = (workflow.clone(), id_of(&headers));
        workflow.later("renders", async move { this.render(&signal, &id).await });
    }
    Ok(())
}

async fn quote(State(workflow): State<Workflow>, headers: HeaderMap, body: Bytes) -> Result<(), StatusCode> {
    let signal = workflow.verified(&headers, &body)?;
    let pdf = signal["pdfBase64"].as_str().and_then(|text| STANDARD.decode(text).ok());
    let name = signal["filename"].as_str().unwrap_or("presupuesto.pdf");
    let kept = pdf.and_then(|bytes| workflow.0.messages.keep_pdf(name, &bytes).ok());
    workflow.say(&signal, "Aquí tienes tu presupuesto. Cualquier duda, nos dices.".to_owned(), kept);
    Ok(())
}

async fn start(State(workflow): State<Workflow>, headers: HeaderMap, body: Bytes) -> Result<(), StatusCode> {
    let signal = workflow.verified(&headers, &body)?;
    let name = signal["nombre"].as_str().unwrap_or_default().split(' ').next().unwrap_or_default().to_owned();
    let empresa = signal["empresa"].as_str().unwrap_or_default();
    let text = format!(
        "Hola, {name}: somos {empresa}. ¿Qué te gustaría reformar? Si tienes fotos, mándanos un par."
    );
    workflow.say(&signal, text.clone(), None);
    if workflow.is_awake() {
        let (this, id) = (workflow.clone(), id_of(&headers));
        workflow.later("greeting", async move {
            let lead = signal["leadId"].as_str().ok_or("a signal without a lead")?;
            let body = json!({ "rol": "assistant", "mensaje": text, "estadoWa": "entregado" });
            this.call(&format!("/api/leads/{lead}/conversacion"), body, &id).await
        });
    }
    Ok(())
}

async fn reply(State(workflow): State<Workflow>, headers: HeaderMap, body: Bytes) -> Result<(), StatusCode> {
    let signal = workflow.verified(&headers, &body)?;
    let text = signal["texto"].as_str().unwrap_or_default().to_owned();
    workflow.say(&signal, text.clone(), None);
    if workflow.is_awake() {
        let this = workflow.clone();
        workflow.later("confirming a reply", async move {
            let field = |name: &str| signal[name].as_str().ok_or("a reply without its ids");
            // The key identifies the reply that arrived (contract §2.2).
            let path = format!("/api/leads/{}/conversacion", field("leadId")?);
            this.call(&path, json!({ "rol": "assistant", "mensaje": text }), field("mensajeId")?).await
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    fn workflow(folder: &std::path::Path) -> Workflow {
        let messages = Messages::open(folder.to_owned(), Arc::default()).unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        Workflow::new(SECRET, messages).unwrap()
    }

    fn headers(body: &[u8], at: i64) -> HeaderMap {
        let mut signer = Secrets::read(SECRET).unwrap().signer("m1", at);
        signer.update(body);
        let mut headers = HeaderMap::new();
        headers.insert("webhook-id", "m1".parse().unwrap());
        headers.insert("webhook-timestamp", at.into());
        headers.insert("webhook-signature", signer.header().unwrap().parse().unwrap());
        headers
    }

    #[test]
    fn only_what_is_signed_now_is_believed() {
        let folder = tempfile::tempdir().unwrap();
        let workflow = workflow(folder.path());
        let (body, now) = (br#"{"leadId":"x"}"#, Timestamp::now().as_second());
        assert!(workflow.verified(&headers(body, now), body).is_ok());
        assert_eq!(workflow.verified(&headers(body, now), b"{}"), Err(StatusCode::UNAUTHORIZED));
        assert_eq!(workflow.verified(&headers(body, now - 3600), body), Err(StatusCode::UNAUTHORIZED));
        assert_eq!(workflow.verified(&HeaderMap::new(), body), Err(StatusCode::BAD_REQUEST));
    }
}
