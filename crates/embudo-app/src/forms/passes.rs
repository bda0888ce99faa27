//! What opens a form without a key: passes to forms and consents. What a form is sent under, once: the ticket of the
//! whole form, which stands in addresses, and the secret of the page that asks for contact data, which stands in that
//! page alone.

use std::fmt;

use embudo_delivery::{InvalidPass, Pass};
use embudo_domain::{EmpresaId, LeadId, Timestamp};
use jiff::SignedDuration;
use uuid::{NoContext, Uuid};

use crate::App;
use crate::access::new_token;

/// How long a pass to a form or to consents opens it.
pub const PASS_LIFE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How long an unsent form may lie open.
pub(super) const TICKET_LIFE: SignedDuration = SignedDuration::from_hours(24);

/// The length of a secret of a page.
const SECRET_CHARS: usize = 43;

/// The ticket of a company's form, with the time it was shown. It stands in addresses, which people share, so it proves
/// no identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    pub(super) id: Uuid,
    pub shown_at: Timestamp,
}

/// The secret of a page that asks for contact data. Sending that page again corrects the lead that it made; no other
/// page does.
#[derive(Clone, PartialEq, Eq)]
pub struct PageSecret(String);

impl PageSecret {
    /// For a page that is shown now.
    pub fn random() -> Self {
        Self(new_token())
    }

    /// The one that a page brings back; none if it is not the length of one of ours.
    pub fn read(text: &str) -> Option<Self> {
        let is_ours = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        (text.len() == SECRET_CHARS && text.bytes().all(is_ours)).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Without the secret.
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
    /// A pass to go on with a lead's form.
    pub fn to_form(self, lead: LeadId) -> String {
        let (ends, generation) = (self.app.now() + PASS_LIFE, self.app.generation(lead.0));
        self.app.outbound.passes.write_nth(Pass::Form(lead), Some(ends), generation)
    }

    /// The lead whose form a pass is to, whether or not it was revoked since: pages ask [`crate::Rights::open_pass`].
    pub fn read_form(self, text: &str) -> Result<LeadId, InvalidPass> {
        match self.app.outbound.passes.read_nth(text, self.app.now())? {
            (Pass::Form(lead), _) => Ok(lead),
            _ => Err(InvalidPass::False),
        }
    }

    /// A pass to the page where a lead's consents are withdrawn. It never ends: withdrawing must always be possible.
    pub fn to_consentimientos(self, lead: LeadId) -> String {
        self.app.outbound.passes.write(Pass::Consentimientos(lead), None)
    }

    /// The lead whose consents a pass opens.
    pub fn read_consentimientos(self, text: &str) -> Result<LeadId, InvalidPass> {
        match self.app.outbound.passes.read(text, self.app.now())? {
            Pass::Consentimientos(lead) => Ok(lead),
            _ => Err(InvalidPass::False),
        }
    }

    /// A ticket for a form that is shown now. The id carries the moment, and the pass its signature.
    pub fn new_ticket(self, empresa: EmpresaId) -> String {
        let now = self.app.now();
        let secs = u64::try_from(now.as_second()).unwrap_or(0);
        let nanos = u32::try_from(now.subsec_nanosecond()).unwrap_or(0);
        let id = Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, secs, nanos));
        self.app.outbound.passes.write(Pass::Ticket { id, empresa }, Some(now + TICKET_LIFE))
    }

    /// The ticket that a company's form came with while it is good; else a new one.
    pub fn ticket_in_force(self, text: Option<&str>, empresa: EmpresaId) -> String {
        match text.filter(|t| self.read_ticket(t, empresa).is_ok()) {
            Some(text) => text.to_owned(),
            None => self.new_ticket(empresa),
        }
    }

    /// Reads a ticket of a company's form; another company's is none. Neither is a pass: it opens a form that was sent,
    /// for longer than a ticket is good.
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
