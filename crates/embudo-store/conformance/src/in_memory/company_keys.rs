//! API keys that are bound to one company.

use std::net::IpAddr;

use async_trait::async_trait;
use embudo_domain::company_key::{CompanyKey, LiveKey, MAX_LIVE};
use embudo_domain::{CompanyKeyId, EmpresaId, Timestamp};
use embudo_store::company_keys::{NewCompanyKey, RevokeCompanyKey};
use embudo_store::{AuditStore as _, CompanyKeyReads, CompanyKeyStore, Result};

use super::Memory;

#[async_trait]
impl CompanyKeyStore for Memory {
    async fn create_company_key(&self, new: NewCompanyKey) -> Result<bool> {
        {
            let mut company = self.company_of(new.key.empresa)?;
            let is_live = |k: &CompanyKey| k.empresa == new.key.empresa && k.revocada_en.is_none();
            if company.keys.iter().filter(|(k, _)| is_live(k)).count() >= MAX_LIVE as usize {
                return Ok(false);
            }
            company.keys.push((new.key, new.digest));
        }
        self.record_audit(new.audit).await.map(|()| true)
    }

    async fn revoke_company_key(&self, command: RevokeCompanyKey) -> Result<bool> {
        {
            let mut company = self.company();
            let is_it = |k: &CompanyKey| {
                k.id == command.id && k.empresa == command.empresa && k.revocada_en.is_none()
            };
            let Some((key, _)) = company.keys.iter_mut().find(|(k, _)| is_it(k)) else { return Ok(false) };
            key.revocada_en = Some(command.at);
        }
        self.record_audit(command.audit).await.map(|()| true)
    }

    async fn touch_company_key(&self, id: CompanyKeyId, at: Timestamp, from: Option<IpAddr>) -> Result<()> {
        let is_older = |key: &CompanyKey| key.id == id && key.usada_en < Some(at);
        for (key, _) in self.company().keys.iter_mut().filter(|(key, _)| is_older(key)) {
            (key.usada_en, key.usada_desde) = (Some(at), from);
        }
        Ok(())
    }
}

#[async_trait]
impl CompanyKeyReads for Memory {
    async fn company_keys(&self, empresa: EmpresaId) -> Result<Vec<CompanyKey>> {
        let company = self.company();
        let own = company.keys.iter().map(|(key, _)| key).filter(|key| key.empresa == empresa);
        let mut own: Vec<CompanyKey> = own.cloned().collect();
        own.sort_by_key(|key| std::cmp::Reverse((key.creada_en, key.id)));
        Ok(own)
    }

    async fn live_company_keys(&self) -> Result<Vec<LiveKey>> {
        let company = self.company();
        let mut live: Vec<_> = company.keys.iter().filter(|(key, _)| key.revocada_en.is_none()).collect();
        live.sort_by_key(|(key, _)| (key.creada_en, key.id));
        let read = |(k, digest): &(CompanyKey, _)| LiveKey {
            id: k.id,
            empresa: k.empresa,
            digest: *digest,
            usada_en: k.usada_en,
        };
        Ok(live.into_iter().map(read).collect())
    }
}
