//! A PostgreSQL database for one test, dropped with it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use tokio::sync::OnceCell;
use tokio_postgres::{Client, NoTls};

/// The advisory lock while the template is made, because several test programs may start at once. The number only must
/// not be used by anything else on the server.
const LOCK: i64 = 0x656d_6275_646f_7470;

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
         to the URL that it prints",
    )
}

/// A database, dropped at the end.
pub struct PgDatabase {
    server: String,
    pub name: String,
    pub url: String,
}

impl PgDatabase {
    /// An empty database on this server.
    pub async fn empty(server: &str) -> Self {
        Self::create(server, "").await
    }

    /// A database on the common server that `migrate` has migrated; `migrate` gets the URL of the template.
    pub async fn prepared(migrate: impl AsyncFnOnce(String)) -> Self {
        static TEMPLATE: OnceCell<String> = OnceCell::const_new();
        let server = server();
        let template = TEMPLATE.get_or_init(async || prepare(&server, migrate).await).await;
        // Copying files is three times as quick as writing every page to the log, as long as the server runs without
        // fsync.
        Self::create(&server, &format!("TEMPLATE {template} STRATEGY file_copy")).await
    }

    async fn create(server: &str, how: &str) -> Self {
        let name = format!("embudo_{}", uuid::Uuid::new_v4().simple());
        client(server)
            .await
            .batch_execute(&format!("CREATE DATABASE {name} {how}"))
            .await
            .expect("a database");
        Self { server: server.to_owned(), url: url_of(server, &name), name }
    }

    /// A plain connection to this database.
    pub async fn client(&self) -> Client {
        client(&self.url).await
    }
}

/// The template of this test program. Its name depends on the build, so that a server that outlives a test run never
/// provides old tables.
async fn prepare(server: &str, migrate: impl AsyncFnOnce(String)) -> String {
    let name = format!("embudo_template_{:016x}", this_build());
    let admin = client(server).await;
    let known = format!("SELECT FROM pg_database WHERE datname = '{name}'");
    admin.batch_execute(&format!("SELECT pg_advisory_lock({LOCK})")).await.expect("the lock");
    if admin.query_opt(known.as_str(), &[]).await.expect("answered").is_none() {
        // The template gets its name only when it is complete.
        let making = format!("{name}_new");
        admin
            .batch_execute(&format!("DROP DATABASE IF EXISTS {making}"))
            .await
            .expect("the rest of a killed run goes");
        admin.batch_execute(&format!("CREATE DATABASE {making}")).await.expect("a database");
        migrate(url_of(server, &making)).await;
        // The connection that migrated may still be closing, and a database that is in use cannot be renamed.
        let end = format!(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{making}'"
        );
        admin.batch_execute(&end).await.expect("its connections end");
        admin.batch_execute(&format!("ALTER DATABASE {making} RENAME TO {name}")).await.expect("renamed");
    }
    admin.batch_execute(&format!("SELECT pg_advisory_unlock({LOCK})")).await.expect("unlocked");
    name
}

fn this_build() -> u64 {
    let program = std::env::current_exe().expect("the test program");
    let built = program.metadata().and_then(|m| m.modified()).expect("the time of its build");
    let mut hasher = DefaultHasher::new();
    (program, built).hash(&mut hasher);
    hasher.finish()
}

/// The URL of another database on the server.
fn url_of(server: &str, name: &str) -> String {
    let (base, query) = server.split_once('?').unwrap_or((server, ""));
    let (base, _) = base.rsplit_once('/').expect("a URL with a database");
    format!("{base}/{name}?{query}")
}

impl Drop for PgDatabase {
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        // A runtime of its own: the test's runtime may be ending, and may belong to this thread.
        let dropping = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let Ok((client, connection)) = tokio_postgres::connect(&server, NoTls).await else { return };
                tokio::spawn(connection);
                let _ = client.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
            });
        });
        // A test that already failed must not abort here and hide its reason.
        let _ = dropping.join();
    }
}
