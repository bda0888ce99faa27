//! The lead chose to go on by messaging: the conversation is started, or the wish is recorded as simulated.

use embudo_domain::LeadId;
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::trabajo::TipoTrabajo;
use embudo_store::cola::CargaNueva;
use embudo_store::command::RecordEvento;
use embudo_store::{Idempotencia, Respuesta};

use crate::contestada::Sitio;
use crate::{App, AppError, Contestada, Senales};

impl App {
    /// Fires the signal that starts a conversation and waits for its first attempt.
    pub async fn start_mensajeria(
        &self,
        lead: LeadId,
        mut idempotencia: Option<Idempotencia>,
        responder: impl Fn(Senales) -> Respuesta,
    ) -> Result<Contestada, AppError> {
        let en = self.ahora();
        let (evento, trabajos) = match &self.salidas.mensajeria {
            Some(_) => (None, vec![self.trabajo_propio(TipoTrabajo::Mensajeria, CargaNueva::Mensajeria)]),
            None => {
                let tipo = TipoEvento::Mensajeria;
                (Some(Evento { tipo, simulado: true, ok: false, detalle: None, creado_en: en }), Vec::new())
            }
        };
        let ids: Vec<_> = trabajos.iter().map(|t| t.id).collect();
        let sitio = Sitio::apuntar(idempotencia.as_mut(), &ids);
        let hecho =
            self.store.record_evento(RecordEvento { lead, evento, trabajos, en, idempotencia }).await?;
        self.contestar(hecho, ids, sitio, responder).await
    }
}
