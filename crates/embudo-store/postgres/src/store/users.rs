//! People who sign in, and what they may do.

use async_trait::async_trait;
use embudo_domain::UserId;
use embudo_domain::audit::AuditEntry;
use embudo_store::users::{NewUser, UserPatch};
use embudo_store::{Result, Users};

use crate::PgStore;
use crate::command::users;
use crate::patience::patiently;

#[async_trait]
impl Users for PgStore {
    async fn create_first_user(&self, new: NewUser) -> Result<bool> {
        patiently!(self, self.turns.command(), users::create_first(&self.pool, &new))
    }

    async fn create_user(&self, new: NewUser) -> Result<()> {
        patiently!(self, self.turns.command(), users::create(&self.pool, &new))
    }

    async fn update_user(&self, id: UserId, patch: UserPatch, audit: AuditEntry) -> Result<()> {
        patiently!(self, self.turns.command(), users::update(&self.pool, id, &patch, &audit))
    }
}
