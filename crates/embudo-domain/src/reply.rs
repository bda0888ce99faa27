//! A reply: what a person of the company writes to a client in the panel. Also who has taken over a conversation from
//! the bot (contract §4, "Reply by hand").

use jiff::{SignedDuration, Timestamp};

use crate::job::JobState;
use crate::{LeadId, ReplyId, UserId};

/// The maximum length of the text, in characters.
pub const MAX_TEXT: usize = 4_000;
/// How long after their last message a client may be written to by messaging.
pub const WINDOW: SignedDuration = SignedDuration::from_hours(24);
/// How long a workflow may take to record a reply that was handed to it.
pub const CONFIRMED_WITHIN: SignedDuration = SignedDuration::from_mins(10);
/// How long a person keeps a conversation after their last message.
pub const ATTENDED_FOR: SignedDuration = SignedDuration::from_hours(24);

enumeration! {
    /// How a reply reaches the client.
    ReplyChannel {
        /// Through the company's own workflow, which sends it and records it as a turn.
        Messaging = "mensajeria",
        Mail = "correo",
        /// A person sends it with their own telephone and marks it here as sent.
        WhatsApp = "whatsapp",
    }
}

impl ReplyChannel {
    /// The channel, as people read it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Messaging => "mensajería",
            Self::Mail => "correo",
            Self::WhatsApp => "WhatsApp",
        }
    }
}

/// Until when a client who last wrote at that time may be written to by messaging. `None`: the client may not, or never
/// wrote.
pub fn open_window(last_written: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    let until = last_written?.saturating_add(WINDOW).unwrap_or(Timestamp::MAX);
    (until > now).then_some(until)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Its id; also the id of the job that sends it, and the key under which the workflow records it.
    pub id: ReplyId,
    pub lead: LeadId,
    pub channel: ReplyChannel,
    pub text: String,
    pub author: UserId,
    /// The name of the author at that time.
    pub author_name: String,
    pub creado_en: Timestamp,
    /// After this time the reply is no longer worth sending.
    pub expires: Option<Timestamp>,
    /// When the workflow recorded it, or a person said that they sent it.
    pub confirmed: Option<Timestamp>,
    /// The state of its job, kept after the job is deleted. `None`: the reply never had a job.
    pub job: Option<JobState>,
    /// When its job ended; not known once the job has been deleted.
    pub job_ended: Option<Timestamp>,
}

/// The state of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyState {
    /// It is still to be sent.
    Pending,
    /// The mail server accepted it.
    Sent,
    /// The workflow accepted it and has not recorded it yet.
    Handed,
    /// The workflow accepted it and did not record it in time.
    Unconfirmed,
    /// It is recorded, or a person says that it was sent.
    Confirmed,
    /// Written for a person's own telephone, and not marked as sent yet.
    Prepared,
    /// It is not known whether the mail server accepted it.
    Doubtful,
    Failed,
    /// The window closed before it could be sent.
    Expired,
}

impl Reply {
    pub fn state(&self, now: Timestamp) -> ReplyState {
        if self.confirmed.is_some() {
            return ReplyState::Confirmed;
        }
        let is_over = self.expires.is_some_and(|at| at <= now);
        match (self.channel, self.job) {
            (ReplyChannel::WhatsApp, _) => ReplyState::Prepared,
            (_, Some(JobState::Pending)) if is_over => ReplyState::Expired,
            (_, Some(JobState::Pending)) => ReplyState::Pending,
            (ReplyChannel::Mail, Some(JobState::Done)) => ReplyState::Sent,
            (ReplyChannel::Messaging, Some(JobState::Done)) => {
                let since = self.job_ended.unwrap_or(self.creado_en);
                match since.saturating_add(CONFIRMED_WITHIN).is_ok_and(|until| until <= now) {
                    true => ReplyState::Unconfirmed,
                    false => ReplyState::Handed,
                }
            }
            (_, Some(JobState::Parked)) => ReplyState::Doubtful,
            (_, Some(JobState::Expired)) => ReplyState::Expired,
            (_, Some(JobState::Dead | JobState::Discarded | JobState::Superseded) | None) => {
                ReplyState::Failed
            }
        }
    }
}

/// A person who answers a client instead of the bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attention {
    pub who: UserId,
    pub nombre: String,
    pub since: Timestamp,
    /// When they last wrote, or took over.
    pub last: Timestamp,
}

impl Attention {
    /// Whether the person still answers this client. This ends by itself, so that the bot answers again even if the
    /// person forgot to give the client back.
    pub fn holds(&self, now: Timestamp) -> bool {
        self.last.saturating_add(ATTENDED_FOR).is_ok_and(|until| until > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(s: i64) -> Timestamp {
        Timestamp::from_second(s).expect("in range")
    }

    fn reply(channel: ReplyChannel, job: Option<JobState>) -> Reply {
        Reply {
            id: ReplyId(uuid::Uuid::nil()),
            lead: LeadId(uuid::Uuid::nil()),
            channel,
            text: "Hola".into(),
            author: UserId(uuid::Uuid::nil()),
            author_name: "Ana".into(),
            creado_en: t(100),
            expires: Some(t(10_000)),
            confirmed: None,
            job,
            job_ended: Some(t(200)),
        }
    }

    #[test]
    fn the_window_is_a_day_after_the_last_message() {
        let day = 24 * 3600;
        assert_eq!(open_window(None, t(0)), None);
        assert_eq!(open_window(Some(t(0)), t(day - 1)), Some(t(day)));
        assert_eq!(open_window(Some(t(0)), t(day)), None);
        assert_eq!(open_window(Some(Timestamp::MAX), t(0)), Some(Timestamp::MAX));
    }

    #[test]
    fn a_reply_stands_where_its_job_and_its_workflow_say() {
        use ReplyChannel::{Mail, Messaging, WhatsApp};
        let cases = [
            (Messaging, Some(JobState::Pending), 300, ReplyState::Pending),
            (Messaging, Some(JobState::Pending), 10_000, ReplyState::Expired),
            (Messaging, Some(JobState::Expired), 300, ReplyState::Expired),
            (Messaging, Some(JobState::Done), 799, ReplyState::Handed),
            (Messaging, Some(JobState::Done), 800, ReplyState::Unconfirmed),
            (Messaging, Some(JobState::Dead), 300, ReplyState::Failed),
            (Mail, Some(JobState::Done), 800, ReplyState::Sent),
            (Mail, Some(JobState::Parked), 800, ReplyState::Doubtful),
            (Mail, Some(JobState::Discarded), 800, ReplyState::Failed),
            (WhatsApp, None, 300, ReplyState::Prepared),
        ];
        for (channel, job, at, state) in cases {
            assert_eq!(reply(channel, job).state(t(at)), state, "{channel} {job:?} {at}");
        }
        let confirmed = Reply { confirmed: Some(t(1)), ..reply(Messaging, Some(JobState::Dead)) };
        assert_eq!(confirmed.state(t(10_000)), ReplyState::Confirmed, "it was sent, whatever was answered");
    }

    #[test]
    fn who_says_nothing_for_a_day_has_left() {
        let who =
            Attention { who: UserId(uuid::Uuid::nil()), nombre: "Ana".into(), since: t(0), last: t(100) };
        assert!(who.holds(t(100 + 24 * 3600 - 1)) && !who.holds(t(100 + 24 * 3600)));
    }
}
