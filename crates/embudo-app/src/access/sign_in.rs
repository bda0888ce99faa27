//! Sign-in with a password, then with a second factor if there is one, and sign-out.

use embudo_domain::audit::AuditAction;
use embudo_domain::contact::Email;
use embudo_domain::user::User;
use embudo_domain::{SessionId, UserId};

use super::totp::{code_mark, step_of};
use super::{Access, Actor, NewKind, OpenSession, Origin, Result, SessionToken};

/// What a person types to sign in.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub email: String,
    pub password: String,
    /// Whether the person marks the device as their own.
    pub own_device: bool,
    /// The token that the browser already has. It is no longer valid once this attempt succeeds.
    pub had: Option<String>,
}

/// The result of checking the password.
#[derive(Debug)]
pub enum SignIn {
    /// There is no such person, the password is wrong, or the person may not sign in: the response does not tell which.
    Wrong,
    Open(SessionToken),
    /// The second factor is required next; the token is valid only for that.
    NeedsCode(SessionToken),
}

/// The result of checking the second factor.
#[derive(Debug)]
pub enum SecondStep {
    Wrong,
    /// The password was entered too long ago.
    Over,
    Open(SessionToken),
}

impl Access<'_> {
    /// Checks a password. It takes the same time whether or not there is such a person.
    pub async fn sign_in(self, attempt: &Attempt, origin: &Origin) -> Result<SignIn> {
        let user = match Email::parse(attempt.email.trim()) {
            Ok(email) => self.app.store.user_by_email(email.normal).await?,
            Err(_) => None,
        };
        let id = user.as_ref().map_or(UserId(uuid::Uuid::nil()), |user| user.id);
        let kept = self.app.store.credentials(id).await?;
        let active = user.as_ref().filter(|user| user.is_active);
        let password = kept.password.filter(|_| active.is_some());
        let right = self.app.passwords.verify(&attempt.password, password).await?;
        let Some(user) = active.filter(|_| right) else {
            self.sign_in_failed(user.as_ref(), origin);
            return Ok(SignIn::Wrong);
        };
        let halfway = kept.totp.is_some();
        let kind = NewKind { own_device: attempt.own_device, halfway };
        let audit = self.audit(&Actor::person(user, origin), AuditAction::SignedIn);
        let audit = Some(audit).filter(|_| !halfway);
        let ticket = self.start(user, origin, kind, attempt.had.as_deref(), audit).await?;
        Ok(if halfway { SignIn::NeedsCode(ticket) } else { SignIn::Open(ticket) })
    }

    /// The person of a token, if its session waits for the second factor.
    pub async fn awaits_code(self, token: &str) -> Result<Option<UserId>> {
        let open = self.find(token).await?.filter(|open| open.session.halfway);
        Ok(open.map(|open| open.user.id))
    }

    /// Checks the second factor: a current code or a recovery code. Each code can be used once.
    pub async fn second_step(self, token: &str, code: &str, origin: &Origin) -> Result<SecondStep> {
        let Some(OpenSession { session, user }) = self.find(token).await?.filter(|open| open.session.halfway)
        else {
            return Ok(SecondStep::Over);
        };
        let Some(action) = self.spend(&user, code).await? else {
            self.code_failed(&user, origin);
            return Ok(SecondStep::Wrong);
        };
        let kind = NewKind { own_device: session.own_device, halfway: false };
        let audit = self.audit(&Actor::person(&user, origin), action);
        Ok(SecondStep::Open(self.start(&user, origin, kind, Some(token), Some(audit)).await?))
    }

    /// Uses up a code, and returns the action for the audit log. `None`: the code is wrong or already used.
    async fn spend(self, user: &User, code: &str) -> Result<Option<AuditAction>> {
        let kept = self.app.store.credentials(user.id).await?;
        let totp = kept.totp.as_ref();
        let step = totp.and_then(|totp| step_of(&totp.secret, code, self.app.now(), totp.last_step));
        if let Some(step) = step {
            let fresh = self.app.store.spend_step(user.id, step).await?;
            return Ok(fresh.then_some(AuditAction::SignedIn));
        }
        let Some(token_digest) = code_mark(user.id, code) else { return Ok(None) };
        let fresh = self.app.store.spend_code(user.id, token_digest).await?;
        Ok(fresh.then_some(AuditAction::CodeSpent))
    }

    /// Ends the session of a token, complete or still waiting for the second factor.
    pub async fn sign_out(self, token: &str, origin: &Origin) -> Result<()> {
        let Some(OpenSession { session, user }) = self.find(token).await? else { return Ok(()) };
        let audit = self.audit(&Actor::person(&user, origin), AuditAction::SignedOut);
        self.app.store.end_session(user.id, session.id, audit).await?;
        self.tell_of(user.id);
        Ok(())
    }

    /// Ends another session of a person's own; `false` if they have no such session.
    pub async fn end_session(self, open: &OpenSession, id: SessionId, origin: &Origin) -> Result<bool> {
        let audit = self.audit(&Actor::person(&open.user, origin), AuditAction::SessionEnded);
        let ended = self.app.store.end_session(open.user.id, id, audit).await?;
        self.tell_of(open.user.id);
        Ok(ended)
    }

    /// Ends all sessions of a person except this one.
    pub async fn end_other_sessions(self, open: &OpenSession, origin: &Origin) -> Result<u64> {
        let audit = self.audit(&Actor::person(&open.user, origin), AuditAction::SessionEnded);
        let ended = self.app.store.end_other_sessions(open.user.id, open.session.id, audit).await?;
        self.tell_of(open.user.id);
        Ok(ended)
    }
}
