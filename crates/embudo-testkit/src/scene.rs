//! A server whose signals are received.

use std::sync::Arc;

use embudo_domain::trabajo::EstadoTrabajo;
use embudo_store::cola::FiltroTrabajos;
use jiff::SignedDuration;
use serde_json::json;

use crate::{Engine, ManualClock, Receiver, Server, Setup};

/// A server whose three signals go to one receiver, on a clock that stands still.
pub struct Scene {
    pub s: Server,
    pub receiver: Receiver,
    pub reloj: Arc<ManualClock>,
}

impl Scene {
    pub async fn en(engine: Engine) -> Self {
        Self::con(engine, |_| {}).await
    }

    pub async fn con(engine: Engine, ajustar: impl FnOnce(&mut Setup)) -> Self {
        let receiver = Receiver::arrancar().await;
        let reloj = Arc::new(ManualClock::default());
        let mut setup = Setup::en(engine);
        setup.reloj = reloj.clone();
        let url = Some(receiver.url().parse().unwrap());
        setup.outbound.perfil = url.clone();
        setup.outbound.mensajeria = url.clone();
        setup.outbound.pdf = url;
        ajustar(&mut setup);
        Self { s: setup.arrancar().await, receiver, reloj }
    }

    /// Says that the profile is complete; whether that was a signal.
    pub async fn complete_perfil(&self, lead: &str) -> bool {
        let r = self
            .s
            .post(&format!("/api/leads/{lead}/ingesta"), &json!({ "perfilCompleto": true }))
            .await
            .con(200);
        r["perfilSenalado"].as_bool().unwrap()
    }

    /// Moves the clock and runs what is due.
    pub async fn pass(&self, tiempo: SignedDuration) -> usize {
        self.reloj.advance(tiempo);
        self.s.app.worker().run_jobs().await.unwrap()
    }

    pub async fn trabajos(&self, estado: EstadoTrabajo) -> usize {
        let filtro = FiltroTrabajos { estado: Some(estado), ..FiltroTrabajos::default() };
        self.s.app.store.list_trabajos(filtro, None, 100).await.unwrap().len()
    }
}
