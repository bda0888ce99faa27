//! People who sign in, and what they may do.

use async_trait::async_trait;
use embudo_domain::UserId;
use embudo_domain::audit::AuditEntry;
use embudo_domain::user::User;
use embudo_store::users::{NewUser, UserPatch};
use embudo_store::{Result, Users, read};

use super::ROW;
use crate::SqliteStore;
use crate::command::users;
use crate::writer::Shape;

#[async_trait]
impl Users for SqliteStore {
    async fn any_user(&self) -> Result<bool> {
        read::any_user(self).await
    }

    async fn create_first_user(&self, new: NewUser) -> Result<bool> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| users::create_first(c, &new)).await
    }

    async fn create_user(&self, new: NewUser) -> Result<()> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| users::create(c, &new)).await
    }

    async fn update_user(&self, id: UserId, patch: UserPatch, audit: AuditEntry) -> Result<()> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| users::update(c, id, &patch, &audit)).await
    }

    async fn user(&self, id: UserId) -> Result<Option<User>> {
        read::user(self, id).await
    }

    async fn user_by_email(&self, normal: String) -> Result<Option<User>> {
        read::user_by_email(self, &normal).await
    }

    async fn list_users(&self) -> Result<Vec<User>> {
        read::list_users(self).await
    }
}
