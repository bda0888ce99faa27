//! A database of its own for each test, and a server of its own for those that end it.

// Every test binary uses a part of this.
#![allow(dead_code)]

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use embudo_store::Store;
use embudo_store_postgres::{Options, PgStore};
use tokio::process::Command;
use tokio_postgres::{Client, NoTls};

/// A plain connection.
pub async fn client(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("the test server answers");
    tokio::spawn(connection);
    client
}

/// The server that the tests run on.
pub fn server() -> String {
    std::env::var("EMBUDO_TEST_PG").expect(
        "EMBUDO_TEST_PG is not set: run ./test, or start a server with scripts/test-postgres start DIR and set it \
         to the URL that prints",
    )
}

/// Ends every other connection to the database of this one.
pub const KILL: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()";

/// How many statements of this connection's database wait for a lock.
pub async fn waiting(client: &Client) -> i64 {
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    client.query_one(sql, &[]).await.expect("answered").get(0)
}

/// An empty database, dropped at the end.
pub struct Base {
    server: String,
    pub name: String,
    pub url: String,
}

impl Base {
    /// On the common server.
    pub async fn new() -> Self {
        Self::on(&server()).await
    }

    pub async fn on(server: &str) -> Self {
        let name = format!("embudo_{}", uuid::Uuid::new_v4().simple());
        client(server).await.batch_execute(&format!("CREATE DATABASE {name}")).await.expect("a database");
        let (base, query) = server.split_once('?').unwrap_or((server, ""));
        let (base, _) = base.rsplit_once('/').expect("a URL with a database");
        let url = format!("{base}/{name}?{query}");
        Self { server: server.to_owned(), name, url }
    }

    pub async fn store(&self) -> PgStore {
        PgStore::connect(&self.url, Options::default()).await.expect("a store")
    }

    /// A plain connection to it.
    pub async fn client(&self) -> Client {
        client(&self.url).await
    }

    /// Until so many statements wait for a lock.
    pub async fn wait_for_locks(&self, many: i64) {
        let client = self.client().await;
        while waiting(&client).await < many {
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        // A runtime of its own: the test's may be ending, and may be this thread's.
        let dropping = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let Ok((client, connection)) = tokio_postgres::connect(&server, NoTls).await else { return };
                tokio::spawn(connection);
                let _ = client.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
            });
        });
        let _ = dropping.join();
    }
}

/// An empty store and its database, for the conformance suite.
pub async fn fresh() -> (Arc<dyn Store>, Base) {
    let base = Base::new().await;
    (Arc::new(base.store().await), base)
}

/// A server of one's own, ended with the test.
pub struct Server {
    dir: tempfile::TempDir,
    is_replicated: bool,
    pub url: String,
}

fn script() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../scripts/test-postgres")
}

impl Server {
    /// Makes and starts one.
    pub async fn start() -> Self {
        Self::made(false).await
    }

    /// One that can have standbys.
    pub async fn replicated() -> Self {
        Self::made(true).await
    }

    async fn made(is_replicated: bool) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let mut server = Self { dir, is_replicated, url: String::new() };
        server.again().await;
        server
    }

    /// The folder of its cluster.
    pub fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// Starts it again after [`Self::stop`], at the same address.
    pub async fn again(&mut self) {
        let mut start = Command::new(script());
        start.arg("start").args(self.is_replicated.then_some("--replicated")).arg(self.dir.path());
        let output = start.stderr(Stdio::inherit()).output().await.expect("the script runs");
        assert!(output.status.success(), "the server starts");
        let url = String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned();
        assert!(self.url.is_empty() || self.url == url, "the server kept its address");
        self.url = url;
    }

    /// Ends it as a crash would.
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
