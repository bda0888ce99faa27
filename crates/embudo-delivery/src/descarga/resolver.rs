//! From names to addresses.

use std::error::Error;
use std::io;
use std::net::IpAddr;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Finds the addresses of a name. Asked once for each fetch; never for an address written as such.
#[async_trait]
pub trait Resolver: Send + Sync + 'static {
    /// All addresses of `nombre`. None at all is the same as an error.
    async fn resolve(&self, nombre: &str) -> io::Result<Vec<IpAddr>>;
}

/// The machine's own resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sistema;

#[async_trait]
impl Resolver for Sistema {
    async fn resolve(&self, nombre: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((nombre, 0)).await?.map(|a| a.ip()).collect())
    }
}

/// Resolves nothing. The HTTP client is given its addresses; should it ever ask for a name, the answer is no.
pub(super) struct Ninguno;

impl Resolve for Ninguno {
    fn resolve(&self, _: Name) -> Resolving {
        let no: Result<Addrs, Box<dyn Error + Send + Sync>> = Err("names are resolved before".into());
        Box::pin(std::future::ready(no))
    }
}
