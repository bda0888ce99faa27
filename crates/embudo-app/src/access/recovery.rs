//! Links for choosing a password: by mail for people who forgot theirs, by hand for people who are invited.
//!
//! The mail does not go through the outbox. A job belongs to a lead, and the text of the mail would be readable in the
//! database and give access to a person's account.

use embudo_domain::UserId;
use embudo_domain::audit::AuditAction;
use embudo_domain::contact::Email;
use embudo_domain::user::User;
use embudo_store::StoreError;
use embudo_store::credentials::{LinkKind, NewReset, SetPassword, UseReset};
use jiff::SignedDuration;

use super::letters::{self, SecurityChange};
use super::{Access, AccessError, Actor, Origin, Result, new_token, token_digest};

/// How long a link by mail is valid.
pub const RESET_LIFE: SignedDuration = SignedDuration::from_hours(1);
/// How long an invitation is valid.
pub const INVITE_LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The result of choosing a password with a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResetDone {
    /// Whether the person's calendar had an address for subscriptions, which is no longer valid.
    pub calendar_ended: bool,
}

/// Why no password was chosen.
#[derive(Debug, thiserror::Error)]
pub enum ResetError {
    /// The link was used, is too old, or never existed.
    #[error("the link is not good any more")]
    Over,
    /// What is wrong with the password.
    #[error("{0}")]
    Password(&'static str),
    #[error(transparent)]
    Access(#[from] AccessError),
}

impl From<StoreError> for ResetError {
    fn from(error: StoreError) -> Self {
        Self::Access(error.into())
    }
}

impl Access<'_> {
    /// Whether links can be mailed: a mail server is configured, and this server knows its own address.
    pub fn can_mail(self) -> bool {
        self.app.outbound.mail.is_some() && self.app.outbound.links.is_some()
    }

    /// Mails a link to the person with this e-mail address. It runs outside the request, so that the response time does
    /// not show whether there is such a person.
    pub fn ask_reset(self, email: &str, origin: &Origin) {
        let Ok(email) = Email::parse(email.trim()) else { return };
        if !self.can_mail() {
            return;
        }
        let (app, origin) = (self.app.clone(), origin.clone());
        embudo_trace::spawn(async move {
            if let Err(error) = app.access().mail_reset(email, &origin).await {
                tracing::warn!(%error, "a link to choose a password could not be made");
            }
        });
    }

    async fn mail_reset(self, email: Email, origin: &Origin) -> Result<()> {
        let found = self.app.store.user_by_email(email.normal).await?;
        let Some(user) = found.filter(|user| user.is_active) else { return Ok(()) };
        let path = self.new_link(&user, LinkKind::Reset, &Actor::person(&user, origin)).await?;
        letters::send_link(self.app, &user, &path).await;
        Ok(())
    }

    /// Makes a link for a person who is invited, or helped by an administrator, and returns its path. An earlier link
    /// of this kind is no longer valid.
    pub async fn invite(self, user: &User, actor: &Actor) -> Result<String> {
        self.new_link(user, LinkKind::Invitation, actor).await
    }

    /// Mails an invitation, if mail is configured, and returns whether it is. No request waits for the mail.
    pub fn mail_invitation(self, user: &User, by: &User, path: &str) -> bool {
        if !self.can_mail() {
            return false;
        }
        let (app, user, by, path) = (self.app.clone(), user.clone(), by.nombre.clone(), path.to_owned());
        embudo_trace::spawn(async move { letters::send_invitation(&app, &user, &by, &path).await });
        true
    }

    async fn new_link(self, user: &User, kind: LinkKind, actor: &Actor) -> Result<String> {
        let (life, action) = match kind {
            LinkKind::Reset => (RESET_LIFE, AuditAction::ResetAsked),
            LinkKind::Invitation => (INVITE_LIFE, AuditAction::UserInvited),
        };
        let (token, at) = (new_token(), self.app.now());
        let mut audit = self.audit(actor, action);
        audit.object = Some(user.email.typed.clone());
        let reset =
            NewReset { digest: token_digest(&token), user: user.id, kind, expira_en: at + life, at, audit };
        self.app.store.create_reset(reset).await?;
        Ok(format!("/panel/recuperar?pase={token}"))
    }

    /// The person of a link, while the link is valid.
    pub async fn reset_person(self, token: &str) -> Result<Option<User>> {
        let Some(id) = self.app.store.reset_user(token_digest(token), self.app.now()).await? else {
            return Ok(None);
        };
        Ok(self.app.store.user(id).await?)
    }

    /// Sets a password with a link, once. Every session of the person ends, and so does the secret of their calendar. A
    /// person who had a password before gets a mail about it.
    pub async fn reset(self, token: &str, password: &str, origin: &Origin) -> Result<ResetDone, ResetError> {
        let user = self.reset_person(token).await?.ok_or(ResetError::Over)?;
        check(password, &user)?;
        let calendar_ended = self.app.visits().agenda(user.id).await?.feed.is_some();
        let hash = self.app.passwords.hash(password).await?;
        let audit = self.audit(&Actor::person(&user, origin), AuditAction::PasswordReset);
        let command = UseReset { digest: token_digest(token), password: hash, at: self.app.now(), audit };
        let id = self.app.store.use_reset(command).await?.ok_or(ResetError::Over)?;
        self.tell_of(id);
        if user.has_password {
            self.tell_person(&user, SecurityChange::PasswordReset, origin);
        }
        Ok(ResetDone { calendar_ended })
    }

    /// Sets a person's password, for an operator. Sessions end and a mail is sent, as with a link.
    pub async fn give_password(self, id: UserId, password: &str, actor: &Actor) -> Result<(), ResetError> {
        let user = self.app.store.user(id).await?.ok_or(StoreError::UserNotFound)?;
        check(password, &user)?;
        let hash = self.app.passwords.hash(password).await?;
        let mut audit = self.audit(actor, AuditAction::PasswordReset);
        audit.object = Some(user.email.typed.clone());
        let command = SetPassword { user: id, password: hash, keep: None, audit };
        self.app.store.set_password(command).await?;
        self.tell_of(id);
        if user.has_password {
            self.tell_person(&user, SecurityChange::PasswordReset, &Origin::default());
        }
        Ok(())
    }
}

fn check(password: &str, user: &User) -> Result<(), ResetError> {
    let own = [user.email.normal.as_str(), user.nombre.as_str()];
    embudo_domain::password::check(password, &own).map_err(ResetError::Password)
}
