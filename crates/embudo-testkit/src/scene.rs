//! A server whose signals are received.

use std::sync::Arc;

use embudo_domain::job::JobState;
use embudo_store::outbox_admin::JobFilter;
use jiff::SignedDuration;
use serde_json::json;

use crate::{Engine, ManualClock, Receiver, Server, Setup};

/// A server whose three signals go to one receiver, on a clock that stands still.
pub struct Scene {
    pub s: Server,
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
        Self { s: setup.start().await, receiver, clock }
    }

    /// Says that the profile is complete; whether that was a signal.
    pub async fn complete_perfil(&self, lead: &str) -> bool {
        let r = self
            .s
            .post(&format!("/api/leads/{lead}/ingesta"), &json!({ "perfilCompleto": true }))
            .await
            .with(200);
        r["perfilSenalado"].as_bool().unwrap()
    }

    /// Moves the clock and runs what is due.
    pub async fn pass(&self, time: SignedDuration) -> usize {
        self.clock.advance(time);
        self.s.app.worker().run_jobs().await.unwrap()
    }

    pub async fn jobs(&self, state: JobState) -> usize {
        let filter = JobFilter { state: Some(state), ..JobFilter::default() };
        self.s.app.store.list_jobs(filter, None, 100).await.unwrap().len()
    }
}
