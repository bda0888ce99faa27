//! People who sign in, and what they may do.

use async_trait::async_trait;
use embudo_domain::UserId;
use embudo_domain::audit::AuditEntry;
use embudo_store::users::{NewUser, UserPatch};
use embudo_store::{Result, Users};

use super::ROW;
use crate::SqliteStore;
use crate::command::users;
use crate::writer::Shape;

#[async_trait]
impl Users for SqliteStore {
    async fn create_first_user(&self, new: NewUser) -> Result<bool> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| users::create_first(c, &new)).await
    }

    async fn create_user(&self, new: NewUser) -> Result<()> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| users::create(c, &new)).await
    }

    async fn update_user(&self, id: UserId, patch: UserPatch, audit: AuditEntry) -> Result<()> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| users::update(c, id, &patch, &audit)).await
    }
}
