//! Fetches URLs that come from outside, without letting their senders reach into our network.
//!
//! The sender of a photo's URL chooses where we connect. So the address is decided **once**, before anything is sent:
//! the host is resolved a single time, every answer must be a public address (or be opened by the operator's
//! [`Rules`]), and the connection goes to those addresses and nowhere else. A fetch resolves no name twice, because the
//! second answer could differ (DNS rebinding). Redirects are not followed, proxies and cookies are not used.
//!
//! Nothing is kept between two fetches, and the content is not examined: the caller finds out whether it is a picture.
//! The operator's own receivers are not called from here: see [`webhook`](crate::webhook).

mod client;
mod destination;
mod failure;
mod global;
mod resolver;
mod rules;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::CONTENT_ENCODING;
use reqwest::{Client, Response};
use tokio::time::timeout;
use url::Url;

use crate::InvalidSetting;
use client::Clients;
use destination::{Destination, Target};

pub use failure::FetchFailure;
pub use global::is_global;
pub use resolver::{Resolver, SystemResolver};
pub use rules::{Allowed, Rules};

/// The longest time of one fetch, from the name's resolution to the last byte.
pub const MAX_DEADLINE: Duration = Duration::from_secs(10);
/// The largest body that is accepted.
pub const BYTES_MAX: usize = 15 * 1024 * 1024;

/// The guarded client. Cheap to clone.
#[derive(Clone)]
pub struct Fetcher {
    rules: Arc<Rules>,
    resolver: Arc<dyn Resolver>,
    clients: Clients,
}

impl Fetcher {
    /// A client that resolves names as the machine does. Fails on certificates that cannot be read.
    pub fn new(rules: Rules) -> Result<Self, InvalidSetting> {
        Self::with_resolver(rules, Arc::new(SystemResolver::default()))
    }

    /// A client with another way to resolve names.
    pub fn with_resolver(rules: Rules, resolver: Arc<dyn Resolver>) -> Result<Self, InvalidSetting> {
        let clients = Clients::new(rules.ca_pem.as_deref())?;
        Ok(Self { rules: Arc::new(rules), resolver, clients })
    }

    /// Fetches once. The whole fetch takes at most `deadline`, and never more than [`MAX_DEADLINE`]; a deadline of zero
    /// fails before anything is begun.
    pub async fn fetch(&self, url: &str, deadline: Duration) -> Result<Bytes, FetchFailure> {
        let destination = Destination::from_error(url)?;
        if deadline.is_zero() {
            return Err(FetchFailure::Time);
        }
        let all = self.fetch_from(destination);
        timeout(deadline.min(MAX_DEADLINE), all).await.unwrap_or(Err(FetchFailure::Time))
    }

    /// Whether the rules allow at this moment to send a message to a URL that somebody typed.
    pub async fn check_receiver(&self, url: &str) -> Result<(), FetchFailure> {
        timeout(MAX_DEADLINE, self.receiver(url)).await.unwrap_or(Err(FetchFailure::Time)).map(drop)
    }

    /// A client that can reach the receiver of a message and no other server. Messages go by https, except to hosts
    /// that the operator opened.
    pub(crate) async fn receiver(&self, url: &str) -> Result<(Client, Url), FetchFailure> {
        let destination = Destination::from_error(url)?;
        if !self.rules.can_open(destination.port) {
            return Err(FetchFailure::Port);
        }
        let addresses = self.resolve(&destination).await?;
        let (nombre, port) = (destination.place.nombre(), destination.port);
        let is_opened = || addresses.iter().all(|a| self.rules.is_opened(nombre, a.ip(), port));
        if destination.url.scheme() != "https" && !is_opened() {
            return Err(FetchFailure::Plain);
        }
        let client = self.clients.receiver_client(&destination, &addresses)?;
        Ok((client, destination.url))
    }

    async fn fetch_from(&self, destination: Destination) -> Result<Bytes, FetchFailure> {
        if !self.rules.can_open(destination.port) {
            return Err(FetchFailure::Port);
        }
        let addresses = self.resolve(&destination).await?;
        let client = self.clients.client_for(&destination, &addresses)?;
        let answer = client.get(destination.url).send().await.map_err(|e| FetchFailure::from_error(&e))?;
        read(answer).await
    }

    /// The addresses to connect to. If one address is not allowed, the fetch is refused: a name with a public and a
    /// private answer is an attack, or a mistake that would fail every other time.
    async fn resolve(&self, destination: &Destination) -> Result<Vec<SocketAddr>, FetchFailure> {
        let ips: Vec<IpAddr> = match &destination.place {
            Target::Ip(ip) => vec![*ip],
            Target::Nombre(nombre) => {
                self.resolver.resolve(nombre).await.map_err(|_| FetchFailure::NoServer)?
            }
        };
        if ips.is_empty() {
            return Err(FetchFailure::NoServer);
        }
        for ip in &ips {
            self.rules.accepts(destination.place.nombre(), *ip, destination.port)?;
        }
        Ok(ips.into_iter().map(|ip| SocketAddr::new(ip, destination.port)).collect())
    }
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Descargas").field("permitidos", &self.rules.allowed).finish_non_exhaustive()
    }
}

/// Reads a body as it is sent, and counts its bytes.
async fn read(mut answer: Response) -> Result<Bytes, FetchFailure> {
    let status = answer.status();
    if status.is_redirection() {
        return Err(FetchFailure::Redirects);
    }
    if status.as_u16() != 200 {
        return Err(FetchFailure::State(status.as_u16()));
    }
    // Nothing is decompressed here, so that a small answer cannot become a huge one; we asked for no compression.
    if answer.headers().get(CONTENT_ENCODING).is_some_and(|v| !v.as_bytes().eq_ignore_ascii_case(b"identity"))
    {
        return Err(FetchFailure::Compressed);
    }
    let declared = answer.content_length();
    if declared.is_some_and(|n| n > BYTES_MAX as u64) {
        return Err(FetchFailure::Big);
    }
    // The declared length is trusted only for the size of a first, small buffer.
    let initial = declared.unwrap_or(0).min(1024 * 1024);
    let mut body = BytesMut::with_capacity(usize::try_from(initial).expect("a megabyte"));
    while let Some(chunk) = answer.chunk().await.map_err(|e| FetchFailure::from_error(&e))? {
        if body.len() + chunk.len() > BYTES_MAX {
            return Err(FetchFailure::Big);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}
