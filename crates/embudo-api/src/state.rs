//! What every handler can reach.

use std::sync::Arc;

use embudo_app::App;
use embudo_mcp::Streamable;
use embudo_server::{ApiKeys, BodyBudget, Callers, KeyLimit};

/// Renders the metrics in Prometheus' text format.
pub type RenderMetrics = Arc<dyn Fn() -> String + Send + Sync>;

/// What the binary decides about the API.
pub struct HttpSettings {
    pub keys: ApiKeys,
    /// Requests a minute for a right key; `None` is no limit.
    pub limit_key: Option<u32>,
    /// Largest body of the bot endpoints.
    pub max_bot_bytes: usize,
    /// Largest body of ingestion.
    pub max_ingesta_bytes: usize,
    /// Memory that bodies of calls with a right key may take together.
    pub body_budget: BodyBudget,
    /// Renders the metrics; without it `/metrics` is an unknown address.
    pub metrics: Option<RenderMetrics>,
    /// A token that opens `/metrics` beside the API key.
    pub metrics_token: Option<ApiKeys>,
    /// The hosts, with or without a port, under which `/mcp` answers.
    pub mcp_hosts: Vec<String>,
}

impl HttpSettings {
    /// The defaults of the contract with these keys.
    pub fn new(keys: ApiKeys) -> Self {
        Self {
            keys,
            limit_key: None,
            max_bot_bytes: 8 * 1024 * 1024,
            max_ingesta_bytes: 64 * 1024 * 1024,
            body_budget: BodyBudget::default(),
            metrics: None,
            metrics_token: None,
            mcp_hosts: ["localhost", "127.0.0.1", "::1"].map(Into::into).into(),
        }
    }
}

/// The application and its settings; clones are handles on the same one.
#[derive(Clone)]
pub struct HttpState(Arc<Inner>);

/// What [`HttpState`] shares.
pub struct Inner {
    pub(crate) app: App,
    pub(crate) settings: HttpSettings,
    pub(crate) callers: Arc<Callers>,
    pub(crate) limit_keys: KeyLimit,
    pub(crate) mcp: Streamable,
}

impl HttpState {
    /// Joins the application with its settings.
    pub fn new(app: App, settings: HttpSettings, callers: Arc<Callers>) -> Self {
        let limit_keys = KeyLimit::new(settings.limit_key);
        let mcp = Streamable::new(&settings.mcp_hosts);
        Self(Arc::new(Inner { app, settings, callers, limit_keys, mcp }))
    }
}

impl std::ops::Deref for HttpState {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}
