//! How people show who they are.

use async_trait::async_trait;
use embudo_domain::{Digest, UserId};
use embudo_store::credentials::{NewReset, SetPassword, SetTotp, UseReset};
use embudo_store::{Credentials, Result};

use crate::PgStore;
use crate::command::credentials;
use crate::patience::patiently;

#[async_trait]
impl Credentials for PgStore {
    async fn set_password(&self, command: SetPassword) -> Result<()> {
        patiently!(self, self.turns.command(), credentials::set_password(&self.pool, &command))
    }

    async fn set_totp(&self, command: SetTotp) -> Result<()> {
        patiently!(self, self.turns.command(), credentials::set_totp(&self.pool, &command))
    }

    async fn spend_step(&self, user: UserId, step: i64) -> Result<bool> {
        patiently!(self, self.turns.command(), credentials::spend_step(&self.pool, user, step))
    }

    async fn spend_code(&self, user: UserId, code: Digest) -> Result<bool> {
        patiently!(self, self.turns.command(), credentials::spend_code(&self.pool, user, code))
    }

    async fn create_reset(&self, command: NewReset) -> Result<()> {
        patiently!(self, self.turns.command(), credentials::create_reset(&self.pool, &command))
    }

    async fn use_reset(&self, command: UseReset) -> Result<Option<UserId>> {
        patiently!(self, self.turns.command(), credentials::use_reset(&self.pool, &command))
    }
}
