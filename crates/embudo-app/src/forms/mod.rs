//! The public form: what it needs beyond single commands.

mod passes;
mod sign_up;
mod wishes;

use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::{LeadId, NotaId, Zona};
use embudo_store::command::{RecordEvento, SetNota};
use embudo_store::{CallKey, Outcome};
use jiff::SignedDuration;

pub use passes::{Boleto, FormPasses, VIDA_DEL_PASE};

use crate::avisos::Aviso;
use crate::{App, AppError};

/// What the public form does.
#[derive(Clone, Copy)]
pub struct Forms<'a> {
    pub(crate) app: &'a App,
}

impl Forms<'_> {
    /// The person has come to the end of the form: the company is told, once.
    pub async fn completed(self, lead: LeadId) -> Result<(), AppError> {
        let trabajos = self.app.jobs().notice_of_form(&Aviso::FormularioCompleto, None);
        if trabajos.is_empty() {
            return Ok(());
        }
        let en = self.app.ahora();
        let idempotencia = Some(once("completo", lead, VIDA_DEL_PASE).with(Outcome::Done, Vec::new(), en));
        self.app.store.record_evento(RecordEvento { lead, evento: None, trabajos, en, idempotencia }).await?;
        Ok(())
    }

    /// The form's one note about a zone, in place of what it said before; an empty one is removed.
    pub async fn save_nota(self, lead: LeadId, zona: Zona, texto: &str) -> Result<(), AppError> {
        let texto = Some(texto.to_owned()).filter(|t| !t.is_empty());
        let id = NotaId::del_formulario(lead, zona);
        Ok(self.app.store.set_nota(SetNota { lead, id, zona, texto, en: self.app.ahora() }).await?)
    }

    /// Appends to a lead's ledger of consents.
    pub async fn record_consentimientos(
        self,
        lead: LeadId,
        consentimientos: Vec<Consentimiento>,
    ) -> Result<(), AppError> {
        Ok(self.app.store.record_consentimientos(lead, consentimientos, self.app.ahora()).await?)
    }
}

/// The key under which something of a lead's form is done once within a time.
fn once(what: &str, lead: LeadId, life: SignedDuration) -> CallKey {
    CallKey { ambito: format!("formulario {what}"), clave: lead.to_string(), cuerpo_sha256: [0; 32], life }
}
