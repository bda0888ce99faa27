//! Who calls: finds the client's address behind trusted proxies, and counts wrong keys for each address.

use std::net::IpAddr;
use std::time::Instant;

use http::request::Parts;
use http::{Extensions, HeaderMap, Request};
use ipnet::IpNet;

use crate::client_address::{client_address, is_trusted};
use crate::key_limits::WrongKeys;
use crate::{Limited, Peer};

/// One for the whole server, so that a wrong pass in a page's address counts like a wrong key of the API.
#[derive(Debug, Default)]
pub struct Callers {
    proxies: Vec<IpNet>,
    guesses: WrongKeys,
}

impl Callers {
    /// `proxies` are the trusted proxies: only their forwarding headers count.
    #[must_use]
    pub fn new(proxies: Vec<IpNet>) -> Self {
        Self { proxies, guesses: WrongKeys::default() }
    }

    /// With another limit of wrong keys per minute, for tests.
    #[must_use]
    pub fn with_limit(self, wrong_keys: u32) -> Self {
        Self { guesses: WrongKeys::new(wrong_keys), ..self }
    }

    /// The client's address.
    #[must_use]
    pub fn address(&self, parts: &Parts) -> IpAddr {
        client_address(&parts.extensions, &parts.headers, &self.proxies)
    }

    /// Like `address`, for a whole request.
    #[must_use]
    pub fn address_of<B>(&self, request: &Request<B>) -> IpAddr {
        client_address(request.extensions(), request.headers(), &self.proxies)
    }

    /// Counts a wrong key, or a guess of another kind, against the client's address.
    ///
    /// # Errors
    /// [`Limited`] when there were too many.
    pub fn guessed(&self, parts: &Parts) -> Result<(), Limited> {
        self.guessed_from(self.address(parts))
    }

    /// Like `guessed`, for an address that is known.
    ///
    /// # Errors
    /// [`Limited`] when there were too many.
    pub fn guessed_from(&self, address: IpAddr) -> Result<(), Limited> {
        self.guesses.record(address, Instant::now())
    }

    /// Whether the client used https: the proxy in front says so, and it is a trusted one.
    #[must_use]
    pub fn by_https(&self, extensions: &Extensions, headers: &HeaderMap) -> bool {
        let peer = extensions.get::<Peer>().map(|peer| peer.0.ip().to_canonical());
        peer.is_some_and(|ip| is_trusted(ip, &self.proxies))
            && headers.get("x-forwarded-proto").is_some_and(|v| v.as_bytes().eq_ignore_ascii_case(b"https"))
    }
}
