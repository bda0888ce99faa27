//! A PostgreSQL schema of a test's own, dropped with it.

use tokio_postgres::NoTls;

/// The schema and the URL that leads into it.
pub struct Schema {
    servidor: String,
    nombre: String,
}

impl Schema {
    /// Makes one on the throwaway server of the test run.
    pub async fn crear() -> Self {
        let servidor = std::env::var("EMBUDO_TEST_PG").unwrap_or_else(|_| {
            panic!("EMBUDO_TEST_PG is not set: run the tests with ./test, which starts a PostgreSQL for them")
        });
        let nombre = format!("t_{}", uuid::Uuid::new_v4().simple());
        execute(&servidor, &format!("CREATE SCHEMA {nombre}")).await;
        Self { servidor, nombre }
    }

    /// A `DATABASE_URL` whose tables live in this schema.
    pub fn url(&self) -> String {
        let union = if self.servidor.contains('?') { '&' } else { '?' };
        format!("{}{union}options=-csearch_path%3D{}", self.servidor, self.nombre)
    }
}

async fn execute(url: &str, sql: &str) {
    let (cliente, conexion) = tokio_postgres::connect(url, NoTls).await.expect("the test PostgreSQL answers");
    let conexion = tokio::spawn(conexion);
    cliente.batch_execute(sql).await.expect(sql);
    drop(cliente);
    let _ = conexion.await;
}

impl Drop for Schema {
    fn drop(&mut self) {
        let (servidor, sql) = (self.servidor.clone(), format!("DROP SCHEMA {} CASCADE", self.nombre));
        let hilo = std::thread::spawn(move || {
            let motor = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            motor.block_on(execute(&servidor, &sql));
        });
        // A test that already failed must not abort here and hide its reason.
        let _ = hilo.join();
    }
}
