//! Links to choose a password with: by mail to who forgot theirs, by hand to who is invited.
//!
//! The mail does not go through the outbox: a job belongs to a lead, and its text would keep in the database, readable, what
//! opens a person's account.

use std::time::Duration;

use embudo_delivery::{MailOutcome, Mensaje};
use embudo_domain::UserId;
use embudo_domain::audit::AuditAction;
use embudo_domain::color::Color;
use embudo_domain::contact::Email;
use embudo_domain::user::User;
use embudo_store::StoreError;
use embudo_store::credentials::{NewReset, SetPassword, UseReset};
use jiff::SignedDuration;

use super::{Access, AccessError, Actor, Origin, Result, mark, new_token};
use crate::App;
use crate::letter::{button, page, paragraph};

/// How long a link by mail is good.
pub const RESET_LIFE: SignedDuration = SignedDuration::from_hours(1);
/// How long an invitation is good.
pub const INVITE_LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Attempts at the mail, and the pause between them.
const ATTEMPTS: u32 = 4;
const PAUSE: Duration = Duration::from_secs(15);

/// Why no password was chosen.
#[derive(Debug, thiserror::Error)]
pub enum ResetError {
    /// The link was used, is too old, or never was one.
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
    /// Whether links can be mailed: there is a mail server, and the server knows its own address.
    pub fn can_mail(self) -> bool {
        self.app.outbound.mail.is_some() && self.app.outbound.links.is_some()
    }

    /// Mails a link to whoever has this e-mail. It is done beside the request, so that nobody sees by the time whether there is one.
    pub fn ask_reset(self, email: &str, origin: &Origin) {
        let Ok(email) = Email::parse(email.trim()) else { return };
        if !self.can_mail() {
            return;
        }
        let (app, origin) = (self.app.clone(), origin.clone());
        tokio::spawn(async move {
            if let Err(error) = app.access().mail_reset(email, &origin).await {
                tracing::warn!(%error, "a link to choose a password could not be made");
            }
        });
    }

    async fn mail_reset(self, email: Email, origin: &Origin) -> Result<()> {
        let found = self.app.store.user_by_email(email.normal).await?;
        let Some(user) = found.filter(|user| user.is_active) else { return Ok(()) };
        let audit = AuditAction::ResetAsked;
        let path = self.new_link(&user, RESET_LIFE, &Actor::person(&user, origin), audit).await?;
        send(self.app, &user, &path).await;
        Ok(())
    }

    /// Makes a link for somebody who is invited, or helped by an administrator; its path. Earlier ones end.
    pub async fn invite(self, user: &User, actor: &Actor) -> Result<String> {
        self.new_link(user, INVITE_LIFE, actor, AuditAction::UserInvited).await
    }

    async fn new_link(
        self,
        user: &User,
        life: SignedDuration,
        actor: &Actor,
        action: AuditAction,
    ) -> Result<String> {
        let (token, at) = (new_token(), self.app.now());
        let mut audit = self.audit(actor, action);
        audit.object = Some(user.email.typed.clone());
        let reset = NewReset { digest: mark(&token), user: user.id, expira_en: at + life, at, audit };
        self.app.store.create_reset(reset).await?;
        Ok(format!("/panel/recuperar?pase={token}"))
    }

    /// Whose link it is, while it is good.
    pub async fn reset_person(self, token: &str) -> Result<Option<User>> {
        let Some(id) = self.app.store.reset_user(mark(token), self.app.now()).await? else {
            return Ok(None);
        };
        Ok(self.app.store.user(id).await?)
    }

    /// Chooses a password with a link, once; every session of the person ends.
    pub async fn reset(self, token: &str, password: &str, origin: &Origin) -> Result<(), ResetError> {
        let user = self.reset_person(token).await?.ok_or(ResetError::Over)?;
        check(password, &user)?;
        let hash = self.app.passwords.hash(password).await?;
        let audit = self.audit(&Actor::person(&user, origin), AuditAction::PasswordReset);
        let command = UseReset { digest: mark(token), password: hash, at: self.app.now(), audit };
        self.app.store.use_reset(command).await?.map(drop).ok_or(ResetError::Over)
    }

    /// Gives somebody a password, as an operator does; every session of the person ends.
    pub async fn give_password(self, id: UserId, password: &str, actor: &Actor) -> Result<(), ResetError> {
        let user = self.app.store.user(id).await?.ok_or(StoreError::UserNotFound)?;
        check(password, &user)?;
        let hash = self.app.passwords.hash(password).await?;
        let mut audit = self.audit(actor, AuditAction::PasswordReset);
        audit.object = Some(user.email.typed.clone());
        let command = SetPassword { user: id, password: hash, keep: None, audit };
        Ok(self.app.store.set_password(command).await?)
    }
}

fn check(password: &str, user: &User) -> Result<(), ResetError> {
    let own = [user.email.normal.as_str(), user.nombre.as_str()];
    embudo_domain::password::check(password, &own).map_err(ResetError::Password)
}

/// Hands the mail over. What cannot be sent is asked for again by the person.
async fn send(app: &App, user: &User, path: &str) {
    let (Some(mail), Some(links)) = (&app.outbound.mail, &app.outbound.links) else { return };
    let url = format!("{}{path}", links.public_url);
    let message = Mensaje {
        id: app.id().to_string(),
        date: app.now(),
        from: mail.from.clone(),
        shown_from: None,
        from_name: mail.from_name.clone().or_else(|| Some("Embudo".to_owned())),
        reply_to: None,
        to: user.email.typed.clone(),
        subject: "Elige una contraseña nueva".to_owned(),
        text: text(user, &url),
        html: html(user, &url),
        logo: None,
        attachment: None,
        unsubscribe: None,
        calendar: None,
    };
    for attempt in 1..=ATTEMPTS {
        match mail.cliente.send(&message, async { Ok(()) }).await {
            MailOutcome::Sent(_) | MailOutcome::Doubtful(_) => return,
            MailOutcome::Temporary(failure) if attempt < ATTEMPTS => {
                tracing::info!(user = %user.id, %failure, attempt, "a link could not be mailed; it is tried again");
                tokio::time::sleep(PAUSE).await;
            }
            MailOutcome::Temporary(failure) | MailOutcome::Permanent(failure) => {
                tracing::warn!(user = %user.id, %failure, "a link to choose a password could not be mailed");
                return;
            }
        }
    }
}

const ASKED: &str = "Alguien, esperamos que tú, ha pedido elegir una contraseña nueva para el panel.";
const LIFE: &str = "El enlace vale una hora y una sola vez.";
const NOT_ME: &str = "Si no has sido tú, no hagas nada: tu contraseña sigue siendo la de siempre.";

fn text(user: &User, url: &str) -> String {
    format!("Hola, {}:\n\n{ASKED} Elígela aquí:\n{url}\n\n{LIFE}\n\n{NOT_ME}\n", user.nombre)
}

fn html(user: &User, url: &str) -> String {
    let body = [
        paragraph(&format!("Hola, {}:", user.nombre)),
        paragraph(ASKED),
        button(url, "Elegir contraseña", Color::DEFAULT.palette()),
        paragraph(LIFE),
        paragraph(NOT_ME),
    ];
    page(&body.concat(), "Embudo", Color::DEFAULT)
}
