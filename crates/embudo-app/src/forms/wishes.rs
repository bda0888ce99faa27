//! How the lead of a form wants to go on: by messaging, or by being called. Either is the consent to be reached there.

use embudo_domain::LeadId;
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_store::command::RecordEvento;
use embudo_store::{Outcome, StoreError};
use jiff::SignedDuration;

use super::{Forms, once};
use crate::AppError;
use crate::avisos::Aviso;

/// A wish pressed twice within this time is one wish.
const MISMO_DESEO: SignedDuration = SignedDuration::from_secs(60);

impl Forms<'_> {
    /// The lead goes on by messaging: its consent for that channel is written down and the conversation started, once a minute
    /// at most. A first wish that is still on its way is as good as this one.
    pub async fn go_on_by_mensajeria(self, lead: LeadId, texto_version: &str) -> Result<(), AppError> {
        self.consent_to_channel(lead, "mensajeria", texto_version).await?;
        match self.app.leads().start_mensajeria(lead, Some(once("mensajeria", lead, MISMO_DESEO))).await {
            Ok(_) | Err(AppError::Store(StoreError::KeyInProgress)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The lead would rather be called: the wish stands in its history, once a minute at most.
    pub async fn ask_for_call(self, lead: LeadId, texto_version: &str) -> Result<(), AppError> {
        self.consent_to_channel(lead, "llamada", texto_version).await?;
        let en = self.app.ahora();
        let evento =
            Evento { tipo: TipoEvento::Llamada, simulado: false, ok: true, detalle: None, creado_en: en };
        let idempotencia = Some(once("llamada", lead, MISMO_DESEO).with(Outcome::Done, Vec::new(), en));
        let trabajos = self.app.jobs().notice_of_form(&Aviso::Llamada, None);
        let command = RecordEvento { lead, evento: Some(evento), trabajos, en, idempotencia };
        self.app.store.record_evento(command).await?;
        Ok(())
    }

    /// Asking to be reached by a channel is the consent to be reached there about this quote. Said again, it is not written again.
    async fn consent_to_channel(
        self,
        lead: LeadId,
        canal: &str,
        texto_version: &str,
    ) -> Result<(), AppError> {
        let ficha = self.app.store.ficha(lead).await?;
        let mismo = |c: &&Consentimiento| c.finalidad == "contacto" && c.canal.as_deref() == Some(canal);
        let ultimo = ficha.consentimientos.iter().rev().find(mismo);
        if ultimo.is_some_and(|c| c.otorgado && c.texto_version == texto_version) {
            return Ok(());
        }
        let consentimiento = Consentimiento {
            finalidad: "contacto".to_owned(),
            canal: Some(canal.to_owned()),
            texto_version: texto_version.to_owned(),
            fuente: Some("web".to_owned()),
            otorgado: true,
            otorgado_en: None,
        };
        self.record_consentimientos(lead, vec![consentimiento]).await
    }
}
