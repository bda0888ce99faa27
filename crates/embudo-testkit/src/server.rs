//! The running server.

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use embudo_api::{HttpSettings, HttpState, router, unknown_route};
use embudo_app::{Clock, Outbound, SystemClock};
use embudo_delivery::Webhooks;
use embudo_delivery::fetch::{Fetcher, Rules};
use embudo_pages::{WebSettings, WebState};
use embudo_server::{ApiKeys, Callers, Limits, serve};
use ipnet::IpNet;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::PATIENCE;
use crate::app::{Engine, TestApp, lead_body};
use crate::client::Answered;

/// The API key of every test server.
pub const KEY: &str = "clave-de-pruebas";

/// The settings of a server. A test changes those that it needs.
pub struct Setup {
    pub engine: Engine,
    /// The API's settings.
    pub settings: HttpSettings,
    pub web: WebSettings,
    /// Trusted proxies.
    pub proxies: Vec<IpNet>,
    /// How many wrong keys an address may try in a minute. `None`: as many as at a real server, which a slow machine
    /// may not manage in a minute.
    pub wrong_keys: Option<u32>,
    /// The server's timeouts and maximum numbers.
    pub limits: Limits,
    pub clock: Arc<dyn Clock>,
    /// The outgoing connections. By default nothing is sent.
    pub outbound: Outbound,
}

impl Setup {
    /// The default settings.
    pub fn at(engine: Engine) -> Self {
        let keys = ApiKeys::new(KEY, None).unwrap();
        let webhooks = Webhooks::new(embudo_delivery::webhook::Options::default()).unwrap();
        Self {
            engine,
            settings: HttpSettings::new(keys),
            web: WebSettings::default(),
            proxies: Vec::new(),
            wrong_keys: None,
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
            // A busy machine draws slowly. With a long wait, no call answers before its deliveries are done.
            outbound: Outbound {
                wait: PATIENCE,
                ..Outbound::none(webhooks, Fetcher::new(Rules::default()).unwrap())
            },
        }
    }

    pub async fn start(self) -> Server {
        self.start_on(None).await
    }

    /// Starts a second process beside a server, on the same database.
    pub async fn start_beside(self, other: &Server) -> Server {
        self.start_on(Some(&other.test_app)).await
    }

    async fn start_on(self, other: Option<&TestApp>) -> Server {
        let Self { settings, web, proxies, wrong_keys, limits, .. } = self;
        let test_app = match other {
            Some(other) => other.beside(self.outbound, self.clock),
            None => TestApp::open(self.engine, self.outbound, self.clock).await,
        };
        let app = test_app.app.clone();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let callers = Callers::new(proxies);
        let callers = Arc::new(match wrong_keys {
            Some(most) => callers.with_limit(most),
            None => callers,
        });
        let pages = WebState::new(app.clone(), web, callers.clone());
        let streams = pages.clone();
        let routes = router(
            HttpState::new(app, settings, callers),
            embudo_pages::router(pages.clone(), unknown_route),
        );
        let task = tokio::spawn(async move {
            let stopped = async {
                drop(stopped.await);
                streams.end_streams();
            };
            serve(listener, routes, limits, stopped).await.expect("the server drains");
        });
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cliente = reqwest::Client::builder().no_proxy().build().unwrap();
        Server { address, cliente, pages, stop: Some(stop), task: Some(task), test_app }
    }

    /// Only the application, without a server.
    pub async fn app(self) -> TestApp {
        TestApp::open(self.engine, self.outbound, self.clock).await
    }
}

/// Every route of the server, as its method and its path.
pub fn routes() -> impl Iterator<Item = (&'static str, &'static str)> {
    embudo_pages::routes().chain(embudo_api::routes())
}

/// A running server with its own database and blobs.
pub struct Server {
    pub address: SocketAddr,
    /// A client for calls that the helpers here do not cover.
    pub cliente: reqwest::Client,
    pub pages: WebState,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
    test_app: TestApp,
}

impl Deref for Server {
    type Target = TestApp;

    fn deref(&self) -> &TestApp {
        &self.test_app
    }
}

impl Server {
    /// Starts the default server on this engine.
    pub async fn start(engine: Engine) -> Self {
        Setup::at(engine).start().await
    }

    /// The full URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A request with the valid key, to be completed by the caller.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.cliente.request(method, self.url(path)).bearer_auth(KEY)
    }

    /// Sends a request and reads the response.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answered {
        Answered::read(request.send().await.expect("the server answers")).await
    }

    /// `POST` of a JSON value.
    pub async fn post(&self, path: &str, body: &Value) -> Answered {
        self.post_text(path, body.to_string()).await
    }

    /// `POST` of any bytes.
    pub async fn post_text(&self, path: &str, body: impl Into<reqwest::Body>) -> Answered {
        self.send(self.request(Method::POST, path).body(body)).await
    }

    /// `POST` of a JSON value under an idempotency key.
    pub async fn post_keyed(&self, path: &str, key: &str, body: &Value) -> Answered {
        let request = self.request(Method::POST, path).header("Idempotency-Key", key);
        self.send(request.body(body.to_string())).await
    }

    pub async fn get(&self, path: &str) -> Answered {
        self.send(self.request(Method::GET, path)).await
    }

    /// Creates a lead «Ana García» and returns its id.
    pub async fn lead(&self) -> String {
        self.lead_with(json!({})).await
    }

    /// Creates a lead and returns its id. These fields replace or complete the default ones.
    pub async fn lead_with(&self, fields: Value) -> String {
        let created = self.post("/api/leads", &lead_body(fields)).await.with(201);
        created["id"].as_str().unwrap().to_owned()
    }

    /// The complete record of a lead.
    pub async fn record(&self, lead: &str) -> Value {
        self.get(&format!("/api/leads/{lead}")).await.with(200)
    }

    /// Stops the server like SIGTERM, and waits until all current requests are answered.
    pub async fn stop(mut self) {
        drop(self.stop.take());
        if let Some(task) = self.task.take() {
            task.await.unwrap();
        }
    }
}
