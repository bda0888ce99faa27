//! The state that every page handler gets: the application, the settings of the pages, and the limits.

use std::path::PathBuf;
use std::sync::Arc;

use embudo_app::App;
use embudo_server::{BodyBudget, BodySettings, Callers};

use crate::installation::LookAtInstallation;
use crate::panel::{LoginQuota, Streams, Throttle};
use crate::parts::{Quota, Quotas};

/// The settings of the pages, decided by the binary.
pub struct WebSettings {
    /// Largest body of a form with photos.
    pub max_upload_bytes: usize,
    /// Memory for request bodies sent without a key. It is a separate budget, so that no stranger can use up the memory
    /// of the API's callers.
    pub body_budget: BodyBudget,
    /// How often the public form may be used.
    pub quota: Quota,
    /// How often somebody may try to sign in.
    pub logins: LoginQuota,
    /// The file that holds the set-up link. It is deleted once the link has been used.
    pub set_up_file: Option<PathBuf>,
    /// How to examine the installation, for the panel's page about the system.
    pub installation: Option<LookAtInstallation>,
}

impl Default for WebSettings {
    fn default() -> Self {
        Self {
            max_upload_bytes: 64 * 1024 * 1024,
            body_budget: BodyBudget::new(BodySettings::public(BodySettings::default().total_bytes)),
            quota: Quota::default(),
            logins: LoginQuota::default(),
            set_up_file: None,
            installation: None,
        }
    }
}

/// The application and its settings. Clones share the same instance.
#[derive(Clone)]
pub struct WebState(Arc<Inner>);

/// The contents that all clones of [`WebState`] share.
pub struct Inner {
    pub(crate) app: App,
    pub(crate) settings: WebSettings,
    pub(crate) callers: Arc<Callers>,
    pub(crate) quotas: Quotas,
    pub(crate) throttle: Throttle,
    pub(crate) streams: Streams,
}

impl WebState {
    /// Joins the application with the settings of its pages.
    pub fn new(app: App, settings: WebSettings, callers: Arc<Callers>) -> Self {
        let quotas = Quotas::new(app.clone(), settings.quota);
        let throttle = Throttle::new(app.clone(), settings.logins);
        Self(Arc::new(Inner { app, settings, callers, quotas, throttle, streams: Streams::default() }))
    }

    /// Ends every stream that a page holds open, so that a shutdown does not wait for them.
    pub fn end_streams(&self) {
        self.streams.end();
    }
}

impl std::ops::Deref for WebState {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}
