//! People who sign in, their sessions, and the audit log.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::session::Session;
use embudo_domain::user::User;
use embudo_domain::{Digest, Timestamp, UserId};

use super::{Reader, first};
use crate::Result;
use crate::audit::{AuditCursor, AuditFilter};
use crate::credentials::StoredCredentials;
use crate::queries::access;

#[async_trait]
pub trait AccessReads: Send + Sync + 'static {
    /// Whether there is any person, active or not.
    async fn any_user(&self) -> Result<bool>;
    async fn user(&self, id: UserId) -> Result<Option<User>>;
    /// Finds a person by the folded form of their e-mail.
    async fn user_by_email(&self, normal: String) -> Result<Option<User>>;
    /// Everybody, by name.
    async fn list_users(&self) -> Result<Vec<User>>;
    /// The stored credentials of a person; empty ones if the person is unknown.
    async fn credentials(&self, user: UserId) -> Result<StoredCredentials>;
    /// The person of a link, if the link is valid and its person may sign in.
    async fn reset_user(&self, digest: Digest, now: Timestamp) -> Result<Option<UserId>>;
    /// The session of a token, even if it has expired.
    async fn session(&self, token: Digest) -> Result<Option<Session>>;
    /// A person's sessions, the last used first.
    async fn sessions_of(&self, user: UserId) -> Result<Vec<Session>>;
    /// One page of entries, the newest first.
    async fn audit_log(
        &self,
        filter: AuditFilter,
        after: Option<AuditCursor>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>>;
}

#[async_trait]
impl<R: Reader> AccessReads for R {
    async fn any_user(&self) -> Result<bool> {
        Ok(first(self, access::any_user()).await? == Some(true))
    }

    async fn user(&self, id: UserId) -> Result<Option<User>> {
        let found = first(self, access::user(id)).await?;
        with_memberships(self, found).await
    }

    async fn user_by_email(&self, normal: String) -> Result<Option<User>> {
        let found = first(self, access::user_by_email(&normal)).await?;
        with_memberships(self, found).await
    }

    async fn list_users(&self) -> Result<Vec<User>> {
        let mut users = self.read(access::users()).await?;
        let all = self.read(access::memberships()).await?;
        for user in &mut users {
            user.memberships = all.iter().filter(|(of, _)| *of == user.id).map(|(_, m)| *m).collect();
            user.memberships.sort_by_key(|membership| membership.empresa);
        }
        users.sort_by(|a, b| (&a.nombre, a.id).cmp(&(&b.nombre, b.id)));
        Ok(users)
    }

    async fn credentials(&self, user: UserId) -> Result<StoredCredentials> {
        Ok(first(self, access::credentials(user)).await?.unwrap_or_default())
    }

    async fn reset_user(&self, digest: Digest, now: Timestamp) -> Result<Option<UserId>> {
        first(self, access::reset_user(digest, now)).await
    }

    async fn session(&self, token: Digest) -> Result<Option<Session>> {
        first(self, access::session(token)).await
    }

    async fn sessions_of(&self, user: UserId) -> Result<Vec<Session>> {
        self.read(access::sessions_of(user)).await
    }

    async fn audit_log(
        &self,
        filter: AuditFilter,
        after: Option<AuditCursor>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>> {
        self.read(access::audit_log(&filter, after, limit)).await
    }
}

async fn with_memberships(reader: &impl Reader, found: Option<User>) -> Result<Option<User>> {
    let Some(mut user) = found else { return Ok(None) };
    let own = reader.read(access::memberships_of(user.id)).await?;
    user.memberships = own.into_iter().map(|(_, membership)| membership).collect();
    user.memberships.sort_by_key(|membership| membership.empresa);
    Ok(Some(user))
}
