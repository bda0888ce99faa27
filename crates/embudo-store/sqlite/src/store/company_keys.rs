//! API keys that are bound to one company.

use std::net::IpAddr;

use async_trait::async_trait;
use embudo_domain::{CompanyKeyId, Timestamp};
use embudo_store::company_keys::{NewCompanyKey, RevokeCompanyKey};
use embudo_store::{CompanyKeys, Result};

use super::ROW;
use crate::SqliteStore;
use crate::command::company_key;
use crate::writer::Shape;

#[async_trait]
impl CompanyKeys for SqliteStore {
    async fn create_company_key(&self, new: NewCompanyKey) -> Result<bool> {
        self.writer.run(Shape::Several, 4 * ROW, move |c| company_key::create(c, &new)).await
    }

    async fn revoke_company_key(&self, command: RevokeCompanyKey) -> Result<bool> {
        self.writer.run(Shape::Several, 2 * ROW, move |c| company_key::revoke(c, &command)).await
    }

    async fn touch_company_key(&self, id: CompanyKeyId, at: Timestamp, from: Option<IpAddr>) -> Result<()> {
        self.writer.run(Shape::Single, ROW, move |c| company_key::touch(c, id, at, from)).await
    }
}
