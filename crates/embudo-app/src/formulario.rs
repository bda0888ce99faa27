//! What the public form needs beyond single commands: passes, and the ticket that makes sending it twice one lead.

use embudo_delivery::{Pase, PaseInvalido};
use embudo_domain::{LeadId, Timestamp};
use jiff::SignedDuration;
use uuid::{NoContext, Uuid};

use crate::App;

/// How long a pass to a form or to consents opens it.
pub const VIDA_DEL_PASE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How long an unsent form may lie open.
pub const VIDA_DEL_BOLETO: SignedDuration = SignedDuration::from_hours(24);

/// The ticket of a form that was shown and not yet sent: the id that its lead will have, and when it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boleto {
    /// The lead to be.
    pub lead: LeadId,
    /// When the form was shown.
    pub mostrado_en: Timestamp,
}

impl App {
    /// A pass to go on with a lead's form.
    pub fn pase_formulario(&self, lead: LeadId) -> String {
        self.salidas.pases.escribir(Pase::Formulario(lead), Some(self.ahora() + VIDA_DEL_PASE))
    }

    /// The lead whose form a pass opens.
    pub fn leer_pase_formulario(&self, texto: &str) -> Result<LeadId, PaseInvalido> {
        match self.salidas.pases.leer(texto, self.ahora())? {
            Pase::Formulario(lead) => Ok(lead),
            Pase::Presupuesto(_) | Pase::Consentimientos(_) => Err(PaseInvalido::Falso),
        }
    }

    /// A pass to the page where a lead's consents are withdrawn. It never ends: withdrawing must always be possible.
    pub fn pase_consentimientos(&self, lead: LeadId) -> String {
        self.salidas.pases.escribir(Pase::Consentimientos(lead), None)
    }

    /// The lead whose consents a pass opens.
    pub fn leer_pase_consentimientos(&self, texto: &str) -> Result<LeadId, PaseInvalido> {
        match self.salidas.pases.leer(texto, self.ahora())? {
            Pase::Consentimientos(lead) => Ok(lead),
            Pase::Presupuesto(_) | Pase::Formulario(_) => Err(PaseInvalido::Falso),
        }
    }

    /// A ticket for a form that is shown now. The id carries the moment, and the pass its signature.
    pub fn nuevo_boleto(&self) -> String {
        let ahora = self.ahora();
        let segundos = u64::try_from(ahora.as_second()).unwrap_or(0);
        let nanos = u32::try_from(ahora.subsec_nanosecond()).unwrap_or(0);
        let id = Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, segundos, nanos));
        self.salidas.pases.escribir(Pase::Formulario(LeadId(id)), Some(ahora + VIDA_DEL_BOLETO))
    }

    /// Reads a ticket.
    pub fn leer_boleto(&self, texto: &str) -> Result<Boleto, PaseInvalido> {
        let lead = self.leer_pase_formulario(texto)?;
        let (segundos, nanos) = lead.0.get_timestamp().ok_or(PaseInvalido::Falso)?.to_unix();
        let segundos = i64::try_from(segundos).map_err(|_| PaseInvalido::Falso)?;
        let nanos = i32::try_from(nanos).map_err(|_| PaseInvalido::Falso)?;
        let mostrado_en = Timestamp::new(segundos, nanos).map_err(|_| PaseInvalido::Falso)?;
        Ok(Boleto { lead, mostrado_en })
    }
}
