//! The services that Embudo is measured against, as a good team would write them: `bench/peers` has their sources,
//! `bench/lib.sh` builds and installs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Result;
use crate::server::{Server, Starter, clean};

/// Where the peers are.
#[derive(clap::Args, Clone, Default)]
pub struct Peers {
    /// Folder of the peers' sources, with Node's packages installed.
    #[arg(long, default_value = "bench/peers")]
    peers: PathBuf,
    /// The axum peer's program.
    #[arg(long, default_value = "target/peer-axum-sqlx/release/embudo-peer-axum-sqlx")]
    axum_sqlx: PathBuf,
    /// A Python with the FastAPI peer's packages.
    #[arg(long, default_value = "target/venv-fastapi/bin/python")]
    fastapi_python: PathBuf,
}

impl Starter {
    pub fn axum_sqlx(&self, url: &str) -> Result<Server> {
        let mut command = Command::new(absolute(&self.peers.axum_sqlx)?);
        clean(&mut command);
        command.env("DATABASE_URL", url);
        tune(&mut command, "AXUM", &["POOL"]);
        self.start("axum-sqlx", command, "/readyz")
    }

    pub fn fastapi(&self, url: &str) -> Result<Server> {
        let mut command = Command::new(absolute(&self.peers.fastapi_python)?);
        clean(&mut command);
        command.arg("server.py").current_dir(self.peers.peers.join("fastapi"));
        command.env("DATABASE_URL", url).env("PYTHONDONTWRITEBYTECODE", "1");
        tune(&mut command, "FASTAPI", &["WORKERS", "POOL"]);
        self.start("fastapi", command, "/readyz")
    }

    pub fn fastify(&self, url: &str) -> Result<Server> {
        let mut command = self.node("fastify", url);
        tune(&mut command, "FASTIFY", &["WORKERS", "POOL"]);
        self.start("fastify", command, "/readyz")
    }

    /// pg-boss, which posts what is in the file `payload` to `receiver`.
    pub fn pg_boss(&self, url: &str, receiver: &str, payload: &Path) -> Result<Server> {
        let mut command = self.node("pg-boss", url);
        command.env("RECEIVER", receiver).env("PAYLOAD", payload);
        tune(&mut command, "PGBOSS", &["PROCESSES", "WORKERS", "BATCH", "POOL"]);
        self.start("pg-boss", command, "/readyz")
    }

    fn node(&self, folder: &str, url: &str) -> Command {
        let mut command = Command::new("node");
        clean(&mut command);
        command.arg("server.mjs").current_dir(self.peers.peers.join(folder));
        command.env("NODE_ENV", "production").env("DATABASE_URL", url);
        command
    }
}

/// Makes a path absolute without following symbolic links, because the Python of a virtual environment is a symbolic
/// link.
fn absolute(program: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(program)?;
    if path.exists() {
        Ok(path)
    } else {
        Err(format!("{} is not there: see bench/lib.sh", path.display()).into())
    }
}

/// Passes settings of a peer from the caller's shell to the peer, for example `FASTIFY_POOL` as `POOL`.
fn tune(command: &mut Command, peer: &str, names: &[&str]) {
    for name in names {
        if let Ok(value) = std::env::var(format!("{peer}_{name}")) {
            command.env(name, value);
        }
    }
}
