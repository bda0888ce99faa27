//! A server together with a receiver for its signals.

use std::sync::Arc;

use embudo_domain::job::JobState;
use embudo_store::outbox_admin::JobFilter;
use jiff::SignedDuration;
use serde_json::json;

use crate::{Engine, ManualClock, Receiver, Server, Setup};

/// A server whose signals of profile, start of a conversation and quote go to one receiver. Its clock does not move by
/// itself.
pub struct Scene {
    pub server: Server,
    pub receiver: Receiver,
    pub clock: Arc<ManualClock>,
}

impl Scene {
    pub async fn at(engine: Engine) -> Self {
        Self::with(engine, |_| {}).await
    }

    pub async fn with(engine: Engine, adjust: impl FnOnce(&mut Setup)) -> Self {
        let receiver = Receiver::start().await;
        let clock = Arc::new(ManualClock::default());
        let mut setup = Setup::at(engine);
        setup.clock = clock.clone();
        let url = Some(receiver.url().parse().unwrap());
        setup.outbound.perfil = url.clone();
        setup.outbound.mensajeria = url.clone();
        setup.outbound.pdf = url;
        adjust(&mut setup);
        Self { server: setup.start().await, receiver, clock }
    }

    /// Marks the profile as complete. Returns whether this sent a signal.
    pub async fn complete_perfil(&self, lead: &str) -> bool {
        let r = self
            .server
            .post(&format!("/api/leads/{lead}/ingesta"), &json!({ "perfilCompleto": true }))
            .await
            .with(200);
        r["perfilSenalado"].as_bool().unwrap()
    }

    /// Moves the clock and runs the jobs that are due. Returns their number.
    pub async fn pass(&self, time: SignedDuration) -> usize {
        self.clock.advance(time);
        self.server.app.worker().run_jobs().await.unwrap()
    }

    pub async fn jobs(&self, state: JobState) -> usize {
        let filter = JobFilter { state: Some(state), ..JobFilter::default() };
        self.server.app.store.list_jobs(filter, None, 100).await.unwrap().len()
    }
}
