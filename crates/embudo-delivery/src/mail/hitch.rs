//! A step of the conversation that failed, and what that means for the mail.

use super::line::Cause;
use super::{Failure, MailOutcome, Phase};

/// A step that failed.
pub(super) struct Hitch {
    pub phase: Phase,
    pub error: Cause,
}

impl Hitch {
    /// A 5xx ends a mail only from `RCPT` on, where it concerns this recipient or this message. An earlier 5xx concerns
    /// us: a changed password or a sender that is not allowed yet must not end every mail of the day.
    pub(super) fn outcome(self) -> MailOutcome {
        let is_of_this_mail = matches!(self.phase, Phase::Recipient | Phase::Content | Phase::Final);
        let is_permanent = match &self.error {
            Cause::Refused(reply) => reply.code >= 500 && is_of_this_mail,
            Cause::Own(_) => false,
            Cause::Impossible(_) => true,
        };
        if is_permanent {
            MailOutcome::Permanent(self.failure())
        } else {
            MailOutcome::Temporary(self.failure())
        }
    }

    pub(super) fn failure(self) -> Failure {
        let Self { phase, error } = self;
        match error {
            Cause::Refused(reply) => Failure { phase, code: Some(reply.code), text: reply.text() },
            Cause::Own(text) | Cause::Impossible(text) => Failure { phase, code: None, text },
        }
    }
}
