//! API keys that are bound to one company.

use std::net::IpAddr;

use deadpool_postgres::Pool;
use embudo_domain::company_key::MAX_LIVE;
use embudo_domain::{CompanyKeyId, Timestamp};
use embudo_store::company_keys::{NewCompanyKey, RevokeCompanyKey};
use embudo_store::{StoreError, queries};

use super::alone::commit;
use super::{audit, empresa};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

/// Keeps a new key, unless its company has as many as it may. The lock keeps racers from having one more.
pub(crate) async fn create(pool: &Pool, new: &NewCompanyKey) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    empresa::lock(&tx).await?;
    let key = &new.key;
    run_in(&tx, &queries::empresa::get(key.empresa)).await?.pop().ok_or(StoreError::EmpresaNotFound)?;
    let values = params! {
        id: key.id.0,
        huella: new.mark.0.as_slice(),
        empresa: key.empresa.0,
        nombre: key.nombre,
        prefijo: key.prefix,
        creada_por: key.creada_por,
        creada_en: Instant::from(key.creada_en),
        max: i64::from(MAX_LIVE),
    };
    if tx.execute(sql!("clave_api/insert.sql"), values).await? == 0 {
        return Ok(false);
    }
    audit::record_in(&tx, &new.audit).await?;
    commit(tx).await?;
    Ok(true)
}

/// Ends a key.
pub(crate) async fn revoke(pool: &Pool, command: &RevokeCompanyKey) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let (id, empresa, now) = (command.id.0, command.empresa.0, Instant::from(command.at));
    if tx.execute(sql!("clave_api/revoke.sql"), params! { id, empresa, now }).await? == 0 {
        return Ok(false);
    }
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await?;
    Ok(true)
}

/// Writes down that a key was used.
pub(crate) async fn touch(pool: &Pool, id: CompanyKeyId, at: Timestamp, from: Option<IpAddr>) -> Step<()> {
    let used = params! { id: id.0, now: Instant::from(at), desde: from.map(|ip| ip.to_string()) };
    pool.get().await?.execute(sql!("clave_api/touch.sql"), used).await?;
    Ok(())
}
