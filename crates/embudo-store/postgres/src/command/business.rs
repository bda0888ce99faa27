//! What quotes are made from: price tables, brands, and what was made of photos; and secrets of our own.

use deadpool_postgres::Pool;
use embudo_domain::brand::Brand;
use embudo_domain::rendition::{Rendition, RenditionOutcome};
use embudo_domain::{Digest, EmpresaId};
use embudo_store::empresas::StoredTarifa;
use embudo_store::{StoreError, queries};
use uuid::Uuid;

use super::alone::commit;
use super::blob;
use crate::failure::Step;
use crate::query::run;
use crate::rows::Instant;
use crate::statement::{OnPool, Params, Sql, params, sql};

/// Loads a price table. A racing twin is waited for by the insert.
pub(crate) async fn save_tarifa(pool: &Pool, empresa: EmpresaId, tarifa: &StoredTarifa) -> Step<()> {
    let StoredTarifa { version, since, text, creada_en } = tarifa;
    let new = params! {
        empresa: empresa.0, version, desde: since, texto: text, creado_en: Instant::from(*creada_en)
    };
    // What follows is asked for on another connection of the pool.
    if pool.get().await?.execute(sql!("tarifa/insert.sql"), new).await? == 1 {
        return Ok(());
    }
    let antes = run(pool, &queries::empresa::tarifa(empresa, version)).await?.pop();
    let antes = antes.ok_or(StoreError::EmpresaNotFound)?;
    if antes.text != *text || antes.since != *since {
        return Err(StoreError::TarifaTaken.into());
    }
    Ok(())
}

/// Runs one statement that takes its company from the database: no row means that there is no such company.
async fn execute_on_empresa(pool: &Pool, sql: &Sql, params: &Params<'_>) -> Step<()> {
    match pool.get().await?.execute(sql, params).await? {
        0 => Err(StoreError::EmpresaNotFound.into()),
        _ => Ok(()),
    }
}

/// Writes a company's brand.
pub(crate) async fn save_brand(pool: &Pool, empresa: EmpresaId, brand: &Brand) -> Step<()> {
    let data = serde_json::to_string(brand)
        .map_err(|e| StoreError::Internal(format!("a brand cannot be written as JSON: {e}")))?;
    let params = params! { empresa: empresa.0, datos: data };
    execute_on_empresa(pool, sql!("marca/set_datos.sql"), params).await
}

/// Writes or removes a company's logo.
pub(crate) async fn save_logo(pool: &Pool, empresa: EmpresaId, logo: Option<&[u8]>) -> Step<()> {
    let digest = logo.map(|l| Digest::of(l).0.to_vec());
    let params = params! { empresa: empresa.0, huella: digest, logo };
    execute_on_empresa(pool, sql!("marca/set_logo.sql"), params).await
}

/// The secret of a name, this one if there was none. A racing twin is waited for by the insert.
pub(crate) async fn ensure_secret(pool: &Pool, nombre: &str, proposed: [u8; 32]) -> Step<[u8; 32]> {
    let client = pool.get().await?;
    client.execute(sql!("secreto/insert.sql"), params! { nombre, valor: proposed.as_slice() }).await?;
    let row = client.row(sql!("secreto/get.sql"), params! { nombre }).await?;
    let value: &[u8] = row.try_get(0)?;
    Ok(value.try_into().map_err(|_| StoreError::Internal("a secret has another length".into()))?)
}

/// Writes what was made of a photo. The photo's row is held, so that it cannot go without what was made of it.
pub(crate) async fn save_rendition(pool: &Pool, r: &Rendition, swept: &[(Digest, i64)]) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    tx.execute(sql!("blob_marca/share.sql"), params! { lock: blob::sweep_lock(r.lead) }).await?;
    let row = tx.row_opt(sql!("foto/hold.sql"), params! { lead: r.lead.0, id: r.foto.0 }).await?;
    let empresa: Uuid = row.ok_or(StoreError::FotoNotFound)?.try_get("empresa_id")?;
    let digests: Vec<Digest> = r.digests().collect();
    blob::check(&tx, r.lead, &digests, swept).await?;
    let (done, reason) = match &r.result {
        RenditionOutcome::Done(derived) => (Some(derived), None),
        RenditionOutcome::Failed(reason) => (None, Some(reason)),
    };
    let rendition = params! {
        lead: r.lead.0,
        foto: r.foto.0,
        empresa,
        copia: r.copy.as_ref().map(|h| h.0.as_slice()),
        impresion: done.map(|d| d.print.0.as_slice()),
        ancho: done.map(|d| i64::from(d.width)),
        alto: done.map(|d| i64::from(d.height)),
        miniatura: done.map(|d| d.thumbnail.0.as_slice()),
        motivo: reason,
        creado_en: Instant::from(r.creada_en),
    };
    tx.execute(sql!("rendicion/upsert.sql"), rendition).await?;
    commit(tx).await
}
