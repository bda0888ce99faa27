//! The first administrator. Nobody can invite them, so they prove themselves by reading the server's folder.

use embudo_domain::UserId;
use embudo_domain::audit::AuditAction;
use embudo_domain::contact::Email;
use embudo_domain::user::User;
use embudo_store::users::NewUser;

use super::{Access, AccessError, Actor, NewKind, Origin, Result, SessionToken};
use crate::Pass;

/// The checked data of the first person.
#[derive(Debug, Clone)]
pub struct FirstPerson {
    pub nombre: String,
    pub email: Email,
    pub password: String,
}

/// Why the set-up is not possible.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// The pass is not valid, or a person already exists.
    #[error("the set-up is over, or the pass is not one of ours")]
    Closed,
    #[error(transparent)]
    Access(#[from] AccessError),
}

impl Access<'_> {
    /// The pass in the set-up link. Every process on one database makes the same pass.
    pub fn set_up_pass(self) -> String {
        self.app.outbound.passes.write(Pass::SetUp, None)
    }

    /// Whether there is no person yet.
    pub async fn awaits_set_up(self) -> Result<bool> {
        Ok(!self.app.store.any_user().await?)
    }

    /// Whether a pass allows the set-up now.
    pub async fn may_set_up(self, pass: &str) -> Result<bool> {
        let ours = self.app.outbound.passes.read(pass, self.app.now()) == Ok(Pass::SetUp);
        Ok(ours && self.awaits_set_up().await?)
    }

    /// Creates the first administrator and signs them in.
    pub async fn set_up(
        self,
        pass: &str,
        person: FirstPerson,
        origin: &Origin,
    ) -> Result<SessionToken, SetUpError> {
        if !self.may_set_up(pass).await? {
            return Err(SetUpError::Closed);
        }
        let user = self.first_user(&person);
        let actor = Actor::person(&user, origin);
        if !self.create_first(&user, &person.password, &actor).await? {
            return Err(SetUpError::Closed);
        }
        let kind = NewKind { own_device: false, halfway: false };
        Ok(self.start(&user, origin, kind, None, None).await?)
    }

    fn first_user(self, person: &FirstPerson) -> User {
        User {
            id: UserId(self.app.id()),
            email: person.email.clone(),
            nombre: person.nombre.clone(),
            is_admin: true,
            is_active: true,
            has_password: true,
            has_totp: false,
            creado_en: self.app.now(),
            memberships: Vec::new(),
        }
    }

    async fn create_first(self, user: &User, password: &str, actor: &Actor) -> Result<bool> {
        let password = self.app.passwords.hash(password).await?;
        let audit = self.audit(actor, AuditAction::SetUp);
        let new = NewUser { user: user.clone(), password: Some(password), audit };
        Ok(self.app.store.create_first_user(new).await?)
    }
}
