//! What every page can reach.

use std::path::PathBuf;
use std::sync::Arc;

use embudo_app::App;
use embudo_server::{BodyBudget, BodySettings, Callers};

use crate::installation::LookAtInstallation;
use crate::panel::{LoginQuota, Streams, Throttle};
use crate::parts::{Quota, Quotas};

/// What the binary decides about the pages.
pub struct WebSettings {
    /// Largest body of a form with photos.
    pub max_upload_bytes: usize,
    /// Memory for what people without a key send. It is apart, so that no stranger can take the callers'.
    pub body_budget: BodyBudget,
    /// How often the public form may be used.
    pub quota: Quota,
    /// How often somebody may try to sign in.
    pub logins: LoginQuota,
    /// Where the link of the set-up lies; it goes when it is used.
    pub set_up_file: Option<PathBuf>,
    /// What the program tells of itself.
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

/// The application and its settings; clones are handles on the same one.
#[derive(Clone)]
pub struct WebState(Arc<Inner>);

/// What [`WebState`] shares.
pub struct Inner {
    pub(crate) app: App,
    pub(crate) settings: WebSettings,
    pub(crate) callers: Arc<Callers>,
    pub(crate) quotas: Quotas,
    pub(crate) throttle: Throttle,
    pub(crate) streams: Streams,
}

impl WebState {
    /// Joins the application with its settings.
    pub fn new(app: App, settings: WebSettings, callers: Arc<Callers>) -> Self {
        let quotas = Quotas::new(app.clone(), settings.quota);
        let throttle = Throttle::new(app.clone(), settings.logins);
        Self(Arc::new(Inner { app, settings, callers, quotas, throttle, streams: Streams::default() }))
    }

    /// Ends every stream that a page holds open: a stop does not wait for them.
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
