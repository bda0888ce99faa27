//! What every handler can reach.

use std::sync::Arc;

use embudo_app::App;
use ipnet::IpNet;

use crate::puerta::{AjustesCuerpo, Fallos, LimiteLlaves, Llaves, Presupuesto};
use crate::web::{Cuota, Cuotas};

/// Renders the metrics in Prometheus' text format.
pub type PintarMetricas = Arc<dyn Fn() -> String + Send + Sync>;

/// What the binary decides about the API.
pub struct Ajustes {
    /// Accepted keys.
    pub llaves: Llaves,
    /// Requests a minute for a right key; `None` is no limit.
    pub limite_llave: Option<u32>,
    /// Proxies whose `X-Forwarded-For` counts.
    pub proxies: Vec<IpNet>,
    /// Largest body of the bot endpoints.
    pub max_bot_bytes: usize,
    /// Largest body of ingestion.
    pub max_ingesta_bytes: usize,
    /// Memory that bodies of calls with a right key may take together.
    pub presupuesto: Presupuesto,
    /// Memory for what people without a key send. It is apart, so that no stranger can take the callers'.
    pub public_budget: Presupuesto,
    /// How often the public form may be used.
    pub cuota: Cuota,
    /// Where the metrics come from.
    pub metricas: Option<PintarMetricas>,
    /// A token that opens `/metrics` beside the API key.
    pub token_metricas: Option<Llaves>,
}

impl Ajustes {
    /// The defaults of the contract with these keys.
    pub fn new(llaves: Llaves) -> Self {
        Self {
            llaves,
            limite_llave: None,
            proxies: Vec::new(),
            max_bot_bytes: 8 * 1024 * 1024,
            max_ingesta_bytes: 64 * 1024 * 1024,
            presupuesto: Presupuesto::default(),
            public_budget: Presupuesto::new(AjustesCuerpo::public(AjustesCuerpo::default().total_bytes)),
            cuota: Cuota::default(),
            metricas: None,
            token_metricas: None,
        }
    }
}

/// The application and its settings; clones are handles on the same one.
#[derive(Clone)]
pub struct Estado(Arc<Interior>);

/// What [`Estado`] shares.
pub struct Interior {
    pub(crate) app: App,
    pub(crate) ajustes: Ajustes,
    pub(crate) fallos: Fallos,
    pub(crate) limite_llaves: LimiteLlaves,
    pub(crate) cuotas: Cuotas,
}

impl Estado {
    /// Joins the application with its settings.
    pub fn new(app: App, ajustes: Ajustes) -> Self {
        let limite_llaves = LimiteLlaves::new(ajustes.limite_llave);
        let cuotas = Cuotas::new(ajustes.cuota);
        Self(Arc::new(Interior { app, ajustes, fallos: Fallos::default(), limite_llaves, cuotas }))
    }
}

impl std::ops::Deref for Estado {
    type Target = Interior;

    fn deref(&self) -> &Interior {
        &self.0
    }
}
