//! What quotes are made from: price tables, brands, and what was made of photos; and secrets of our own.

use deadpool_postgres::Pool;
use embudo_domain::marca::Marca;
use embudo_domain::rendicion::{Rendicion, Resultado};
use embudo_domain::{EmpresaId, Huella};
use embudo_store::StoreError;
use embudo_store::presupuestos::TarifaGuardada;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::alone::commit;
use super::blob;
use crate::failure::Step;
use crate::rows::{self, Instante};

/// Loads a price table. A racing twin is waited for by the insert.
pub(crate) async fn save_tarifa(pool: &Pool, empresa: EmpresaId, tarifa: &TarifaGuardada) -> Step<()> {
    let TarifaGuardada { version, desde, texto, creada_en } = tarifa;
    let client = pool.get().await?;
    let insert = client.prepare_cached(include_str!("../../sql/tarifa/insert.sql")).await?;
    if client.execute(&insert, &[&empresa.0, version, desde, texto, &Instante::from(*creada_en)]).await? == 1
    {
        return Ok(());
    }
    let get = client.prepare_cached(include_str!("../../sql/tarifa/get.sql")).await?;
    let row = client.query_opt(&get, &[&empresa.0, version]).await?;
    let antes = rows::tarifa(&row.ok_or(StoreError::EmpresaNotFound)?)?;
    if antes.texto != *texto || antes.desde != *desde {
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
pub(crate) async fn save_marca(pool: &Pool, empresa: EmpresaId, marca: &Marca) -> Step<()> {
    let datos = serde_json::to_string(marca)
        .map_err(|e| StoreError::Internal(format!("a brand cannot be written as JSON: {e}")))?;
    execute_on_empresa(pool, include_str!("../../sql/marca/set_datos.sql"), &[&empresa.0, &datos]).await
}

/// Writes or removes a company's logo.
pub(crate) async fn save_logo(pool: &Pool, empresa: EmpresaId, logo: Option<&[u8]>) -> Step<()> {
    let huella = logo.map(|l| Huella::of(l).0.to_vec());
    execute_on_empresa(pool, include_str!("../../sql/marca/set_logo.sql"), &[&empresa.0, &huella, &logo])
        .await
}

/// The secret of a name, this one if there was none. A racing twin is waited for by the insert.
pub(crate) async fn ensure_secreto(pool: &Pool, nombre: &str, propuesto: [u8; 32]) -> Step<[u8; 32]> {
    let client = pool.get().await?;
    let insert = client.prepare_cached(include_str!("../../sql/secreto/insert.sql")).await?;
    client.execute(&insert, &[&nombre, &propuesto.as_slice()]).await?;
    let get = client.prepare_cached(include_str!("../../sql/secreto/get.sql")).await?;
    let row = client.query_one(&get, &[&nombre]).await?;
    let valor: &[u8] = row.try_get(0)?;
    Ok(valor.try_into().map_err(|_| StoreError::Internal("a secret has another length".into()))?)
}

/// Writes what was made of a photo. The photo's row is held, so that it cannot go without what was made of it.
pub(crate) async fn save_rendicion(pool: &Pool, r: &Rendicion, barridos: &[(Huella, i64)]) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let share = tx.prepare_cached(include_str!("../../sql/blob_marca/share.sql")).await?;
    tx.execute(&share, &[&blob::sweep_lock(r.lead)]).await?;
    let hold = tx.prepare_cached(include_str!("../../sql/foto/hold.sql")).await?;
    let row = tx.query_opt(&hold, &[&r.lead.0, &r.foto.0]).await?;
    let empresa: Uuid = row.ok_or(StoreError::FotoNotFound)?.try_get("empresa_id")?;
    let huellas: Vec<Huella> = r.huellas().collect();
    blob::check(&tx, r.lead, &huellas, barridos).await?;
    let copia = r.copia.as_ref().map(|h| h.0.as_slice());
    let (hecha, motivo) = match &r.resultado {
        Resultado::Hecha(derivadas) => (Some(derivadas), None),
        Resultado::Fallida(motivo) => (None, Some(motivo)),
    };
    let (impresion, miniatura) =
        (hecha.map(|d| d.impresion.0.as_slice()), hecha.map(|d| d.miniatura.0.as_slice()));
    let (ancho, alto) = (hecha.map(|d| i64::from(d.ancho)), hecha.map(|d| i64::from(d.alto)));
    let upsert = tx.prepare_cached(include_str!("../../sql/rendicion/upsert.sql")).await?;
    tx.execute(
        &upsert,
        &[
            &r.lead.0,
            &r.foto.0,
            &empresa,
            &copia,
            &impresion,
            &ancho,
            &alto,
            &miniatura,
            &motivo,
            &Instante::from(r.creada_en),
        ],
    )
    .await?;
    commit(tx).await
}
