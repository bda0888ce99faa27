//! The tokens of the public form. Passes give access to a form and to consents without an API key. Two tokens make sure
//! that a form is sent once: the ticket of the whole form, which is part of addresses, and the secret of the page that
//! asks for contact data, which is only in that page.

use std::fmt;

use embudo_delivery::{InvalidPass, Pass};
use embudo_domain::{EmpresaId, LeadId, Timestamp};
use jiff::SignedDuration;
use uuid::{NoContext, Uuid};

use crate::App;
use crate::access::new_token;

/// How long a pass to a form or to consents is valid.
pub const PASS_LIFE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How long a form that was not sent stays valid.
pub(super) const TICKET_LIFE: SignedDuration = SignedDuration::from_hours(24);

/// The length of a secret of a page.
const SECRET_CHARS: usize = 43;

/// The ticket of a company's form, with the time at which the form was shown. It is part of addresses, which people
/// share, so it proves no identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    pub(super) id: Uuid,
    pub shown_at: Timestamp,
}

/// The secret of a page that asks for contact data. Only sending that same page again corrects the lead that it
/// created.
#[derive(Clone, PartialEq, Eq)]
pub struct PageSecret(String);

impl PageSecret {
    /// A new secret, for a page that is shown now.
    pub fn random() -> Self {
        Self(new_token())
    }

    /// The secret that a page sends back. `None` if the text does not have the form of a secret.
    pub fn read(text: &str) -> Option<Self> {
        let is_ours = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        (text.len() == SECRET_CHARS && text.bytes().all(is_ours)).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Does not show the secret.
impl fmt::Debug for PageSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageSecret")
    }
}

/// Passes to forms and consents.
#[derive(Clone, Copy)]
pub struct FormPasses<'a> {
    pub(crate) app: &'a App,
}

impl FormPasses<'_> {
    /// A pass to continue a lead's form.
    pub fn to_form(self, lead: LeadId) -> String {
        let (ends, generation) = (self.app.now() + PASS_LIFE, self.app.generation(lead.0));
        self.app.outbound.passes.write_nth(Pass::Form(lead), Some(ends), generation)
    }

    /// The lead of a pass to a form. This does not check whether the pass was revoked: pages call
    /// [`crate::Rights::open_pass`] for that.
    pub fn read_form(self, text: &str) -> Result<LeadId, InvalidPass> {
        match self.app.outbound.passes.read_nth(text, self.app.now())? {
            (Pass::Form(lead), _) => Ok(lead),
            _ => Err(InvalidPass::False),
        }
    }

    /// A pass to the page where a lead's consents are withdrawn. It never expires, because withdrawing must always be
    /// possible.
    pub fn to_consentimientos(self, lead: LeadId) -> String {
        self.app.outbound.passes.write(Pass::Consentimientos(lead), None)
    }

    /// The lead of a pass to consents.
    pub fn read_consentimientos(self, text: &str) -> Result<LeadId, InvalidPass> {
        match self.app.outbound.passes.read(text, self.app.now())? {
            Pass::Consentimientos(lead) => Ok(lead),
            _ => Err(InvalidPass::False),
        }
    }

    /// A ticket for a form that is shown now. Its id contains the moment, and the pass signs the id.
    pub fn new_ticket(self, empresa: EmpresaId) -> String {
        let now = self.app.now();
        let secs = u64::try_from(now.as_second()).unwrap_or(0);
        let nanos = u32::try_from(now.subsec_nanosecond()).unwrap_or(0);
        let id = Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, secs, nanos));
        self.app.outbound.passes.write(Pass::Ticket { id, empresa }, Some(now + TICKET_LIFE))
    }

    /// The ticket that came with a company's form, if it is still valid; otherwise a new one.
    pub fn ticket_in_force(self, text: Option<&str>, empresa: EmpresaId) -> String {
        match text.filter(|t| self.read_ticket(t, empresa).is_ok()) {
            Some(text) => text.to_owned(),
            None => self.new_ticket(empresa),
        }
    }

    /// Reads a ticket of a company's form. A ticket of another company is not accepted, and neither is a pass to a
    /// form: a pass belongs to a form that was already sent, and is valid for longer than a ticket.
    pub fn read_ticket(self, text: &str, empresa: EmpresaId) -> Result<Ticket, InvalidPass> {
        let id = match self.app.outbound.passes.read(text, self.app.now())? {
            Pass::Ticket { id, empresa: of } if of == empresa => id,
            _ => return Err(InvalidPass::False),
        };
        let (secs, nanos) = id.get_timestamp().ok_or(InvalidPass::False)?.to_unix();
        let secs = i64::try_from(secs).map_err(|_| InvalidPass::False)?;
        let nanos = i32::try_from(nanos).map_err(|_| InvalidPass::False)?;
        let shown_at = Timestamp::new(secs, nanos).map_err(|_| InvalidPass::False)?;
        Ok(Ticket { id, shown_at })
    }
}
