//! `embudo demo`: the product with an invented company, in a folder of its own.
//!
//! It takes no settings from the environment or from files: these settings belong to a real installation, and would
//! send the demo's mails to real servers.

use std::collections::HashMap;
use std::error::Error;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use clap::Args;

use super::serve::{Dressed, Product, run_dressed};
use crate::data_dir::DataDirLock;
use crate::installation::Surroundings;
use crate::logging;
use crate::settings::{Flags, LogFilter, Settings};

const FOLDER: &str = "embudo-demo";
const PORT: u16 = 8080;

#[derive(Debug, Args)]
pub struct Demo {
    /// Also serve the client's pages, never the panel, to phones in the same network
    #[arg(long)]
    lan: bool,
    /// Start over: remove the demo's folder first
    #[arg(long)]
    reset: bool,
}

impl Demo {
    pub async fn run(&self, flags: &Flags) -> Result<(), Box<dyn Error>> {
        if flags.config.is_some() || flags.database_url.is_some() || !flags.set.is_empty() {
            return Err(
                "demo takes no settings but --bind and --data-dir: it must not reach anything real".into()
            );
        }
        let bind = address(flags.bind.as_deref())?;
        let folder = PathBuf::from(flags.data_dir.as_deref().unwrap_or(FOLDER));
        if self.reset {
            // If a demo still runs there, it holds the lock: then this fails, and the folder is kept.
            if folder.join("serve.lock").exists() {
                drop(DataDirLock::take(&folder)?);
            }
            embudo_demo::reset(&folder)?;
        }
        // Installs the crypto provider for TLS. The call fails if another caller has done it already, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let demo = embudo_demo::Demo::prepare(&folder, bind, self.lan).await?;
        let mut env: HashMap<String, String> =
            demo.settings()?.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        env.insert("BIND".to_owned(), bind.to_string());
        env.insert("DATA_DIR".to_owned(), folder.display().to_string());
        // This folder does not exist, so no `.env` and no `embudo.toml` is read.
        let settings = Settings::load(&Flags::default(), &env, Path::new("/nonexistent"))?;
        let _log = logging::start_log(settings.log_format, &LogFilter::warnings());
        let within = Surroundings { clock: demo.clock(), offline: true };
        let dress = async |product: Product<'_>| {
            let Product { app, router, clients, key } = product;
            let dressed = Box::pin(demo.dress(app, router, clients, key)).await;
            let embudo_demo::Dressed { router, lan, welcome } =
                dressed.map_err(|error| error as Box<dyn Error>)?;
            Ok(Some(Dressed { router, beside: lan, welcome }))
        };
        Box::pin(run_dressed(&settings, within, dress)).await
    }
}

/// A loopback address: the given one, or the usual port, or a free port if that one is in use.
fn address(given: Option<&str>) -> Result<SocketAddr, Box<dyn Error>> {
    let Some(given) = given else {
        let usual = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT));
        return Ok(free(usual).or_else(|_| free(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))))?);
    };
    let bind: SocketAddr = given.parse().map_err(|_| format!("--bind: {given} is no address and port"))?;
    if bind.ip() != Ipv4Addr::LOCALHOST {
        return Err("--bind: the demo serves this machine alone, at 127.0.0.1; --lan opens the client's pages to phones".into());
    }
    Ok(free(bind)?)
}

/// The address with its port, if no other program listens there.
fn free(address: SocketAddr) -> io::Result<SocketAddr> {
    TcpListener::bind(address)?.local_addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_served() {
        assert!(address(Some("0.0.0.0:8080")).is_err());
        assert!(address(Some("nowhere")).is_err());
        assert!(address(Some("127.0.0.1:0")).is_ok_and(|free| free.port() > 0));
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        assert!(address(Some(&taken.local_addr().unwrap().to_string())).is_err());
    }
}
