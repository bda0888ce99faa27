//! One call to an operator's URL, and how it went.
//!
//! The URL comes from the operator's settings and may be a private address (a workflow server next door); a URL that
//! came from outside must never be called with this client. Redirects are not followed and proxies are not used.

mod fallo;
mod preparar;
mod respuesta;

use std::time::{Duration, Instant};

use embudo_domain::Timestamp;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use tokio::time::timeout;
use url::Url;

use crate::AjusteInvalido;
use crate::cuerpo::Cuerpo;
use crate::firma::Secretos;
use fallo::Fallo;
use preparar::{Listo, preparar};

/// How calls are made.
#[derive(Debug, Clone)]
pub struct Opciones {
    /// What signs them; none: no signature header.
    pub secretos: Secretos,
    /// Time to connect, TLS included.
    pub connect_timeout: Duration,
    /// Time for the whole attempt. A body that is streamed gets more, see [`Opciones::min_bytes_per_second`].
    pub total_timeout: Duration,
    /// Time for reading the answer's body once its status is known; what came until then is kept.
    pub answer_timeout: Duration,
    /// How much of the answer's body is kept.
    pub answer_max_bytes: usize,
    /// The total time grows by the body's length over this rate: hundreds of megabytes of photos cannot pass in the
    /// time that a call of some kilobytes gets.
    pub min_bytes_per_second: u64,
    /// The longest `Retry-After` that is believed.
    pub retry_after_max: Duration,
    /// Certificates (PEM) that are trusted beside the system's.
    pub ca_pem: Option<Vec<u8>>,
}

impl Default for Opciones {
    fn default() -> Self {
        Self {
            secretos: Secretos::ninguno(),
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
pub struct Envio {
    /// Its id, the same on every attempt.
    pub id: String,
    /// The moment of this attempt; signed, and the "now" of a `Retry-After` date.
    pub timestamp: Timestamp,
    /// What it says.
    pub body: Cuerpo,
}

/// What is to become of a message after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clase {
    /// It arrived: a 2xx.
    Ok,
    /// It may be tried again.
    Reintentar,
    /// The receiver wants no more of it: 410.
    Fin,
}

/// How one attempt went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intento {
    /// Whether it arrived.
    pub ok: bool,
    /// The status, where there was an answer.
    pub status: Option<u16>,
    /// How long the receiver asks us to wait, bounded.
    pub retry_after: Option<Duration>,
    /// The beginning of the answer's body as text.
    pub respuesta: String,
    /// What went wrong, short, in Spanish, without secrets or URLs.
    pub error: Option<String>,
    /// How long it took.
    pub duracion: Duration,
    /// How long the body was; 0 where it could not be prepared.
    pub body_bytes: u64,
    /// What is to become of the message.
    pub clase: Clase,
}

/// The client: one pool of connections for all receivers. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Webhooks {
    client: reqwest::Client,
    opciones: Opciones,
}

/// Node's HTTP server closes a kept connection after 5 s of silence; leaving it first spares the race.
const POOL_IDLE: Duration = Duration::from_secs(4);

impl Webhooks {
    /// Builds the client. Fails on certificates that cannot be read.
    pub fn new(opciones: Opciones) -> Result<Self, AjusteInvalido> {
        // Once in a process; whoever was first is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = builder(&opciones);
        if let Some(pem) = &opciones.ca_pem {
            let unreadable = || AjusteInvalido("the CA file holds no readable PEM certificate".to_owned());
            let certs = reqwest::Certificate::from_pem_bundle(pem).map_err(|_| unreadable())?;
            if certs.is_empty() {
                return Err(unreadable());
            }
            builder = builder.tls_certs_merge(certs);
        }
        let client = match builder.build() {
            Ok(client) => client,
            // A slim machine has no certificates of its own: the public authorities we carry stand in for them.
            Err(_) if opciones.ca_pem.is_none() => builder_with_carried_roots(&opciones)?,
            Err(e) => return Err(AjusteInvalido(fallo::root_cause(&e))),
        };
        Ok(Self { client, opciones })
    }

    /// Makes one attempt. Never fails by itself: whatever happens is in the [`Intento`].
    pub async fn send(&self, url: &Url, envio: Envio) -> Intento {
        let inicio = Instant::now();
        let mut body_bytes = 0;
        let intento = match self.attempt(url, &envio, inicio, &mut body_bytes).await {
            Ok(intento) => intento,
            Err(fallo) => Intento {
                ok: false,
                status: None,
                retry_after: None,
                respuesta: String::new(),
                error: Some(fallo.to_string()),
                duracion: Duration::ZERO,
                body_bytes: 0,
                clase: Clase::Reintentar,
            },
        };
        Intento { duracion: inicio.elapsed(), body_bytes, ..intento }
    }

    async fn attempt(
        &self,
        url: &Url,
        envio: &Envio,
        inicio: Instant,
        body_bytes: &mut u64,
    ) -> Result<Intento, Fallo> {
        let firmante = self.opciones.secretos.firmante(&envio.id, envio.timestamp.as_second());
        let total = self.opciones.total_timeout;
        let preparado = timeout(total, preparar(&envio.body, firmante)).await;
        let listo = preparado.map_err(|_| Fallo::Tiempo(total))?.map_err(Fallo::Fuente)?;
        *body_bytes = listo.len;
        let extra = listo.len / self.opciones.min_bytes_per_second.max(1);
        let total = total + Duration::from_secs(extra);
        let headers = headers_of(envio, &listo)?;
        let request = self.client.post(url.clone()).headers(headers).body(listo.body).send();
        let resto = total.saturating_sub(inicio.elapsed());
        let answer = timeout(resto, request).await.map_err(|_| Fallo::Tiempo(total))?;
        let answer = answer.map_err(|e| listo.fuente.fallo(&e))?;
        // From here on the status is known and is not lost to the clock.
        let para_leer = self.opciones.answer_timeout.min(total.saturating_sub(inicio.elapsed()));
        let ahora = envio.timestamp.saturating_add(inicio.elapsed()).unwrap_or(envio.timestamp);
        Ok(respuesta::leer(answer, ahora, para_leer, &self.opciones).await)
    }
}

fn builder(opciones: &Opciones) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .connect_timeout(opciones.connect_timeout)
        .pool_idle_timeout(POOL_IDLE)
        .tcp_nodelay(true)
        .user_agent(concat!("embudo/", env!("CARGO_PKG_VERSION")))
}

fn builder_with_carried_roots(opciones: &Opciones) -> Result<reqwest::Client, AjusteInvalido> {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let mut tls = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let built = builder(opciones).tls_backend_preconfigured(tls).build();
    built.map_err(|e| AjusteInvalido(fallo::root_cause(&e)))
}

fn headers_of(envio: &Envio, listo: &Listo) -> Result<HeaderMap, Fallo> {
    let id = HeaderValue::from_str(&envio.id).map_err(|_| Fallo::Id)?;
    let mut headers = HeaderMap::new();
    headers.insert("webhook-id", id);
    headers.insert("webhook-timestamp", envio.timestamp.as_second().into());
    if let Some(firma) = &listo.firma {
        headers.insert("webhook-signature", HeaderValue::from_str(firma).expect("base64 fits a header"));
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_LENGTH, listo.len.into());
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_certificates_gets_a_client_all_the_same() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        assert!(builder_with_carried_roots(&Opciones::default()).is_ok());
    }
}
