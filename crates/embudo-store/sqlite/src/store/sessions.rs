//! Signed-in browsers.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::{EmpresaId, SessionId, Timestamp, UserId};
use embudo_store::sessions::NewSession;
use embudo_store::{Result, Sessions};

use super::ROW;
use crate::SqliteStore;
use crate::command::sessions;
use crate::writer::Shape;

#[async_trait]
impl Sessions for SqliteStore {
    async fn create_session(&self, new: NewSession) -> Result<()> {
        self.writer.run(Shape::Several, 2 * ROW, move |c| sessions::create(c, &new)).await
    }

    async fn touch_session(&self, id: SessionId, at: Timestamp) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| sessions::touch(c, id, at)).await
    }

    async fn choose_empresa(&self, id: SessionId, empresa: EmpresaId) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| sessions::choose_empresa(c, id, empresa)).await
    }

    async fn end_session(&self, user: UserId, id: SessionId, audit: AuditEntry) -> Result<bool> {
        self.writer.run(Shape::Several, 2 * ROW, move |c| sessions::end(c, user, id, &audit)).await
    }

    async fn end_other_sessions(&self, user: UserId, keep: SessionId, audit: AuditEntry) -> Result<u64> {
        self.writer.run(Shape::Several, 2 * ROW, move |c| sessions::end_others(c, user, keep, &audit)).await
    }

    async fn purge_access(&self, now: Timestamp, max: u32) -> Result<u64> {
        self.writer.run(Shape::Several, ROW, move |c| sessions::purge(c, now, max)).await
    }
}
