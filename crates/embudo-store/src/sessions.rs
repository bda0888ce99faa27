//! Sessions of signed-in browsers.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::session::Session;
use embudo_domain::{Digest, EmpresaId, SessionId, Timestamp, UserId};

use crate::Result;

#[derive(Debug, Clone)]
pub struct NewSession {
    pub session: Session,
    /// The digest of its token; the token itself is not stored anywhere.
    pub token: Digest,
    /// The former token of the browser, which is not valid any more from now on.
    pub replaces: Option<Digest>,
    pub audit: Option<AuditEntry>,
}

#[async_trait]
pub trait SessionStore: Send + Sync + 'static {
    /// [`crate::StoreError::UserNotFound`] if its person does not exist or may not sign in.
    async fn create_session(&self, new: NewSession) -> Result<()>;
    /// Records that a session was used.
    async fn touch_session(&self, id: SessionId, at: Timestamp) -> Result<()>;
    /// Records which company the person looks at.
    async fn choose_empresa(&self, id: SessionId, empresa: EmpresaId) -> Result<()>;
    /// Ends one session of a person; `false` if they have no such session.
    async fn end_session(&self, user: UserId, id: SessionId, audit: AuditEntry) -> Result<bool>;
    /// Ends all sessions of a person except one; returns how many.
    async fn end_other_sessions(&self, user: UserId, keep: SessionId, audit: AuditEntry) -> Result<u64>;
    /// Deletes at most `max` expired sessions, and at most `max` expired links to choose a password; returns how many
    /// rows in total.
    async fn purge_access(&self, now: Timestamp, max: u32) -> Result<u64>;
}
