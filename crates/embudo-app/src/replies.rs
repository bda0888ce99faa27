//! A person answers a client from the panel: by mail, by messaging through the company's workflow, or with their own
//! telephone. A person who answers takes the conversation over from the bot until they give it back.

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::job::{Destination, JobKind};
use embudo_domain::lead::Lead;
use embudo_domain::reply::{Attention, MAX_TEXT, Reply, ReplyChannel, open_window};
use embudo_domain::signal::ReplySignal;
use embudo_domain::user::User;
use embudo_domain::{JobId, LeadId, ReplyId, Timestamp, UserId};
use embudo_store::edited::Edited;
use embudo_store::inbox::Viewer;
use embudo_store::outbox::NewJob;
use embudo_store::replies::{TakeOver, WriteReply};

use crate::jobs::{ReplyMailPayload, as_text};
use crate::{Actor, App, AppError};

/// The replies that people write to clients.
#[derive(Clone, Copy)]
pub struct Replies<'a> {
    pub(crate) app: &'a App,
}

/// A reply that a person wants to send.
#[derive(Debug, Clone)]
pub struct NewReply {
    pub id: ReplyId,
    pub channel: ReplyChannel,
    pub text: String,
}

/// Why a reply cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotSent {
    Empty,
    TooLong,
    /// The client has not written by messaging in the last 24 hours, so messaging is closed.
    WindowClosed,
    /// There is no receiver of replies by messaging.
    NoReceiver,
    /// No mail is configured, or the lead has no address.
    NoMail,
    /// The lead has no telephone.
    NoTelephone,
}

/// The channels by which a lead can be answered, and the state of the conversation.
#[derive(Debug, Clone)]
pub struct ReplyWays {
    /// When the client last wrote by messaging.
    pub last_written: Option<Timestamp>,
    /// Until when the client may be written to by messaging. `None`: no longer.
    pub window: Option<Timestamp>,
    /// Whether there is a receiver of replies by messaging.
    pub has_receiver: bool,
    pub has_telephone: bool,
    pub has_mail: bool,
    /// The address for answers to a mail.
    pub mailbox: Option<String>,
    /// The person who answers instead of the bot.
    pub attention: Option<Attention>,
    /// Replies for a person's own telephone that are not marked as sent yet.
    pub prepared: Vec<Reply>,
}

impl ReplyWays {
    /// Why this channel cannot be used, if it cannot.
    pub fn refusal(&self, channel: ReplyChannel) -> Option<NotSent> {
        let when = |is_missing: bool, why| is_missing.then_some(why);
        match channel {
            ReplyChannel::Mail => when(!self.has_mail, NotSent::NoMail),
            ReplyChannel::WhatsApp => when(!self.has_telephone, NotSent::NoTelephone),
            ReplyChannel::Messaging => when(!self.has_telephone, NotSent::NoTelephone)
                .or(when(!self.has_receiver, NotSent::NoReceiver))
                .or(when(self.window.is_none(), NotSent::WindowClosed)),
        }
    }

    /// The channel that is offered first: the one that the client used last, or the next best.
    pub fn usual(&self) -> ReplyChannel {
        use ReplyChannel::{Mail, Messaging, WhatsApp};
        let order = match self.last_written {
            Some(_) if self.has_receiver && self.window.is_none() => [Messaging, Mail, WhatsApp],
            Some(_) => [Messaging, WhatsApp, Mail],
            None => [Mail, WhatsApp, Messaging],
        };
        order.into_iter().find(|channel| self.refusal(*channel).is_none()).unwrap_or(Mail)
    }
}

impl Replies<'_> {
    /// The channels by which a lead can be answered; `leads` are all leads of the same person.
    pub async fn ways(self, lead: &Lead, leads: &[LeadId]) -> Result<ReplyWays, AppError> {
        let (app, empresa, now) = (self.app, lead.empresa.id, self.app.now());
        let connections = app.store.settings(empresa).await?.connections;
        let has_receiver = app.receivers_by(&connections).has(Destination::Reply);
        let brand = app.store.brand(empresa).await?.brand;
        let mail = app.outbound.mail.as_ref();
        let sender = |from: Option<&str>| connections.sender.clone().complete(from, &lead.empresa, &brand);
        let mailbox = mail.map(|mail| {
            let sender = sender(mail.from_name.as_deref());
            sender.reply_to.or(sender.email).unwrap_or_else(|| mail.from.clone())
        });
        let last_written = app.store.last_written(leads).await?;
        Ok(ReplyWays {
            last_written,
            window: open_window(last_written, now),
            has_receiver,
            has_telephone: !lead.telefono_e164.is_empty(),
            has_mail: mail.is_some() && !lead.email.is_empty(),
            mailbox,
            attention: app.store.attention(lead.id, now).await?,
            prepared: app.store.prepared_replies(lead.id).await?,
        })
    }

    /// Sends a reply once. The same form sent twice is one reply; the second time returns `false`.
    pub async fn send(
        self,
        viewer: &Viewer,
        lead: &Lead,
        ways: &ReplyWays,
        new: NewReply,
        author: &User,
        actor: &Actor,
    ) -> Result<Result<bool, NotSent>, AppError> {
        let text = new.text.trim().to_owned();
        let refusal = match text.chars().count() {
            0 => Some(NotSent::Empty),
            n if n > MAX_TEXT => Some(NotSent::TooLong),
            _ => None,
        };
        if let Some(refusal) = refusal {
            return Ok(Err(refusal));
        }
        // The same form sent again is not a second message, even if the channel has closed since.
        if self.app.store.reply(new.id).await?.is_some_and(|reply| reply.lead == lead.id) {
            return Ok(Ok(false));
        }
        if let Some(refusal) = ways.refusal(new.channel) {
            return Ok(Err(refusal));
        }
        let reply = Reply {
            id: new.id,
            lead: lead.id,
            channel: new.channel,
            text,
            author: author.id,
            author_name: author.nombre.clone(),
            creado_en: self.app.now(),
            expires: ways.window.filter(|_| new.channel == ReplyChannel::Messaging).map(to_second),
            confirmed: None,
            job: None,
            job_ended: None,
        };
        let audit = self.audit_entry(lead, AuditAction::LeadReplied, new.channel.label(), actor);
        let job = self.job(lead, &reply);
        let is_new = self.app.store.write_reply(viewer, WriteReply { reply, job, audit }).await?;
        self.app.attempts.notify();
        Ok(Ok(is_new))
    }

    fn job(self, lead: &Lead, reply: &Reply) -> Option<NewJob> {
        let (kind, payload) = match (reply.channel, reply.expires) {
            (ReplyChannel::Messaging, Some(expires)) => {
                (JobKind::Reply, as_text(&ReplySignal::new(lead, reply, expires)))
            }
            (ReplyChannel::Mail, _) => (JobKind::ReplyMail, as_text(&ReplyMailPayload { reply: reply.id })),
            (ReplyChannel::WhatsApp | ReplyChannel::Messaging, _) => return None,
        };
        Some(NewJob { id: JobId(reply.id.0), ..self.app.jobs().shared(kind, payload) })
    }

    /// Records that a person sent a reply with their own telephone, or did not send it after all. `false`: no such
    /// reply is waiting.
    pub async fn mark_sent(
        self,
        viewer: &Viewer,
        lead: &Lead,
        id: ReplyId,
        was_sent: bool,
        actor: &Actor,
    ) -> Result<bool, AppError> {
        let said = if was_sent { "WhatsApp, enviado" } else { "WhatsApp, no enviado" };
        let audit = self.audit_entry(lead, AuditAction::LeadReplied, said, actor);
        Ok(self.app.store.mark_reply(viewer, lead.id, id, was_sent, audit).await?)
    }

    /// Takes a conversation over from the bot, or gives it back. `seen` is the person who was answering when the form
    /// was shown.
    pub async fn take_over(
        self,
        viewer: &Viewer,
        lead: &Lead,
        seen: Option<UserId>,
        to: Option<UserId>,
        actor: &Actor,
    ) -> Result<Edited, AppError> {
        let action = if to.is_some() { AuditAction::LeadTakenOver } else { AuditAction::LeadGivenBack };
        let audit = self.app.leads().entry(lead.id, lead.empresa.id, action, actor);
        let command = TakeOver { lead: lead.id, seen, to, at: self.app.now(), audit };
        Ok(self.app.store.take_over(viewer, command).await?)
    }

    fn audit_entry(self, lead: &Lead, action: AuditAction, after: &str, actor: &Actor) -> AuditEntry {
        let entry = self.app.leads().entry(lead.id, lead.empresa.id, action, actor);
        AuditEntry { after: Some(after.to_owned()), ..entry }
    }
}

/// Rounded to the second, as in the signal.
fn to_second(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).unwrap_or(at)
}
