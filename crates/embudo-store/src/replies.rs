//! What people write to clients, and who answers instead of the bot.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::reply::{Attention, Reply};
use embudo_domain::{LeadId, ReplyId, Timestamp, UserId};

use crate::Result;
use crate::edited::Edited;
use crate::inbox::Viewer;
use crate::outbox::NewJob;

/// A reply, with the job that sends it.
#[derive(Debug, Clone)]
pub struct WriteReply {
    pub reply: Reply,
    /// The job, under the reply's own id; `None` if a person sends the reply.
    pub job: Option<NewJob>,
    pub audit: AuditEntry,
}

/// Sets who answers a lead.
#[derive(Debug, Clone)]
pub struct TakeOver {
    pub lead: LeadId,
    /// Who answered when the person looked; `None` means the bot.
    pub seen: Option<UserId>,
    /// Who answers from now on; `None` means the bot.
    pub to: Option<UserId>,
    pub at: Timestamp,
    pub audit: AuditEntry,
}

/// The result of a change of the person who answers, if `now` answers at present.
pub fn decide(command: &TakeOver, now: Option<&Attention>) -> Edited {
    let now = now.filter(|attention| attention.holds(command.at)).map(|attention| attention.who);
    Edited::decide(&command.seen, &now, &command.to)
}

/// A lead that the viewer may not see is [`StoreError::LeadNotFound`](crate::StoreError::LeadNotFound).
#[async_trait]
pub trait ReplyStore: Send + Sync + 'static {
    /// Writes a reply; from then on its author answers the lead. `false`, and nothing done, if it was written before.
    async fn write_reply(&self, viewer: &Viewer, command: WriteReply) -> Result<bool>;
    /// Records that a person has sent a reply by hand, or deletes a reply that they will not send. `false`: no such
    /// reply waits to be sent.
    async fn mark_reply(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        id: ReplyId,
        was_sent: bool,
        audit: AuditEntry,
    ) -> Result<bool>;
    /// Ends jobs of expired replies that no process is trying: their destination is paused, or there is no receiver any
    /// more. Returns their leads.
    async fn expire_replies(&self, now: Timestamp, max: u32) -> Result<Vec<LeadId>>;
    /// Takes a conversation over from the bot or from another person, or gives it back.
    async fn take_over(&self, viewer: &Viewer, command: TakeOver) -> Result<Edited>;
}
