//! The signal that starts a conversation.

use embudo_delivery::Envio;
use embudo_delivery::senales::mensajeria;
use embudo_domain::senal::MensajeriaSenal;
use embudo_domain::trabajo::Trabajo;

use super::Desenlace;
use crate::App;

pub(super) async fn attempt(app: &App, trabajo: &Trabajo) -> Desenlace {
    let Some(url) = app.outbound.destino(trabajo.tipo) else {
        return Desenlace::luego("MESSAGING_START_WEBHOOK_URL ya no está configurada");
    };
    let Ok(senal) = serde_json::from_str::<MensajeriaSenal>(&trabajo.carga) else {
        return Desenlace::nunca("la señal guardada no se puede leer");
    };
    let envio = Envio { id: trabajo.id.to_string(), timestamp: app.ahora(), body: mensajeria(&senal) };
    app.outbound.webhooks.send(url, envio).await.into()
}
