//! How people prove who they are: passwords, second factors, and links to choose a password with.
//!
//! Everything that grants access is stored as a hash, except for the secret of the second factor, from which the
//! server computes the codes.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::{Digest, SessionId, Timestamp, UserId};

use crate::Result;

/// The data against which a sign-in is checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredCredentials {
    /// The password's hash (PHC string).
    pub password: Option<String>,
    pub totp: Option<StoredTotp>,
    /// How many recovery codes are left.
    pub codes: u32,
}

/// A second factor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTotp {
    pub secret: Vec<u8>,
    /// The last period whose code was used; codes of this period and earlier ones are not valid any more.
    pub last_step: i64,
}

#[derive(Debug, Clone)]
pub struct SetPassword {
    pub user: UserId,
    pub password: String,
    /// The session that stays; all others end, and so do links to choose a password. `None`: every session ends, and
    /// the secret of the person's calendar too.
    pub keep: Option<SessionId>,
    pub audit: AuditEntry,
}

/// Sets or removes a second factor.
#[derive(Debug, Clone)]
pub struct SetTotp {
    pub user: UserId,
    pub totp: Option<StoredTotp>,
    /// The recovery codes from now on.
    pub codes: Vec<Digest>,
    pub ends: SessionsEnd,
    pub audit: AuditEntry,
}

/// Which sessions of a person end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionsEnd {
    None,
    AllBut(SessionId),
    All,
}

/// How a person got a link. A person has at most one link of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// It was requested on the sign-in page, by the person or by anybody who knows their e-mail.
    Reset,
    /// An administrator made it.
    Invitation,
}

/// A link to choose a password with.
#[derive(Debug, Clone)]
pub struct NewReset {
    pub digest: Digest,
    pub user: UserId,
    pub kind: LinkKind,
    pub expira_en: Timestamp,
    pub at: Timestamp,
    pub audit: AuditEntry,
}

/// A link that is used.
#[derive(Debug, Clone)]
pub struct UseReset {
    pub digest: Digest,
    pub password: String,
    pub at: Timestamp,
    pub audit: AuditEntry,
}

/// How people prove who they are.
#[async_trait]
pub trait CredentialStore: Send + Sync + 'static {
    /// Writes a password; [`crate::StoreError::UserNotFound`].
    async fn set_password(&self, command: SetPassword) -> Result<()>;
    /// Writes or removes the second factor with its recovery codes; [`crate::StoreError::UserNotFound`].
    async fn set_totp(&self, command: SetTotp) -> Result<()>;
    /// Marks the codes of a period and of earlier periods as used; `false` if they were used already, or there is no
    /// second factor.
    async fn spend_step(&self, user: UserId, step: i64) -> Result<bool>;
    /// Marks a recovery code as used; `false` if there is no such unused code.
    async fn spend_code(&self, user: UserId, code: Digest) -> Result<bool>;
    /// Makes a link to choose a password with; an earlier link of the same kind ends.
    /// [`crate::StoreError::UserNotFound`].
    async fn create_reset(&self, command: NewReset) -> Result<()>;
    /// Chooses a password with a link. This ends the link, every other link and session of the person, and their
    /// calendar's secret. `None` if the link is not valid any more.
    async fn use_reset(&self, command: UseReset) -> Result<Option<UserId>>;
}
