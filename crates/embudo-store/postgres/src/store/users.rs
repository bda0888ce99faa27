//! People who sign in, and what they may do.

use async_trait::async_trait;
use embudo_domain::UserId;
use embudo_domain::audit::AuditEntry;
use embudo_domain::user::User;
use embudo_store::users::{NewUser, UserPatch};
use embudo_store::{Result, Users, read};

use crate::PgStore;
use crate::command::users;
use crate::patience::patiently;

#[async_trait]
impl Users for PgStore {
    async fn any_user(&self) -> Result<bool> {
        read::any_user(self).await
    }

    async fn create_first_user(&self, new: NewUser) -> Result<bool> {
        patiently!(self, self.turns.command(), users::create_first(&self.pool, &new))
    }

    async fn create_user(&self, new: NewUser) -> Result<()> {
        patiently!(self, self.turns.command(), users::create(&self.pool, &new))
    }

    async fn update_user(&self, id: UserId, patch: UserPatch, audit: AuditEntry) -> Result<()> {
        patiently!(self, self.turns.command(), users::update(&self.pool, id, &patch, &audit))
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
