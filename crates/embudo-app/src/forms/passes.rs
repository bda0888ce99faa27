//! What opens a form without a key: passes to forms and consents, and the ticket that makes sending a form twice one lead.

use embudo_delivery::{Pase, PaseInvalido};
use embudo_domain::{LeadId, Timestamp};
use jiff::SignedDuration;
use uuid::{NoContext, Uuid};

use crate::App;

/// How long a pass to a form or to consents opens it.
pub const VIDA_DEL_PASE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How long an unsent form may lie open.
pub(super) const VIDA_DEL_BOLETO: SignedDuration = SignedDuration::from_hours(24);

/// The ticket of a form that was shown and not yet sent: the id that its lead will have, and when it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boleto {
    pub lead: LeadId,
    pub mostrado_en: Timestamp,
}

/// Passes to forms and consents.
#[derive(Clone, Copy)]
pub struct FormPasses<'a> {
    pub(crate) app: &'a App,
}

impl FormPasses<'_> {
    /// A pass to go on with a lead's form.
    pub fn to_form(self, lead: LeadId) -> String {
        self.app.outbound.pases.escribir(Pase::Formulario(lead), Some(self.app.ahora() + VIDA_DEL_PASE))
    }

    /// The lead whose form a pass opens.
    pub fn read_form(self, texto: &str) -> Result<LeadId, PaseInvalido> {
        match self.app.outbound.pases.leer(texto, self.app.ahora())? {
            Pase::Formulario(lead) => Ok(lead),
            _ => Err(PaseInvalido::Falso),
        }
    }

    /// A pass to the page where a lead's consents are withdrawn. It never ends: withdrawing must always be possible.
    pub fn to_consentimientos(self, lead: LeadId) -> String {
        self.app.outbound.pases.escribir(Pase::Consentimientos(lead), None)
    }

    /// The lead whose consents a pass opens.
    pub fn read_consentimientos(self, texto: &str) -> Result<LeadId, PaseInvalido> {
        match self.app.outbound.pases.leer(texto, self.app.ahora())? {
            Pase::Consentimientos(lead) => Ok(lead),
            _ => Err(PaseInvalido::Falso),
        }
    }

    /// A ticket for a form that is shown now. The id carries the moment, and the pass its signature.
    pub fn new_ticket(self) -> String {
        let ahora = self.app.ahora();
        let segundos = u64::try_from(ahora.as_second()).unwrap_or(0);
        let nanos = u32::try_from(ahora.subsec_nanosecond()).unwrap_or(0);
        let id = Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, segundos, nanos));
        self.app.outbound.pases.escribir(Pase::Boleto(LeadId(id)), Some(ahora + VIDA_DEL_BOLETO))
    }

    /// The ticket that a form came with while it is good, so that going back and forth stays one lead; else a new one.
    pub fn ticket_in_force(self, texto: Option<&str>) -> String {
        match texto.filter(|t| self.read_ticket(t).is_ok()) {
            Some(texto) => texto.to_owned(),
            None => self.new_ticket(),
        }
    }

    /// Reads a ticket. A pass is none: it opens a form that was sent, for longer than a ticket is good.
    pub fn read_ticket(self, texto: &str) -> Result<Boleto, PaseInvalido> {
        let Pase::Boleto(lead) = self.app.outbound.pases.leer(texto, self.app.ahora())? else {
            return Err(PaseInvalido::Falso);
        };
        let (segundos, nanos) = lead.0.get_timestamp().ok_or(PaseInvalido::Falso)?.to_unix();
        let segundos = i64::try_from(segundos).map_err(|_| PaseInvalido::Falso)?;
        let nanos = i32::try_from(nanos).map_err(|_| PaseInvalido::Falso)?;
        let mostrado_en = Timestamp::new(segundos, nanos).map_err(|_| PaseInvalido::Falso)?;
        Ok(Boleto { lead, mostrado_en })
    }
}
