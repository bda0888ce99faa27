//! API keys that are bound to one company.

use std::net::IpAddr;

use async_trait::async_trait;
use embudo_domain::{CompanyKeyId, Timestamp};
use embudo_store::company_keys::{NewCompanyKey, RevokeCompanyKey};
use embudo_store::{CompanyKeys, Result};

use crate::PgStore;
use crate::command::company_key;
use crate::patience::patiently;

#[async_trait]
impl CompanyKeys for PgStore {
    async fn create_company_key(&self, new: NewCompanyKey) -> Result<bool> {
        patiently!(self, self.turns.command(), company_key::create(&self.pool, &new))
    }

    async fn revoke_company_key(&self, command: RevokeCompanyKey) -> Result<bool> {
        patiently!(self, self.turns.command(), company_key::revoke(&self.pool, &command))
    }

    async fn touch_company_key(&self, id: CompanyKeyId, at: Timestamp, from: Option<IpAddr>) -> Result<()> {
        patiently!(self, self.turns.command(), company_key::touch(&self.pool, id, at, from))
    }
}
