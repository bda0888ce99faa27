//! A server whose signals are received.

use std::sync::Arc;

use embudo_domain::trabajo::EstadoTrabajo;
use embudo_store::cola::FiltroTrabajos;
use jiff::SignedDuration;
use serde_json::json;

use crate::{Montaje, Motor, Receptor, RelojManual, Servidor};

/// A server whose three signals go to one receiver, on a clock that stands still.
pub struct Escena {
    pub s: Servidor,
    pub receptor: Receptor,
    pub reloj: Arc<RelojManual>,
}

impl Escena {
    pub async fn en(motor: Motor) -> Self {
        Self::con(motor, |_| {}).await
    }

    pub async fn con(motor: Motor, ajustar: impl FnOnce(&mut Montaje)) -> Self {
        let receptor = Receptor::arrancar().await;
        let reloj = Arc::new(RelojManual::default());
        let mut montaje = Montaje::en(motor);
        montaje.reloj = reloj.clone();
        let url = Some(receptor.url().parse().unwrap());
        montaje.salidas.perfil = url.clone();
        montaje.salidas.mensajeria = url.clone();
        montaje.salidas.pdf = url;
        ajustar(&mut montaje);
        Self { s: montaje.arrancar().await, receptor, reloj }
    }

    /// Says that the profile is complete; whether that was a signal.
    pub async fn completar(&self, lead: &str) -> bool {
        let r = self
            .s
            .post(&format!("/api/leads/{lead}/ingesta"), &json!({ "perfilCompleto": true }))
            .await
            .con(200);
        r["perfilSenalado"].as_bool().unwrap()
    }

    /// Moves the clock and runs what is due.
    pub async fn pasar(&self, tiempo: SignedDuration) -> usize {
        self.reloj.adelantar(tiempo);
        self.s.app.run_jobs().await.unwrap()
    }

    pub async fn trabajos(&self, estado: EstadoTrabajo) -> usize {
        let filtro = FiltroTrabajos { estado: Some(estado), ..FiltroTrabajos::default() };
        self.s.app.store.list_trabajos(filtro, None, 100).await.unwrap().len()
    }
}
