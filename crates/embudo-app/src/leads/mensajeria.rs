//! The lead chose to go on by messaging: the conversation is started, or the wish is recorded as simulated.

use embudo_domain::LeadId;
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::trabajo::TipoTrabajo;
use embudo_store::cola::CargaNueva;
use embudo_store::command::RecordEvento;
use embudo_store::{CallKey, Outcome};

use super::Leads;
use crate::call_end::{KeySlot, end_call};
use crate::{AppError, CallEnd};

impl Leads<'_> {
    /// Fires the signal that starts a conversation and waits for its first attempt.
    pub async fn start_mensajeria(self, lead: LeadId, key: Option<CallKey>) -> Result<CallEnd, AppError> {
        let en = self.app.ahora();
        let (evento, trabajos) = match &self.app.outbound.mensajeria {
            Some(_) => (None, vec![self.app.jobs().own(TipoTrabajo::Mensajeria, CargaNueva::Mensajeria)]),
            None => {
                let tipo = TipoEvento::Mensajeria;
                (Some(Evento { tipo, simulado: true, ok: false, detalle: None, creado_en: en }), Vec::new())
            }
        };
        let ids: Vec<_> = trabajos.iter().map(|t| t.id).collect();
        let outcome = Outcome::MensajeriaStarted { accepted: false };
        let idempotencia = key.map(|key| key.with(outcome.clone(), ids.clone(), en));
        let slot = KeySlot::of(idempotencia.as_ref());
        let hecho =
            self.app.store.record_evento(RecordEvento { lead, evento, trabajos, en, idempotencia }).await?;
        end_call(self.app, hecho, outcome, ids, slot).await
    }
}
