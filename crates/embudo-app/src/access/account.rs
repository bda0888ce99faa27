//! What people change in their own account.

use embudo_domain::audit::AuditAction;
use embudo_domain::user::User;
use embudo_store::credentials::{SessionsEnd, SetPassword, SetTotp, StoredTotp};
use embudo_store::users::UserPatch;

use super::letters::SecurityChange;
use super::totp::{base32, code_mark, new_codes, new_secret, read_base32, step_of, uri};
use super::{Access, Actor, OpenSession, Origin, Result};

/// A second factor that is offered. Nothing is stored until its first code is right.
#[derive(Debug, Clone)]
pub struct Enrolment {
    /// The secret, to be typed.
    pub secret: String,
    /// The same secret as a QR code, to be scanned.
    pub uri: String,
}

/// The result of a change to the second factor.
#[derive(Debug, PartialEq, Eq)]
pub enum TotpChange {
    /// The new recovery codes, shown only this once; none if the second factor was switched off.
    Done(Vec<String>),
    /// The code is not currently valid, or there is no second factor.
    WrongCode,
    WrongPassword,
}

impl Access<'_> {
    /// Whether this is the person's password. It is asked again before important changes. A wrong password is recorded
    /// in the audit log.
    pub async fn is_password(self, user: &User, password: &str, origin: &Origin) -> Result<bool> {
        let kept = self.app.store.credentials(user.id).await?;
        let is_right = self.app.passwords.verify(password, kept.password).await?;
        if !is_right {
            self.password_failed(user, origin);
        }
        Ok(is_right)
    }

    pub async fn rename(self, open: &OpenSession, nombre: String, origin: &Origin) -> Result<()> {
        let user = &open.user;
        let mut audit = self.audit(&Actor::person(user, origin), AuditAction::NameChanged);
        audit.before = Some(user.nombre.clone());
        audit.after = Some(nombre.clone());
        let patch = UserPatch { nombre: Some(nombre), ..UserPatch::default() };
        Ok(self.app.store.update_user(user.id, patch, audit).await?)
    }

    /// Changes the password if the old one is right. Every other session ends.
    pub async fn change_password(
        self,
        open: &OpenSession,
        old: &str,
        new: &str,
        origin: &Origin,
    ) -> Result<bool> {
        let user = &open.user;
        if !self.is_password(user, old, origin).await? {
            return Ok(false);
        }
        let password = self.app.passwords.hash(new).await?;
        let audit = self.audit(&Actor::person(user, origin), AuditAction::PasswordChanged);
        let command = SetPassword { user: user.id, password, keep: Some(open.session.id), audit };
        self.app.store.set_password(command).await?;
        self.tell_of(user.id);
        Ok(true)
    }

    /// Offers a second factor: with the secret `offered` before, otherwise with a new one.
    pub fn enrol(self, open: &OpenSession, offered: Option<&str>) -> Enrolment {
        let secret = offered.and_then(read_base32).unwrap_or_else(new_secret);
        let uri = uri(&secret, &open.user.email.typed);
        Enrolment { secret: base32(&secret), uri }
    }

    /// Switches the second factor on if password and first code are right. Every other session was opened without the
    /// second factor, so it ends.
    pub async fn turn_totp_on(
        self,
        open: &OpenSession,
        secret: &str,
        code: &str,
        password: &str,
        origin: &Origin,
    ) -> Result<TotpChange> {
        if !self.is_password(&open.user, password, origin).await? {
            return Ok(TotpChange::WrongPassword);
        }
        let found =
            read_base32(secret).and_then(|s| step_of(&s, code, self.app.now(), 0).map(|step| (s, step)));
        let Some((secret, last_step)) = found else { return Ok(TotpChange::WrongCode) };
        let totp = Some(StoredTotp { secret, last_step });
        let ends = SessionsEnd::AllBut(open.session.id);
        let change = self.write_totp(open, totp, ends, AuditAction::TotpOn, origin).await?;
        self.tell_person(&open.user, SecurityChange::TotpOn, origin);
        Ok(change)
    }

    /// Makes new recovery codes, which replace the old ones.
    pub async fn renew_codes(
        self,
        open: &OpenSession,
        password: &str,
        origin: &Origin,
    ) -> Result<TotpChange> {
        if !self.is_password(&open.user, password, origin).await? {
            return Ok(TotpChange::WrongPassword);
        }
        let totp = self.app.store.credentials(open.user.id).await?.totp;
        if totp.is_none() {
            return Ok(TotpChange::WrongCode);
        }
        self.write_totp(open, totp, SessionsEnd::None, AuditAction::CodesRenewed, origin).await
    }

    /// Switches the second factor off. Every other session ends.
    pub async fn turn_totp_off(
        self,
        open: &OpenSession,
        password: &str,
        origin: &Origin,
    ) -> Result<TotpChange> {
        if !self.is_password(&open.user, password, origin).await? {
            return Ok(TotpChange::WrongPassword);
        }
        let ends = SessionsEnd::AllBut(open.session.id);
        let change = self.write_totp(open, None, ends, AuditAction::TotpOff, origin).await?;
        self.tell_person(&open.user, SecurityChange::TotpOff, origin);
        Ok(change)
    }

    async fn write_totp(
        self,
        open: &OpenSession,
        totp: Option<StoredTotp>,
        ends: SessionsEnd,
        action: AuditAction,
        origin: &Origin,
    ) -> Result<TotpChange> {
        let user = open.user.id;
        let shown = if totp.is_some() { new_codes() } else { Vec::new() };
        let codes = shown.iter().filter_map(|code| code_mark(user, code)).collect();
        let audit = self.audit(&Actor::person(&open.user, origin), action);
        self.app.store.set_totp(SetTotp { user, totp, codes, ends, audit }).await?;
        self.tell_of(user);
        Ok(TotpChange::Done(shown))
    }
}
