//! One call to an operator's URL, and how it went.
//!
//! The URL of [`Webhooks::send`] comes from the operator's settings and may be a private address (a workflow server
//! in the same network). A URL that somebody typed in the panel goes through the guard ([`Webhooks::send_guarded`]).
//! Redirects are not followed and proxies are not used.

mod answer;
mod export;
mod failure;
mod prepare;
mod push;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use embudo_domain::Timestamp;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use tokio::time::timeout;
use url::Url;

use crate::InvalidSetting;
use crate::body::SignedBody;
use crate::fetch::Fetcher;
use crate::signature::Secrets;
use crate::trust::LazyTls;
use failure::Failure;
use prepare::{Prepared, prepare};

/// How calls are made.
#[derive(Debug, Clone)]
pub struct Options {
    /// The secrets that sign; if empty, there is no signature header.
    pub secrets: Secrets,
    /// Time to connect, TLS included.
    pub connect_timeout: Duration,
    /// Time for the whole attempt. A long body gets more, see [`Options::min_bytes_per_second`].
    pub total_timeout: Duration,
    /// Time for reading the answer's body once its status is known; what came until then is kept.
    pub answer_timeout: Duration,
    /// How much of the answer's body is kept.
    pub answer_max_bytes: usize,
    /// The total time grows by the body's length over this rate: hundreds of megabytes of photos cannot pass in the
    /// time that a call of some kilobytes gets.
    pub min_bytes_per_second: u64,
    /// The longest `Retry-After` that is respected; longer ones are cut.
    pub retry_after_max: Duration,
    /// Certificates (PEM) that are trusted beside the system's.
    pub ca_pem: Option<Vec<u8>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            secrets: Secrets::none(),
            connect_timeout: Duration::from_secs(10),
            total_timeout: Duration::from_secs(30),
            answer_timeout: Duration::from_secs(5),
            answer_max_bytes: 64 * 1024,
            min_bytes_per_second: 1024 * 1024,
            retry_after_max: Duration::from_secs(24 * 60 * 60),
            ca_pem: None,
        }
    }
}

/// A message to be sent.
#[derive(Clone)]
pub struct OutgoingSignal {
    /// Its id, the same on every attempt.
    pub id: String,
    /// The moment of this attempt; signed, and the "now" of a `Retry-After` date.
    pub timestamp: Timestamp,
    pub body: SignedBody,
}

/// What should happen to a message after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptClass {
    /// It arrived: a 2xx.
    Ok,
    /// It may be tried again.
    Retry,
    /// The receiver answered 410: it does not want this message any more.
    End,
}

/// How one attempt went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookAttempt {
    pub ok: bool,
    /// The status, where there was an answer.
    pub status: Option<u16>,
    /// How long the receiver asks us to wait, bounded.
    pub retry_after: Option<Duration>,
    /// The beginning of the answer's body as text.
    pub answer: String,
    /// What went wrong, short, in Spanish, without secrets or URLs.
    pub error: Option<String>,
    /// How long it took.
    pub duration: Duration,
    /// How long the body was; 0 where it could not be prepared.
    pub body_bytes: u64,
    /// What should happen to the message.
    pub class: AttemptClass,
}

/// The client: one pool of connections for all receivers. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Webhooks {
    client: Arc<OnceLock<reqwest::Client>>,
    tls: LazyTls,
    options: Options,
}

/// Node's HTTP server closes an idle connection after 5 s. We close it earlier, so that no call is sent on a connection
/// that the server is just closing.
const POOL_IDLE: Duration = Duration::from_secs(4);

impl Webhooks {
    /// Fails on certificates that cannot be read.
    pub fn new(options: Options) -> Result<Self, InvalidSetting> {
        // Once per process; it does not matter which caller is first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let tls = LazyTls::new(&["h2", "http/1.1"], options.ca_pem.as_deref())?;
        Ok(Self { client: Arc::default(), tls, options })
    }

    /// The client, made when it is first needed.
    fn client(&self) -> &reqwest::Client {
        self.client.get_or_init(|| {
            let builder = builder(&self.options).tls_backend_preconfigured(self.tls.config().clone());
            builder.build().expect("these options make a client")
        })
    }

    /// Makes one attempt. Whatever happens, failures included, is in the [`WebhookAttempt`].
    pub async fn send(&self, url: &Url, sending: OutgoingSignal) -> WebhookAttempt {
        let start = Instant::now();
        let mut body_bytes = 0;
        let line = Line { client: self.client(), secrets: &self.options.secrets, url };
        let ended = self.attempt(line, &sending, start, &mut body_bytes).await;
        finished(ended, start, body_bytes)
    }

    /// Like `send`, to a URL that somebody typed: the guard checks it now, and the connection goes only to the
    /// addresses that it found. Signed with `secrets`, not with those of the options.
    pub async fn send_guarded(
        &self,
        guard: &Fetcher,
        url: &str,
        secrets: &Secrets,
        sending: OutgoingSignal,
    ) -> WebhookAttempt {
        let start = Instant::now();
        let mut body_bytes = 0;
        let time = self.options.connect_timeout;
        let ended = match timeout(time, guard.receiver(url)).await {
            Err(_) => Err(Failure::Time(time)),
            Ok(Err(refused)) => Err(Failure::Refused(refused)),
            Ok(Ok((client, url))) => {
                let line = Line { client: &client, secrets, url: &url };
                self.attempt(line, &sending, start, &mut body_bytes).await
            }
        };
        finished(ended, start, body_bytes)
    }

    async fn attempt(
        &self,
        line: Line<'_>,
        sending: &OutgoingSignal,
        start: Instant,
        body_bytes: &mut u64,
    ) -> Result<WebhookAttempt, Failure> {
        let signer = line.secrets.signer(&sending.id, sending.timestamp.as_second());
        let total = self.options.total_timeout;
        let prepared = timeout(total, prepare(&sending.body, signer)).await;
        let ready = prepared.map_err(|_| Failure::Time(total))?.map_err(Failure::Source)?;
        *body_bytes = ready.len;
        let extra = ready.len / self.options.min_bytes_per_second.max(1);
        let total = total + Duration::from_secs(extra);
        let headers = headers_of(sending, &ready)?;
        let request = line.client.post(line.url.clone()).headers(headers).body(ready.body).send();
        let rest = total.saturating_sub(start.elapsed());
        let answer = timeout(rest, request).await.map_err(|_| Failure::Time(total))?;
        let answer = answer.map_err(|e| ready.source.failure(&e))?;
        // From here on the status is known, and a time-out does not lose it.
        let to_read = self.options.answer_timeout.min(total.saturating_sub(start.elapsed()));
        let now = sending.timestamp.saturating_add(start.elapsed()).unwrap_or(sending.timestamp);
        Ok(answer::read(answer, now, to_read, &self.options).await)
    }
}

/// How an attempt is sent: to which URL, by which client, and signed with which secrets.
struct Line<'a> {
    client: &'a reqwest::Client,
    secrets: &'a Secrets,
    url: &'a Url,
}

fn finished(ended: Result<WebhookAttempt, Failure>, start: Instant, body_bytes: u64) -> WebhookAttempt {
    let attempt = ended.unwrap_or_else(|failure| WebhookAttempt {
        ok: false,
        status: None,
        retry_after: None,
        answer: String::new(),
        error: Some(failure.to_string()),
        duration: Duration::ZERO,
        body_bytes: 0,
        class: AttemptClass::Retry,
    });
    WebhookAttempt { duration: start.elapsed(), body_bytes, ..attempt }
}

fn builder(options: &Options) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .connect_timeout(options.connect_timeout)
        .pool_idle_timeout(POOL_IDLE)
        .tcp_nodelay(true)
        .user_agent(concat!("embudo/", env!("CARGO_PKG_VERSION")))
}

fn headers_of(sending: &OutgoingSignal, ready: &Prepared) -> Result<HeaderMap, Failure> {
    let id = HeaderValue::from_str(&sending.id).map_err(|_| Failure::Id)?;
    let mut headers = HeaderMap::new();
    headers.insert("webhook-id", id);
    headers.insert("webhook-timestamp", sending.timestamp.as_second().into());
    if let Some(signature) = &ready.signature {
        headers.insert("webhook-signature", HeaderValue::from_str(signature).expect("base64 fits a header"));
    }
    if let Some(context) = embudo_trace::current() {
        let value = HeaderValue::from_str(&context.to_string()).expect("hexadecimal digits and hyphens");
        headers.insert(embudo_trace::TRACEPARENT, value);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_LENGTH, ready.len.into());
    Ok(headers)
}
