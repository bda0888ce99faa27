//! The signal that starts a conversation.

use embudo_delivery::Envio;
use embudo_delivery::senales::mensajeria;
use embudo_domain::senal::MensajeriaSenal;
use embudo_domain::trabajo::Trabajo;

use super::Desenlace;
use crate::App;

impl App {
    pub(super) async fn attempt_mensajeria(&self, trabajo: &Trabajo) -> Desenlace {
        let Some(url) = self.salidas.destino(trabajo.tipo) else {
            return Desenlace::luego("MESSAGING_START_WEBHOOK_URL ya no está configurada");
        };
        let Ok(senal) = serde_json::from_str::<MensajeriaSenal>(&trabajo.carga) else {
            return Desenlace::nunca("la señal guardada no se puede leer");
        };
        let envio = Envio { id: trabajo.id.to_string(), timestamp: self.ahora(), body: mensajeria(&senal) };
        self.salidas.webhooks.send(url, envio).await.into()
    }
}
