//! What an administrator does with people: create, change, deactivate.

use embudo_domain::UserId;
use embudo_domain::audit::AuditAction;
use embudo_domain::contact::Email;
use embudo_domain::empresa::Empresa;
use embudo_domain::role::{Membership, Role};
use embudo_domain::user::User;
use embudo_store::StoreError;
use embudo_store::credentials::{SessionsEnd, SetTotp};
use embudo_store::users::{NewUser, UserPatch};

use super::letters::SecurityChange;
use super::{Access, Actor, Origin, Result};

/// The checked data of a person to be created.
#[derive(Debug, Clone)]
pub struct NewPerson {
    pub nombre: String,
    pub email: Email,
    pub is_admin: bool,
    pub memberships: Vec<Membership>,
    /// If absent, the person is invited to choose a password.
    pub password: Option<String>,
}

/// What an administrator changes in a person's account.
#[derive(Debug, Clone)]
pub struct Change {
    pub is_admin: bool,
    pub is_active: bool,
    pub memberships: Vec<Membership>,
}

impl Access<'_> {
    /// Creates a person. Fails with [`StoreError::EmailTaken`] and other errors of the store.
    pub async fn create_person(self, person: NewPerson, actor: &Actor) -> Result<User> {
        let password = match &person.password {
            Some(password) => Some(self.app.passwords.hash(password).await?),
            None => None,
        };
        let user = User {
            id: UserId(self.app.id()),
            email: person.email,
            nombre: person.nombre,
            is_admin: person.is_admin,
            is_active: true,
            has_password: password.is_some(),
            has_totp: false,
            creado_en: self.app.now(),
            memberships: person.memberships,
        };
        let mut audit = self.audit(actor, AuditAction::UserCreated);
        audit.object = Some(user.email.typed.clone());
        audit.after = Some(self.audit_text(user.is_admin, user.is_active, &user.memberships).await?);
        self.app.store.create_user(NewUser { user: user.clone(), password, audit }).await?;
        Ok(user)
    }

    /// Changes what a person may do. Fails with [`StoreError::LastAdmin`] if no administrator would be left.
    pub async fn change_person(self, id: UserId, change: Change, actor: &Actor) -> Result<()> {
        let before = self.app.store.user(id).await?.ok_or(StoreError::UserNotFound)?;
        let mut audit = self.audit(actor, AuditAction::UserChanged);
        audit.object = Some(before.email.typed.clone());
        audit.before = Some(self.audit_text(before.is_admin, before.is_active, &before.memberships).await?);
        audit.after = Some(self.audit_text(change.is_admin, change.is_active, &change.memberships).await?);
        if audit.before == audit.after {
            return Ok(());
        }
        let patch = UserPatch {
            nombre: None,
            is_admin: Some(change.is_admin),
            is_active: Some(change.is_active),
            memberships: Some(change.memberships),
        };
        self.app.store.update_user(id, patch, audit).await?;
        self.tell_of(id);
        Ok(())
    }

    /// Removes the second factor of a person who lost it. All their sessions end, and they get a mail.
    pub async fn drop_totp(self, user: &User, actor: &Actor) -> Result<()> {
        let mut audit = self.audit(actor, AuditAction::TotpOff);
        audit.object = Some(user.email.typed.clone());
        let command = SetTotp { user: user.id, totp: None, codes: Vec::new(), ends: SessionsEnd::All, audit };
        self.app.store.set_totp(command).await?;
        self.tell_of(user.id);
        self.tell_person(user, SecurityChange::TotpTaken, &Origin::default());
        Ok(())
    }

    /// A person's permissions as a text for the audit log.
    async fn audit_text(self, is_admin: bool, is_active: bool, memberships: &[Membership]) -> Result<String> {
        let empresas = self.app.store.list_empresas().await?;
        let of = |m: &Membership| {
            let named = |e: &&Empresa| e.id == m.empresa;
            let nombre = empresas.iter().find(named).map_or("?", |e| e.nombre.as_str());
            format!("{} en {nombre}", m.role)
        };
        let mut words: Vec<String> = memberships.iter().map(of).collect();
        words.sort();
        if is_admin {
            words.insert(0, Role::Administrador.to_string());
        }
        if words.is_empty() {
            words.push("sin empresa".to_owned());
        }
        if !is_active {
            words.push("de baja".to_owned());
        }
        Ok(words.join(", "))
    }
}
