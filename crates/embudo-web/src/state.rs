//! What every page can reach.

use std::sync::Arc;

use embudo_app::App;
use embudo_door::{BodyBudget, BodySettings, Callers};

use crate::parts::{Quota, Quotas};

/// What the binary decides about the pages.
pub struct WebSettings {
    /// Largest body of a form with photos.
    pub max_upload_bytes: usize,
    /// Memory for what people without a key send. It is apart, so that no stranger can take the callers'.
    pub body_budget: BodyBudget,
    /// How often the public form may be used.
    pub quota: Quota,
}

impl Default for WebSettings {
    fn default() -> Self {
        Self {
            max_upload_bytes: 64 * 1024 * 1024,
            body_budget: BodyBudget::new(BodySettings::public(BodySettings::default().total_bytes)),
            quota: Quota::default(),
        }
    }
}

/// The application and its settings; clones are handles on the same one.
#[derive(Clone)]
pub struct WebState(Arc<Inner>);

/// What [`WebState`] shares.
pub struct Inner {
    pub(crate) app: App,
    pub(crate) settings: WebSettings,
    pub(crate) callers: Arc<Callers>,
    pub(crate) quotas: Quotas,
}

impl WebState {
    /// Joins the application with its settings.
    pub fn new(app: App, settings: WebSettings, callers: Arc<Callers>) -> Self {
        let quotas = Quotas::new(settings.quota);
        Self(Arc::new(Inner { app, settings, callers, quotas }))
    }
}

impl std::ops::Deref for WebState {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}
