//! A database for each test, and a separate server for tests that stop it.

use std::ops::Deref;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use embudo_store::Store;
use embudo_store_postgres::{Options, PgStore};
use embudo_store_prepared::PgDatabase;
pub use embudo_store_prepared::{client, server};
use tokio::process::Command;
use tokio_postgres::Client;

/// Terminates every other connection to the database of this connection.
pub const KILL: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()";

/// How many statements of this connection's database wait for a lock.
pub async fn waiting(client: &Client) -> i64 {
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    client.query_one(sql, &[]).await.expect("answered").get(0)
}

/// A database of a test's own, dropped at the end.
pub struct Base(PgDatabase);

impl Deref for Base {
    type Target = PgDatabase;

    fn deref(&self) -> &PgDatabase {
        &self.0
    }
}

impl Base {
    /// A database on the common server, with tables.
    pub async fn new() -> Self {
        let migrate = async |url: String| _ = PgStore::migrate(&url).await.expect("migrated");
        Self(PgDatabase::prepared(migrate).await)
    }

    /// A database on the common server, without tables.
    pub async fn empty() -> Self {
        Self(PgDatabase::empty(&server()).await)
    }

    pub async fn store(&self) -> PgStore {
        PgStore::connect(&self.url, Options::default()).await.expect("a store")
    }

    /// Waits until this many statements wait for a lock.
    pub async fn wait_for_locks(&self, many: i64) {
        let client = self.client().await;
        while waiting(&client).await < many {
            tokio::task::yield_now().await;
        }
    }
}

/// An empty store and its database, for the conformance suite.
pub async fn fresh() -> (Arc<dyn Store>, Base) {
    let base = Base::new().await;
    (Arc::new(base.store().await), base)
}

/// A server for one test, stopped at its end.
pub struct Server {
    dir: tempfile::TempDir,
    is_replicated: bool,
    pub url: String,
}

fn script() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../scripts/test-postgres")
}

impl Server {
    /// Makes and starts a server.
    pub async fn start() -> Self {
        Self::made(false).await
    }

    /// A server that can have standbys.
    pub async fn replicated() -> Self {
        Self::made(true).await
    }

    async fn made(is_replicated: bool) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let mut server = Self { dir, is_replicated, url: String::new() };
        server.again().await;
        server
    }

    /// The data folder of its cluster.
    pub fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// Starts the server again after [`Self::stop`], at the same address.
    pub async fn again(&mut self) {
        let mut start = Command::new(script());
        start.arg("start").args(self.is_replicated.then_some("--replicated")).arg(self.dir.path());
        let output = start.stderr(Stdio::inherit()).output().await.expect("the script runs");
        assert!(output.status.success(), "the server starts");
        let url = String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned();
        assert!(self.url.is_empty() || self.url == url, "the server kept its address");
        self.url = url;
    }

    /// Stops the server as a crash would.
    pub async fn stop(&self) {
        let status = Command::new(script()).arg("stop").arg(self.dir.path()).status().await;
        assert!(status.expect("the script runs").success(), "the server ends");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = std::process::Command::new(script()).arg("stop").arg(self.dir.path()).output();
    }
}
