//! A new lead: what was parsed becomes a command, with its search text.

use embudo_domain::LeadId;
use embudo_domain::lead::NuevoLead;
use embudo_store::cola::NuevoTrabajo;
use embudo_store::command::CreateLead;
use embudo_store::query::texto_busqueda;
use embudo_store::{CallKey, Hecho, Idempotencia, Outcome};

use super::Leads;
use crate::avisos::Aviso;
use crate::{AppError, CallEnd};

impl Leads<'_> {
    /// Creates a lead; the company is told at once.
    pub async fn create(self, nuevo: NuevoLead, key: Option<CallKey>) -> Result<CallEnd, AppError> {
        let id = LeadId(self.app.id());
        let outcome = Outcome::LeadCreated { id };
        let idempotencia = key.map(|key| key.with(outcome.clone(), Vec::new(), self.app.ahora()));
        let hecho =
            self.create_telling(id, nuevo, idempotencia, self.app.jobs().notice(&Aviso::NuevoLead)).await?;
        Ok(CallEnd::of(hecho, outcome))
    }

    /// Creates a lead under this id, with these notices to the company.
    pub(crate) async fn create_telling(
        self,
        id: LeadId,
        nuevo: NuevoLead,
        idempotencia: Option<Idempotencia>,
        trabajos: Vec<NuevoTrabajo>,
    ) -> Result<Hecho, AppError> {
        let busqueda = texto_busqueda(
            &nuevo.nombre,
            &nuevo.email.tecleado,
            &nuevo.telefono.e164,
            nuevo.provincia.as_deref(),
        );
        let command = CreateLead {
            id,
            empresa: nuevo.empresa,
            nombre: nuevo.nombre,
            telefono: nuevo.telefono,
            email: nuevo.email,
            provincia: nuevo.provincia,
            busqueda,
            perfil: nuevo.perfil,
            utm: nuevo.utm,
            consentimientos: nuevo.consentimientos,
            trabajos,
            en: self.app.ahora(),
            idempotencia,
        };
        Ok(self.app.store.create_lead(command).await?)
    }
}
