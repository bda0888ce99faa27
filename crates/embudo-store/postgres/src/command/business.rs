//! What quotes are made from: price tables, brands, and what was made of photos; and secrets of our own.

use deadpool_postgres::Pool;
use embudo_domain::brand::Brand;
use embudo_domain::rendition::{Rendition, RenditionOutcome};
use embudo_domain::{Digest, EmpresaId};
use embudo_store::empresas::StoredTarifa;
use embudo_store::{StoreError, queries};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::alone::commit;
use super::blob;
use crate::failure::Step;
use crate::query::run;
use crate::rows::Instant;

/// Loads a price table. A racing twin is waited for by the insert.
pub(crate) async fn save_tarifa(pool: &Pool, empresa: EmpresaId, tarifa: &StoredTarifa) -> Step<()> {
    let StoredTarifa { version, since, text, creada_en } = tarifa;
    let client = pool.get().await?;
    let insert = client.prepare_cached(include_str!("../../sql/tarifa/insert.sql")).await?;
    if client.execute(&insert, &[&empresa.0, version, since, text, &Instant::from(*creada_en)]).await? == 1 {
        return Ok(());
    }
    // It is asked for on another connection of the pool.
    drop(client);
    let antes = run(pool, &queries::empresa::tarifa(empresa, version)).await?.pop();
    let antes = antes.ok_or(StoreError::EmpresaNotFound)?;
    if antes.text != *text || antes.since != *since {
        return Err(StoreError::TarifaTaken.into());
    }
    Ok(())
}

/// Runs one statement that takes its company from the database: no row means that there is no such company.
async fn execute_on_empresa(pool: &Pool, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> Step<()> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(sql).await?;
    match client.execute(&statement, parameters).await? {
        0 => Err(StoreError::EmpresaNotFound.into()),
        _ => Ok(()),
    }
}

/// Writes a company's brand.
pub(crate) async fn save_brand(pool: &Pool, empresa: EmpresaId, brand: &Brand) -> Step<()> {
    let data = serde_json::to_string(brand)
        .map_err(|e| StoreError::Internal(format!("a brand cannot be written as JSON: {e}")))?;
    execute_on_empresa(pool, include_str!("../../sql/marca/set_datos.sql"), &[&empresa.0, &data]).await
}

/// Writes or removes a company's logo.
pub(crate) async fn save_logo(pool: &Pool, empresa: EmpresaId, logo: Option<&[u8]>) -> Step<()> {
    let digest = logo.map(|l| Digest::of(l).0.to_vec());
    execute_on_empresa(pool, include_str!("../../sql/marca/set_logo.sql"), &[&empresa.0, &digest, &logo])
        .await
}

/// The secret of a name, this one if there was none. A racing twin is waited for by the insert.
pub(crate) async fn ensure_secret(pool: &Pool, nombre: &str, proposed: [u8; 32]) -> Step<[u8; 32]> {
    let client = pool.get().await?;
    let insert = client.prepare_cached(include_str!("../../sql/secreto/insert.sql")).await?;
    client.execute(&insert, &[&nombre, &proposed.as_slice()]).await?;
    let get = client.prepare_cached(include_str!("../../sql/secreto/get.sql")).await?;
    let row = client.query_one(&get, &[&nombre]).await?;
    let value: &[u8] = row.try_get(0)?;
    Ok(value.try_into().map_err(|_| StoreError::Internal("a secret has another length".into()))?)
}

/// Writes what was made of a photo. The photo's row is held, so that it cannot go without what was made of it.
pub(crate) async fn save_rendition(pool: &Pool, r: &Rendition, swept: &[(Digest, i64)]) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let share = tx.prepare_cached(include_str!("../../sql/blob_marca/share.sql")).await?;
    tx.execute(&share, &[&blob::sweep_lock(r.lead)]).await?;
    let hold = tx.prepare_cached(include_str!("../../sql/foto/hold.sql")).await?;
    let row = tx.query_opt(&hold, &[&r.lead.0, &r.foto.0]).await?;
    let empresa: Uuid = row.ok_or(StoreError::FotoNotFound)?.try_get("empresa_id")?;
    let digests: Vec<Digest> = r.digests().collect();
    blob::check(&tx, r.lead, &digests, swept).await?;
    let copy = r.copy.as_ref().map(|h| h.0.as_slice());
    let (done, reason) = match &r.result {
        RenditionOutcome::Done(derived) => (Some(derived), None),
        RenditionOutcome::Failed(reason) => (None, Some(reason)),
    };
    let (print, thumbnail) = (done.map(|d| d.print.0.as_slice()), done.map(|d| d.thumbnail.0.as_slice()));
    let (width, height) = (done.map(|d| i64::from(d.width)), done.map(|d| i64::from(d.height)));
    let upsert = tx.prepare_cached(include_str!("../../sql/rendicion/upsert.sql")).await?;
    tx.execute(
        &upsert,
        &[
            &r.lead.0,
            &r.foto.0,
            &empresa,
            &copy,
            &print,
            &width,
            &height,
            &thumbnail,
            &reason,
            &Instant::from(r.creada_en),
        ],
    )
    .await?;
    commit(tx).await
}
