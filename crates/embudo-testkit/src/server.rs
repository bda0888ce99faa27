//! The started server.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use embudo_app::{App, Outbound, Reloj, RelojDelSistema};
use embudo_blobs::{Blobs, DatabaseId};
use embudo_delivery::Webhooks;
use embudo_delivery::descarga::{Descargas, Reglas};
use embudo_domain::EmpresaId;
use embudo_domain::empresa::Empresa;
use embudo_door::{ApiKeys, Callers, Limits, serve};
use embudo_http::{HttpSettings, HttpState, router, unknown_route};
use embudo_store::Store;
use embudo_store_postgres::PgStore;
use embudo_store_sqlite::SqliteStore;
use embudo_web::{WebSettings, WebState};
use ipnet::IpNet;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::client::Answered;
use crate::schema::Schema;

/// The API key of every test server.
pub const KEY: &str = "clave-de-pruebas";

/// A database engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// The embedded one.
    Sqlite,
    /// The throwaway server of the test run.
    Postgres,
}

/// How a server is set up, where a test wants it other than usual.
pub struct Setup {
    /// The engine.
    pub engine: Engine,
    /// The API's settings.
    pub ajustes: HttpSettings,
    /// The pages' settings.
    pub web: WebSettings,
    /// Proxies that are believed.
    pub proxies: Vec<IpNet>,
    /// The door's times and counts.
    pub limites: Limits,
    /// The clock.
    pub reloj: Arc<dyn Reloj>,
    /// What leaves the house; nothing unless a test says so.
    pub outbound: Outbound,
}

impl Setup {
    /// The usual set-up.
    pub fn en(engine: Engine) -> Self {
        let llaves = ApiKeys::new(KEY, None).unwrap();
        let webhooks = Webhooks::new(embudo_delivery::webhook::Opciones::default()).unwrap();
        Self {
            engine,
            ajustes: HttpSettings::new(llaves),
            web: WebSettings::default(),
            proxies: Vec::new(),
            limites: Limits::default(),
            reloj: Arc::new(RelojDelSistema),
            outbound: Outbound::ninguna(webhooks, Descargas::new(Reglas::default()).unwrap()),
        }
    }

    /// Starts it.
    pub async fn arrancar(self) -> Server {
        let carpeta = tempfile::tempdir().unwrap();
        let (store, schema) = self.abrir(carpeta.path()).await;
        let blobs = Blobs::carpeta(&carpeta.path().join("blobs"), DatabaseId::new(&[1; 32])).unwrap();
        let empresa = Empresa {
            id: EmpresaId(uuid::Uuid::now_v7()),
            nombre: "Reformas Peña".into(),
            slug: "reformas-pena".into(),
            por_defecto: true,
            email_avisos: None,
            avisos: true,
        };
        let app = App::con_reloj(store, blobs, self.outbound, self.reloj);
        let empresa = app.store.ensure_default_empresa(empresa, app.ahora()).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let direccion = listener.local_addr().unwrap();
        let (parar, parado) = oneshot::channel::<()>();
        let callers = Arc::new(Callers::new(self.proxies));
        let pages = embudo_web::router(WebState::new(app.clone(), self.web, callers.clone()), unknown_route);
        let rutas = router(HttpState::new(app.clone(), self.ajustes, callers), pages);
        let tarea = tokio::spawn(async move {
            let parado = async { drop(parado.await) };
            serve(listener, rutas, self.limites, parado).await.expect("the server drains");
        });
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cliente = reqwest::Client::builder().no_proxy().build().unwrap();
        Server { app, empresa, direccion, cliente, parar: Some(parar), tarea: Some(tarea), schema, carpeta }
    }

    async fn abrir(&self, carpeta: &Path) -> (Arc<dyn Store>, Option<Schema>) {
        match self.engine {
            Engine::Sqlite => {
                let store =
                    SqliteStore::open(&carpeta.join("embudo.db"), &embudo_store_sqlite::Opciones::default());
                (Arc::new(store.unwrap()), None)
            }
            Engine::Postgres => {
                let schema = Schema::crear().await;
                let store = PgStore::connect(&schema.url(), embudo_store_postgres::Opciones::default()).await;
                (Arc::new(store.unwrap()), Some(schema))
            }
        }
    }
}

/// A running server with its own database and blobs.
pub struct Server {
    /// The application behind it.
    pub app: App,
    /// Its default company.
    pub empresa: Empresa,
    /// Where it listens.
    pub direccion: SocketAddr,
    /// A client for calls that the helpers here do not cover.
    pub cliente: reqwest::Client,
    parar: Option<oneshot::Sender<()>>,
    tarea: Option<JoinHandle<()>>,
    schema: Option<Schema>,
    carpeta: tempfile::TempDir,
}

impl Server {
    /// Starts the usual server on this engine.
    pub async fn arrancar(engine: Engine) -> Self {
        Setup::en(engine).arrancar().await
    }

    /// Which engine it runs on.
    pub fn engine(&self) -> Engine {
        if self.schema.is_some() { Engine::Postgres } else { Engine::Sqlite }
    }

    /// The folder of the blobs, as an operator sees it.
    pub fn blobs_folder(&self) -> PathBuf {
        self.carpeta.path().join("blobs")
    }

    /// The address of a path.
    pub fn url(&self, ruta: &str) -> String {
        format!("http://{}{ruta}", self.direccion)
    }

    /// A request with the right key, to be refined.
    pub fn peticion(&self, metodo: Method, ruta: &str) -> reqwest::RequestBuilder {
        self.cliente.request(metodo, self.url(ruta)).bearer_auth(KEY)
    }

    /// Sends a refined request.
    pub async fn enviar(&self, peticion: reqwest::RequestBuilder) -> Answered {
        Answered::leer(peticion.send().await.expect("the server answers")).await
    }

    /// `POST` of a JSON value.
    pub async fn post(&self, ruta: &str, cuerpo: &Value) -> Answered {
        self.post_text(ruta, cuerpo.to_string()).await
    }

    /// `POST` of any bytes.
    pub async fn post_text(&self, ruta: &str, cuerpo: impl Into<reqwest::Body>) -> Answered {
        self.enviar(self.peticion(Method::POST, ruta).body(cuerpo)).await
    }

    /// `POST` of a JSON value under an idempotency key.
    pub async fn post_keyed(&self, ruta: &str, clave: &str, cuerpo: &Value) -> Answered {
        let peticion = self.peticion(Method::POST, ruta).header("Idempotency-Key", clave);
        self.enviar(peticion.body(cuerpo.to_string())).await
    }

    /// `GET`.
    pub async fn get(&self, ruta: &str) -> Answered {
        self.enviar(self.peticion(Method::GET, ruta)).await
    }

    /// A new lead, «Ana García»; returns its id.
    pub async fn lead(&self) -> String {
        self.lead_with(json!({})).await
    }

    /// A new lead with these fields beside or instead of the usual ones.
    pub async fn lead_with(&self, campos: Value) -> String {
        let mut cuerpo =
            json!({ "nombre": "Ana García", "telefono": "612 34 56 78", "email": "ana@ejemplo.es" });
        for (campo, valor) in campos.as_object().expect("an object") {
            cuerpo[campo] = valor.clone();
        }
        let creado = self.post("/api/leads", &cuerpo).await.con(201);
        creado["id"].as_str().unwrap().to_owned()
    }

    /// The whole record of a lead.
    pub async fn ficha(&self, lead: &str) -> Value {
        self.get(&format!("/api/leads/{lead}")).await.con(200)
    }

    /// Stops as SIGTERM does and waits until every request in hand is answered.
    pub async fn parar(mut self) {
        drop(self.parar.take());
        if let Some(tarea) = self.tarea.take() {
            tarea.await.unwrap();
        }
    }
}
