//! How people show who they are.

use async_trait::async_trait;
use embudo_domain::{Digest, UserId};
use embudo_store::credentials::{NewReset, SetPassword, SetTotp, UseReset};
use embudo_store::{Credentials, Result};

use super::ROW;
use crate::SqliteStore;
use crate::command::credentials;
use crate::writer::Shape;

#[async_trait]
impl Credentials for SqliteStore {
    async fn set_password(&self, command: SetPassword) -> Result<()> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| credentials::set_password(c, &command)).await
    }

    async fn set_totp(&self, command: SetTotp) -> Result<()> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| credentials::set_totp(c, &command)).await
    }

    async fn spend_step(&self, user: UserId, step: i64) -> Result<bool> {
        self.writer.run(Shape::Single, ROW, move |c| credentials::spend_step(c, user, step)).await
    }

    async fn spend_code(&self, user: UserId, code: Digest) -> Result<bool> {
        self.writer.run(Shape::Single, ROW, move |c| credentials::spend_code(c, user, code)).await
    }

    async fn create_reset(&self, command: NewReset) -> Result<()> {
        self.writer.run(Shape::Several, 2 * ROW, move |c| credentials::create_reset(c, &command)).await
    }

    async fn use_reset(&self, command: UseReset) -> Result<Option<UserId>> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| credentials::use_reset(c, &command)).await
    }
}
