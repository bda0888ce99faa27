//! What every handler can reach.

use std::sync::Arc;

use embudo_app::App;
use embudo_door::{ApiKeys, BodyBudget, Callers, KeyLimit};

/// Renders the metrics in Prometheus' text format.
pub type PintarMetricas = Arc<dyn Fn() -> String + Send + Sync>;

/// What the binary decides about the API.
pub struct HttpSettings {
    /// Accepted keys.
    pub llaves: ApiKeys,
    /// Requests a minute for a right key; `None` is no limit.
    pub limite_llave: Option<u32>,
    /// Largest body of the bot endpoints.
    pub max_bot_bytes: usize,
    /// Largest body of ingestion.
    pub max_ingesta_bytes: usize,
    /// Memory that bodies of calls with a right key may take together.
    pub body_budget: BodyBudget,
    /// Where the metrics come from.
    pub metricas: Option<PintarMetricas>,
    /// A token that opens `/metrics` beside the API key.
    pub token_metricas: Option<ApiKeys>,
}

impl HttpSettings {
    /// The defaults of the contract with these keys.
    pub fn new(llaves: ApiKeys) -> Self {
        Self {
            llaves,
            limite_llave: None,
            max_bot_bytes: 8 * 1024 * 1024,
            max_ingesta_bytes: 64 * 1024 * 1024,
            body_budget: BodyBudget::default(),
            metricas: None,
            token_metricas: None,
        }
    }
}

/// The application and its settings; clones are handles on the same one.
#[derive(Clone)]
pub struct HttpState(Arc<Inner>);

/// What [`HttpState`] shares.
pub struct Inner {
    pub(crate) app: App,
    pub(crate) ajustes: HttpSettings,
    pub(crate) callers: Arc<Callers>,
    pub(crate) limite_llaves: KeyLimit,
}

impl HttpState {
    /// Joins the application with its settings.
    pub fn new(app: App, ajustes: HttpSettings, callers: Arc<Callers>) -> Self {
        let limite_llaves = KeyLimit::new(ajustes.limite_llave);
        Self(Arc::new(Inner { app, ajustes, callers, limite_llaves }))
    }
}

impl std::ops::Deref for HttpState {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}
