//! API keys that are bound to one company.

use async_trait::async_trait;
use embudo_domain::EmpresaId;
use embudo_domain::company_key::{CompanyKey, LiveKey};

use super::Reader;
use crate::Result;
use crate::queries::company_key;

#[async_trait]
pub trait CompanyKeyReads: Send + Sync + 'static {
    /// A company's keys, the newest first, revoked ones too; at most 100.
    async fn company_keys(&self, empresa: EmpresaId) -> Result<Vec<CompanyKey>>;
    /// Every key in force, of all companies; at most [`embudo_domain::company_key::MAX_KNOWN`], the oldest.
    async fn live_company_keys(&self) -> Result<Vec<LiveKey>>;
}

#[async_trait]
impl<R: Reader> CompanyKeyReads for R {
    async fn company_keys(&self, empresa: EmpresaId) -> Result<Vec<CompanyKey>> {
        self.read(company_key::of_empresa(empresa)).await
    }

    async fn live_company_keys(&self) -> Result<Vec<LiveKey>> {
        self.read(company_key::live()).await
    }
}
