//! `embudo mcp`: the tools of a running server for an assistant on this machine, on standard input and output.
//!
//! It calls the server's API and holds no data of its own. Nothing but the protocol is written to standard output.

use std::error::Error;

use clap::Args;
use embudo_mcp::{Remote, Toolbox, serve_stdio};

use super::ping::here;
use crate::data_dir::stored_key;
use crate::settings::Settings;

/// Which server, and the key for it. The key is no flag: others on the machine could read it there.
#[derive(Debug, Args)]
pub struct Mcp {
    /// Where the server is, such as `https://leads.example.com`; without it, the one of these settings on this machine
    #[arg(long, value_name = "URL", env = "EMBUDO_URL")]
    url: Option<String>,
}

/// The environment variable with the key.
const KEY: &str = "EMBUDO_API_KEY";

impl Mcp {
    /// Serves until the client closes standard input.
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        // Installs the crypto provider for TLS. The call fails if another caller has done it already, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let own = || format!("http://{}", here(settings.bind));
        let remote = Remote::new(&self.url.clone().unwrap_or_else(own), &self.key(settings)?)?;
        Ok(serve_stdio(Toolbox::of(&embudo_api::openapi::document()), remote).await?)
    }

    /// The key in [`KEY`], or else the key of the server on this machine, which is never sent to an address given by
    /// `--url` or `EMBUDO_URL`.
    fn key(&self, settings: &Settings) -> Result<String, String> {
        if let Some(key) = std::env::var(KEY).ok().filter(|key| !key.trim().is_empty()) {
            return Ok(key.trim().to_owned());
        }
        let own = match (&self.url, &settings.funnel_api_key) {
            (Some(_), _) => None,
            (None, Some(key)) => Some(key.expose().to_owned()),
            (None, None) => stored_key(&settings.data_dir).map_err(|error| error.to_string())?,
        };
        own.ok_or_else(|| format!("no key is known: put a key of a company, or the server's, into {KEY}"))
    }
}
