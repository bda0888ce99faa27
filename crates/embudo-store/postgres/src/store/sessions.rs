//! Signed-in browsers.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::{EmpresaId, SessionId, Timestamp, UserId};
use embudo_store::sessions::NewSession;
use embudo_store::{Result, Sessions};

use crate::PgStore;
use crate::command::sessions;
use crate::patience::patiently;

#[async_trait]
impl Sessions for PgStore {
    async fn create_session(&self, new: NewSession) -> Result<()> {
        patiently!(self, self.turns.command(), sessions::create(&self.pool, &new))
    }

    async fn touch_session(&self, id: SessionId, at: Timestamp) -> Result<()> {
        patiently!(self, self.turns.command(), sessions::touch(&self.pool, id, at))
    }

    async fn choose_empresa(&self, id: SessionId, empresa: EmpresaId) -> Result<()> {
        patiently!(self, self.turns.command(), sessions::choose_empresa(&self.pool, id, empresa))
    }

    async fn end_session(&self, user: UserId, id: SessionId, audit: AuditEntry) -> Result<bool> {
        patiently!(self, self.turns.command(), sessions::end(&self.pool, user, id, &audit))
    }

    async fn end_other_sessions(&self, user: UserId, keep: SessionId, audit: AuditEntry) -> Result<u64> {
        patiently!(self, self.turns.command(), sessions::end_others(&self.pool, user, keep, &audit))
    }

    async fn purge_access(&self, now: Timestamp, max: u32) -> Result<u64> {
        patiently!(self, self.turns.command(), sessions::purge(&self.pool, now, max))
    }
}
