//! API keys that are bound to one company.

use std::net::IpAddr;

use async_trait::async_trait;
use embudo_domain::company_key::MAX_LIVE;
use embudo_domain::{CompanyKeyId, Timestamp};

use super::{Engine, Load, Lock, Tx, audit, run, sql};
use crate::company_keys::{NewCompanyKey, RevokeCompanyKey};
use crate::queries::empresa;
use crate::{CompanyKeyStore, Result, StoreError};

#[async_trait]
impl<E: Engine> CompanyKeyStore for E {
    async fn create_company_key(&self, new: NewCompanyKey) -> Result<bool> {
        self.write(Load::SMALL, new, |tx, new| Box::pin(create(tx, new))).await
    }

    async fn revoke_company_key(&self, command: RevokeCompanyKey) -> Result<bool> {
        self.write(Load::SMALL, command, |tx, command| Box::pin(revoke(tx, command))).await
    }

    async fn touch_company_key(&self, id: CompanyKeyId, at: Timestamp, from: Option<IpAddr>) -> Result<()> {
        let touch = sql!("clave_api/touch.sql", id: id.0, now: at, desde: from.map(|ip| ip.to_string()));
        run(self, Load::SMALL, touch).await.map(drop)
    }
}

/// Stores a new key, unless its company has the maximum already. The lock keeps concurrent calls from exceeding the
/// maximum.
async fn create(tx: &Tx<'_>, new: &NewCompanyKey) -> Result<bool> {
    tx.lock(Lock::Empresas).await?;
    let key = &new.key;
    tx.first(empresa::get(key.empresa)).await?.ok_or(StoreError::EmpresaNotFound)?;
    let insert = sql!(
        "clave_api/insert.sql",
        id: key.id.0,
        huella: new.digest,
        empresa: key.empresa.0,
        nombre: &key.nombre,
        prefijo: &key.prefix,
        creada_por: &key.creada_por,
        creada_en: key.creada_en,
        max: MAX_LIVE,
    );
    if tx.run(insert).await? == 0 {
        return Ok(false);
    }
    audit::tell(tx, &new.audit).await?;
    Ok(true)
}

async fn revoke(tx: &Tx<'_>, command: &RevokeCompanyKey) -> Result<bool> {
    let revoke = sql!("clave_api/revoke.sql", id: command.id.0, empresa: command.empresa.0, now: command.at);
    if tx.run(revoke).await? == 0 {
        return Ok(false);
    }
    audit::tell(tx, &command.audit).await?;
    Ok(true)
}
