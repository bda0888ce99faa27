//! What people write to clients, and who answers in the place of the bot.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::reply::{Attention, Reply};
use embudo_domain::{LeadId, ReplyId, Timestamp, UserId};

use crate::Result;
use crate::inbox::Viewer;
use crate::outbox::NewJob;
use crate::sheet::Edited;

/// A reply, with the job that sends it.
#[derive(Debug, Clone)]
pub struct WriteReply {
    pub reply: Reply,
    /// The job, under the reply's own id; none where a person sends it.
    pub job: Option<NewJob>,
    pub audit: AuditEntry,
}

/// Who shall answer a lead.
#[derive(Debug, Clone)]
pub struct TakeOver {
    pub lead: LeadId,
    /// Who answered as far as the person saw; none: the bot.
    pub seen: Option<UserId>,
    /// Who answers from now on; none: the bot.
    pub to: Option<UserId>,
    pub at: Timestamp,
    pub audit: AuditEntry,
}

/// What a change of the person who answers comes to, if `now` answers at present.
pub fn decide(command: &TakeOver, now: Option<&Attention>) -> Edited {
    let now = now.filter(|attention| attention.holds(command.at)).map(|attention| attention.who);
    crate::desk::decide(&command.seen, &now, &command.to)
}

/// A lead that the viewer may not see is [`StoreError::LeadNotFound`](crate::StoreError::LeadNotFound).
#[async_trait]
pub trait ReplyStore: Send + Sync + 'static {
    /// Writes a reply; its author answers the lead from then on. `false`, and nothing done: it was written before.
    async fn write_reply(&self, viewer: &Viewer, command: WriteReply) -> Result<bool>;
    /// A person sent, or did not send after all, a reply that waits for that. `false`: none does under this id.
    async fn mark_reply(
        &self,
        viewer: &Viewer,
        lead: LeadId,
        id: ReplyId,
        was_sent: bool,
        audit: AuditEntry,
    ) -> Result<bool>;
    /// Ends jobs of replies whose time is over and that nobody is trying: their destination is paused, or nobody
    /// receives them any more. Returns their leads.
    async fn expire_replies(&self, now: Timestamp, max: u32) -> Result<Vec<LeadId>>;
    /// Takes a conversation over from the bot or from somebody else, or gives it back.
    async fn take_over(&self, viewer: &Viewer, command: TakeOver) -> Result<Edited>;
}
