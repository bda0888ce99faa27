//! The HTTP clients of fetches: each fetch has its own, which can reach only fixed addresses.

use std::net::SocketAddr;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderValue};
use reqwest::{Client, ClientBuilder};

use super::destination::{Destination, Target};
use super::resolver::NoResolver;
use super::{FetchFailure, MAX_DEADLINE};
use crate::InvalidSetting;
use crate::trust::LazyTls;

/// Makes clients. The trusted certificates are read once, so that a further client is cheap.
#[derive(Clone)]
pub(super) struct Clients {
    tls: LazyTls,
}

impl Clients {
    pub(super) fn new(ca_pem: Option<&[u8]>) -> Result<Self, InvalidSetting> {
        Ok(Self { tls: LazyTls::new(&["http/1.1"], ca_pem)? })
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
            .tls_backend_preconfigured(self.tls.config().clone());
        match &destination.place {
            Target::Nombre(nombre) => builder.resolve_to_addrs(nombre, addresses),
            Target::Ip(_) => builder,
        }
    }
}
