//! What opens a form without a key: passes to forms and consents, and the ticket that makes sending a form twice one lead.

use embudo_delivery::{InvalidPass, Pass};
use embudo_domain::{LeadId, Timestamp};
use jiff::SignedDuration;
use uuid::{NoContext, Uuid};

use crate::App;

/// How long a pass to a form or to consents opens it.
pub const PASS_LIFE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How long an unsent form may lie open.
pub(super) const TICKET_LIFE: SignedDuration = SignedDuration::from_hours(24);

/// The ticket of a form that was shown and not yet sent: the id that its lead will have, and when it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    pub lead: LeadId,
    pub shown_at: Timestamp,
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
    pub fn new_ticket(self) -> String {
        let now = self.app.now();
        let secs = u64::try_from(now.as_second()).unwrap_or(0);
        let nanos = u32::try_from(now.subsec_nanosecond()).unwrap_or(0);
        let id = Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, secs, nanos));
        self.app.outbound.passes.write(Pass::Ticket(LeadId(id)), Some(now + TICKET_LIFE))
    }

    /// The ticket that a form came with while it is good, so that going back and forth stays one lead; else a new one.
    pub fn ticket_in_force(self, text: Option<&str>) -> String {
        match text.filter(|t| self.read_ticket(t).is_ok()) {
            Some(text) => text.to_owned(),
            None => self.new_ticket(),
        }
    }

    /// Reads a ticket. A pass is none: it opens a form that was sent, for longer than a ticket is good.
    pub fn read_ticket(self, text: &str) -> Result<Ticket, InvalidPass> {
        let Pass::Ticket(lead) = self.app.outbound.passes.read(text, self.app.now())? else {
            return Err(InvalidPass::False);
        };
        let (secs, nanos) = lead.0.get_timestamp().ok_or(InvalidPass::False)?.to_unix();
        let secs = i64::try_from(secs).map_err(|_| InvalidPass::False)?;
        let nanos = i32::try_from(nanos).map_err(|_| InvalidPass::False)?;
        let shown_at = Timestamp::new(secs, nanos).map_err(|_| InvalidPass::False)?;
        Ok(Ticket { lead, shown_at })
    }
}
