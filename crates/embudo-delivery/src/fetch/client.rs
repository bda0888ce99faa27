//! The HTTP clients of fetches: each fetch has its own, which can reach only fixed addresses.

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderValue};
use reqwest::{Client, ClientBuilder};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use super::destination::{Destination, Target};
use super::resolver::NoResolver;
use super::{FetchFailure, MAX_DEADLINE};
use crate::InvalidSetting;

/// Makes clients. The trusted certificates are read once, so that a further client is cheap.
#[derive(Clone)]
pub(super) struct Clients {
    tls: Arc<ClientConfig>,
}

impl Clients {
    pub(super) fn new(ca_pem: Option<&[u8]>) -> Result<Self, InvalidSetting> {
        let extra = ca_pem.map(certificates).transpose()?.unwrap_or_default();
        let provider = Arc::new(ring::default_provider());
        let mut tls = config(&extra, provider)
            .map_err(|e| InvalidSetting(format!("the trusted certificates cannot be used: {e}")))?;
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { tls: Arc::new(tls) })
    }

    /// A client that can reach these addresses and no other.
    pub(super) fn client_for(
        &self,
        destination: &Destination,
        addresses: &[SocketAddr],
    ) -> Result<Client, FetchFailure> {
        let headers = HeaderMap::from_iter([
            (ACCEPT, HeaderValue::from_static("image/*")),
            (ACCEPT_ENCODING, HeaderValue::from_static("identity")),
        ]);
        let builder = self.builder(destination, addresses).timeout(MAX_DEADLINE).default_headers(headers);
        builder.build().map_err(|_| FetchFailure::Address)
    }

    /// Like `client_for`, for a message. Its sender sets the total time-out.
    pub(super) fn receiver_client(
        &self,
        destination: &Destination,
        addresses: &[SocketAddr],
    ) -> Result<Client, FetchFailure> {
        let builder = self.builder(destination, addresses).connect_timeout(MAX_DEADLINE);
        builder.build().map_err(|_| FetchFailure::Address)
    }

    fn builder(&self, destination: &Destination, addresses: &[SocketAddr]) -> ClientBuilder {
        let builder = Client::builder()
            .dns_resolver(NoResolver)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .referer(false)
            .http1_only()
            .pool_max_idle_per_host(0)
            .user_agent(concat!("embudo/", env!("CARGO_PKG_VERSION")))
            .tls_backend_preconfigured((*self.tls).clone());
        match &destination.place {
            Target::Nombre(nombre) => builder.resolve_to_addrs(nombre, addresses),
            Target::Ip(_) => builder,
        }
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, InvalidSetting> {
    let unreadable = || InvalidSetting("the CA file holds no readable PEM certificate".to_owned());
    let parsed: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    parsed.ok().filter(|c| !c.is_empty()).ok_or_else(unreadable)
}

/// The machine's authorities and the extra ones; on a slim machine that has none, the public ones that we carry.
fn config(
    extra: &[CertificateDer<'static>],
    provider: Arc<CryptoProvider>,
) -> Result<ClientConfig, rustls::Error> {
    let builder =
        ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    if let Ok(verifier) = Verifier::new_with_extra_roots(extra.iter().cloned(), provider) {
        let dangerous = builder.dangerous();
        return Ok(dangerous.with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth());
    }
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificate in extra {
        roots.add(certificate.clone())?;
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
