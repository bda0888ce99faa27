//! API keys that are bound to one company.

use std::net::IpAddr;

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::company_key::CompanyKey;
use embudo_domain::{CompanyKeyId, Digest, EmpresaId, Timestamp};

use crate::Result;

/// A new key. The key itself is not stored anywhere.
#[derive(Debug, Clone)]
pub struct NewCompanyKey {
    pub key: CompanyKey,
    pub digest: Digest,
    pub audit: AuditEntry,
}

/// Revokes a key.
#[derive(Debug, Clone)]
pub struct RevokeCompanyKey {
    pub empresa: EmpresaId,
    pub id: CompanyKeyId,
    pub at: Timestamp,
    pub audit: AuditEntry,
}

#[async_trait]
pub trait CompanyKeyStore: Send + Sync + 'static {
    /// `false`: the company already has the maximum of keys in force ([`embudo_domain::company_key::MAX_LIVE`]).
    /// [`crate::StoreError::EmpresaNotFound`].
    async fn create_company_key(&self, new: NewCompanyKey) -> Result<bool>;
    /// `false`: the company has no such key in force.
    async fn revoke_company_key(&self, command: RevokeCompanyKey) -> Result<bool>;
    /// Records that a key was used, and from which address; the time of last use only moves forward.
    async fn touch_company_key(&self, id: CompanyKeyId, at: Timestamp, from: Option<IpAddr>) -> Result<()>;
}
