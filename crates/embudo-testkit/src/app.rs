//! The application on one of the two engines, without a server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use embudo_app::{App, Clock, KnownBy, Outbound};
use embudo_blobs::{Blobs, DatabaseId};
use embudo_domain::empresa::Empresa;
use embudo_domain::ingesta::Ingesta;
use embudo_domain::lead::NewLead;
use embudo_domain::notice::Topics;
use embudo_domain::record::LeadRecord;
use embudo_domain::{Body, EmpresaId, LeadId};
use embudo_store::{Outcome, Store};
use embudo_store_postgres::PgStore;
use embudo_store_prepared::{PgDatabase, copy_prepared};
use embudo_store_sqlite::SqliteStore;
use serde_json::{Value, json};

/// A database engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    /// PostgreSQL, on the throwaway server of the test run.
    Postgres,
}

/// An application with its own database and blobs. Dropping it deletes both.
pub struct TestApp {
    pub app: App,
    pub empresa: Empresa,
    pub(crate) database: Option<Arc<PgDatabase>>,
    pub(crate) folder: Arc<tempfile::TempDir>,
}

impl TestApp {
    pub(crate) async fn open(engine: Engine, outbound: Outbound, clock: Arc<dyn Clock>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (store, database) = open_store(engine, folder.path()).await;
        let blobs = Blobs::folder(&folder.path().join("blobs"), DatabaseId::new(&[1; 32])).unwrap();
        let empresa = Empresa {
            id: EmpresaId(uuid::Uuid::now_v7()),
            nombre: "Reformas Peña".into(),
            slug: "reformas-pena".into(),
            por_defecto: true,
            email_avisos: None,
            notices: true,
            topics: Topics::ALL,
            personal_topics: Topics::NONE,
        };
        let app = App::with_clock(store, blobs, outbound, clock).with_cheap_passwords();
        let empresa = app.store.ensure_default_empresa(empresa, app.now()).await.unwrap();
        Self { app, empresa, database: database.map(Arc::new), folder: Arc::new(folder) }
    }

    /// An application like that of a second process: it has the same store, blobs and secrets, but does not share this
    /// application's state in memory.
    pub(crate) fn beside(&self, outbound: Outbound, clock: Arc<dyn Clock>) -> Self {
        let outbound = Outbound { passes: self.app.outbound.passes.clone(), ..outbound };
        let app = App::with_clock(Arc::clone(&self.app.store), self.app.blobs.clone(), outbound, clock);
        let (database, folder) = (self.database.clone(), Arc::clone(&self.folder));
        Self { app: app.with_cheap_passwords(), empresa: self.empresa.clone(), database, folder }
    }

    /// Runs statements directly on the database, without the application. Only on PostgreSQL.
    pub async fn sql(&self, text: &str) {
        let client = self.database.as_ref().expect("PostgreSQL").client().await;
        client.batch_execute(text).await.expect(text);
    }

    /// The engine on which the application runs.
    pub fn engine(&self) -> Engine {
        if self.database.is_some() { Engine::Postgres } else { Engine::Sqlite }
    }

    /// The folder of the blobs on the disk.
    pub fn blobs_folder(&self) -> PathBuf {
        self.folder.path().join("blobs")
    }

    /// Creates a lead «Ana García».
    pub async fn new_lead(&self) -> LeadId {
        self.new_lead_with(json!({})).await
    }

    /// Creates a lead. These fields replace or complete the default ones.
    pub async fn new_lead_with(&self, fields: Value) -> LeadId {
        let new = NewLead::read(lead_body(fields).to_string().as_bytes()).unwrap();
        match self.app.leads().create(new, None).await.unwrap().outcome {
            Outcome::LeadCreated { id } => id,
            other => panic!("{other:?}"),
        }
    }

    /// Calls ingestion with the body of the endpoint.
    pub async fn ingest(&self, lead: LeadId, body: Value) -> Outcome {
        let ingesta = Ingesta::read(body.to_string().as_bytes()).unwrap();
        self.app.ingesta().ingest(lead, ingesta, KnownBy::Nothing).await.unwrap().outcome
    }

    /// The complete record of a lead.
    pub async fn record(&self, lead: LeadId) -> LeadRecord {
        self.app.store.record(lead).await.unwrap()
    }
}

/// The body that creates «Ana García». These fields replace or complete the default ones.
pub(crate) fn lead_body(fields: Value) -> Value {
    let mut body = json!({ "nombre": "Ana García", "telefono": "612 34 56 78", "email": "ana@ejemplo.es" });
    let Value::Object(fields) = fields else { panic!("an object") };
    body.as_object_mut().unwrap().extend(fields);
    body
}

async fn open_store(engine: Engine, folder: &Path) -> (Arc<dyn Store>, Option<PgDatabase>) {
    match engine {
        Engine::Sqlite => {
            let (path, options) = (folder.join("embudo.db"), embudo_store_sqlite::Options::default());
            copy_prepared(&path, |path| _ = SqliteStore::migrate(path, &options).unwrap());
            (SqliteStore::shared(&path, &options).unwrap(), None)
        }
        Engine::Postgres => {
            let database = PgDatabase::prepared(async |url| _ = PgStore::migrate(&url).await.unwrap()).await;
            let store = PgStore::shared(&database.url, embudo_store_postgres::Options::default()).await;
            (store.unwrap(), Some(database))
        }
    }
}
