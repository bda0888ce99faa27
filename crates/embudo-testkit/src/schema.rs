//! A separate PostgreSQL schema for one test, deleted with it.

use tokio_postgres::NoTls;

/// A schema, and the URL that selects it.
pub struct Schema {
    server: String,
    nombre: String,
}

impl Schema {
    /// Creates a schema on the throwaway server of the test run.
    pub async fn create() -> Self {
        let server = std::env::var("EMBUDO_TEST_PG").unwrap_or_else(|_| {
            panic!("EMBUDO_TEST_PG is not set: run the tests with ./test, which starts a PostgreSQL for them")
        });
        let nombre = format!("t_{}", uuid::Uuid::new_v4().simple());
        execute(&server, &format!("CREATE SCHEMA {nombre}")).await;
        Self { server, nombre }
    }

    /// Runs statements in the schema.
    pub async fn execute(&self, sql: &str) {
        execute(&self.url(), sql).await;
    }

    /// A `DATABASE_URL` whose tables live in this schema.
    pub fn url(&self) -> String {
        let union = if self.server.contains('?') { '&' } else { '?' };
        format!("{}{union}options=-csearch_path%3D{}", self.server, self.nombre)
    }
}

async fn execute(url: &str, sql: &str) {
    let (cliente, connection) =
        tokio_postgres::connect(url, NoTls).await.expect("the test PostgreSQL answers");
    let connection = tokio::spawn(connection);
    cliente.batch_execute(sql).await.expect(sql);
    drop(cliente);
    let _ = connection.await;
}

impl Drop for Schema {
    fn drop(&mut self) {
        let (server, sql) = (self.server.clone(), format!("DROP SCHEMA {} CASCADE", self.nombre));
        let handle = std::thread::spawn(move || {
            let engine = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            engine.block_on(execute(&server, &sql));
        });
        // If the test already failed, a second panic here would abort the process and hide the reason.
        let _ = handle.join();
    }
}
