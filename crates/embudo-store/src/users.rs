//! People who sign in, and what they may do.

use async_trait::async_trait;
use embudo_domain::UserId;
use embudo_domain::audit::AuditEntry;
use embudo_domain::role::Membership;
use embudo_domain::user::User;

use crate::Result;

/// A new person. A password may follow later: an invited person chooses it.
#[derive(Debug, Clone)]
pub struct NewUser {
    /// With their companies; `has_password` and `has_totp` follow from the credentials.
    pub user: User,
    /// The password's hash (PHC string).
    pub password: Option<String>,
    pub audit: AuditEntry,
}

/// The changes to a person; `None` keeps a field.
#[derive(Debug, Clone, Default)]
pub struct UserPatch {
    pub nombre: Option<String>,
    pub is_admin: Option<bool>,
    /// A person who may no longer sign in also loses every session, and every link to choose a password.
    pub is_active: Option<bool>,
    /// All of their companies from now on.
    pub memberships: Option<Vec<Membership>>,
}

/// People.
#[async_trait]
pub trait UserStore: Send + Sync + 'static {
    /// Creates the first person; `false`, and nothing is written, if there is one already. Safe to call from several
    /// processes.
    async fn create_first_user(&self, new: NewUser) -> Result<bool>;
    /// Creates a person; [`crate::StoreError::EmailTaken`], [`crate::StoreError::EmpresaNotFound`].
    async fn create_user(&self, new: NewUser) -> Result<()>;
    /// Changes a person; [`crate::StoreError::UserNotFound`], [`crate::StoreError::EmpresaNotFound`], and
    /// [`crate::StoreError::LastAdmin`] if no active administrator would be left.
    async fn update_user(&self, id: UserId, patch: UserPatch, audit: AuditEntry) -> Result<()>;
}
