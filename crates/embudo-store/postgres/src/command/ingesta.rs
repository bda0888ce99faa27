//! Ingestions with photos or of many texts, and what belongs to photos: their removal, and the marks of the blob sweep.
//!
//! Numbers are given under the lead's lock. A sweep and an ingestion of the same bytes meet at an advisory lock of the lead,
//! which exists also for a lead that does not: the ingestion shares it, the mark has it alone, and each looks at what the
//! other wrote only once it holds it.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::orden::Numerador;
use embudo_domain::{FotoId, Huella, LeadId, Timestamp, Zona};
use embudo_store::command::Ingest;
use embudo_store::{Hecho, StoreError};
use uuid::Uuid;

use super::alone::commit;
use super::idempotencia;
use crate::failure::Step;
use crate::rows::{self, Instante};

/// From here on an ingestion may take longer than an ordinary statement is given.
const MANY_ITEMS: usize = 2_000;

fn sweep_lock(lead: LeadId) -> i64 {
    let (high, low) = lead.0.as_u64_pair();
    (high ^ low).cast_signed()
}

/// Saves everything, or nothing.
pub(crate) async fn ingest(pool: &Pool, command: &Ingest) -> Step<Hecho> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if command.fotos.len() + command.notas.len() > MANY_ITEMS {
        tx.batch_execute("SET LOCAL statement_timeout = '120s'").await?;
    }
    if let Some(key) = &command.idempotencia
        && let Some(before) = idempotencia::take(&tx, key).await?
    {
        return Ok(before);
    }
    let empresa = if command.fotos.is_empty() {
        // Notes need no lock, however long they take.
        let get = tx.prepare_cached(include_str!("../../sql/lead/get_empresa.sql")).await?;
        let row = tx.query_opt(&get, &[&command.lead.0]).await?.ok_or(StoreError::LeadNotFound)?;
        row.try_get("empresa_id")?
    } else {
        let lock = tx.prepare_cached(include_str!("../../sql/lead/lock.sql")).await?;
        let row = tx.query_opt(&lock, &[&command.lead.0, &sweep_lock(command.lead)]).await?;
        let (tipo_reforma, empresa) = rows::lead_cerrado(&row.ok_or(StoreError::LeadNotFound)?)?;
        fotos(&tx, command, tipo_reforma, empresa).await?;
        empresa
    };
    if !command.notas.is_empty() {
        notas(&tx, command, empresa).await?;
    }
    if !command.eventos.is_empty() {
        eventos(&tx, command, empresa).await?;
    }
    commit(tx).await?;
    Ok(Hecho::Ahora)
}

async fn fotos(tx: &Transaction<'_>, command: &Ingest, tipo: Option<Zona>, empresa: Uuid) -> Step<()> {
    let huellas: Vec<Huella> = command.fotos.iter().flat_map(|f| f.imagen.huellas()).collect();
    let huellas: Vec<&[u8]> = huellas.iter().map(|h| h.0.as_slice()).collect();
    let look = tx.prepare_cached(include_str!("../../sql/foto/max_orden.sql")).await?;
    let row = tx.query_one(&look, &[&command.lead.0, &huellas]).await?;
    if row.try_get("marcada")? {
        return Err(StoreError::BlobMarked.into());
    }
    let mut numerador = Numerador::desde(row.try_get("maximo")?);

    let fotos = &command.fotos;
    let ids: Vec<Uuid> = fotos.iter().map(|f| f.id.0).collect();
    let zonas: Vec<&str> =
        fotos.iter().map(|f| f.zona.unwrap_or_else(|| Zona::supuesta(tipo)).as_str()).collect();
    let momentos: Vec<&str> = fotos.iter().map(|f| f.momento.as_str()).collect();
    let ordenes: Vec<f64> = fotos.iter().map(|f| numerador.siguiente(f.orden)).collect();
    let imagenes: Vec<_> = fotos.iter().map(|f| rows::columnas_imagen(&f.imagen)).collect();
    let urls: Vec<Option<&str>> = imagenes.iter().map(|i| i.0).collect();
    let prefijos: Vec<Option<&str>> = imagenes.iter().map(|i| i.1).collect();
    let bytes: Vec<Option<&[u8]>> = imagenes.iter().map(|i| i.2).collect();
    let crudos: Vec<Option<&[u8]>> = imagenes.iter().map(|i| i.3).collect();
    let insert = tx.prepare_cached(include_str!("../../sql/foto/insert.sql")).await?;
    let (lead, en) = (command.lead.0, Instante::from(command.en));
    tx.execute(
        &insert,
        &[&lead, &empresa, &en, &ids, &zonas, &momentos, &ordenes, &urls, &prefijos, &bytes, &crudos],
    )
    .await?;
    Ok(())
}

async fn notas(tx: &Transaction<'_>, command: &Ingest, empresa: Uuid) -> Step<()> {
    let ids: Vec<Uuid> = command.notas.iter().map(|n| n.id.0).collect();
    let textos: Vec<&str> = command.notas.iter().map(|n| n.texto.as_str()).collect();
    let zonas: Vec<Option<&str>> = command.notas.iter().map(|n| n.zona.map(Zona::as_str)).collect();
    let insert = tx.prepare_cached(include_str!("../../sql/nota/insert.sql")).await?;
    let (lead, en) = (command.lead.0, Instante::from(command.en));
    tx.execute(&insert, &[&lead, &empresa, &en, &ids, &textos, &zonas]).await?;
    Ok(())
}

async fn eventos(tx: &Transaction<'_>, command: &Ingest, empresa: Uuid) -> Step<()> {
    let eventos = &command.eventos;
    let ids: Vec<Uuid> = eventos.iter().map(|_| Uuid::now_v7()).collect();
    let tipos: Vec<&str> = eventos.iter().map(|e| e.tipo.as_str()).collect();
    let simulados: Vec<bool> = eventos.iter().map(|e| e.simulado).collect();
    let oks: Vec<bool> = eventos.iter().map(|e| e.ok).collect();
    let detalles: Vec<Option<&str>> = eventos.iter().map(|e| e.detalle.as_deref()).collect();
    let times: Vec<Instante> = eventos.iter().map(|e| e.creado_en.into()).collect();
    let insert = tx.prepare_cached(include_str!("../../sql/evento/insert.sql")).await?;
    tx.execute(&insert, &[&command.lead.0, &empresa, &ids, &tipos, &simulados, &oks, &detalles, &times])
        .await?;
    Ok(())
}

/// Removes a photo.
pub(crate) async fn delete_foto(pool: &Pool, lead: LeadId, foto: FotoId) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let statement = tx.prepare_cached(include_str!("../../sql/foto/delete.sql")).await?;
    if tx.execute(&statement, &[&lead.0, &foto.0]).await? == 0 {
        return Err(StoreError::FotoNotFound.into());
    }
    commit(tx).await
}

/// Marks a blob for sweeping unless it is in use.
pub(crate) async fn mark_blob(pool: &Pool, lead: LeadId, huella: Huella, en: Timestamp) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let lock = tx.prepare_cached(include_str!("../../sql/blob_marca/lock.sql")).await?;
    tx.execute(&lock, &[&sweep_lock(lead)]).await?;
    let mark = tx.prepare_cached(include_str!("../../sql/blob_marca/insert.sql")).await?;
    let row = tx.query_one(&mark, &[&lead.0, &huella.0.as_slice(), &Instante::from(en)]).await?;
    let in_use: bool = row.try_get("hay")?;
    commit(tx).await?;
    Ok(!in_use)
}

/// Drops a mark.
pub(crate) async fn unmark_blob(pool: &Pool, lead: LeadId, huella: Huella) -> Step<()> {
    let client = pool.get().await?;
    let statement = client.prepare_cached(include_str!("../../sql/blob_marca/delete.sql")).await?;
    client.execute(&statement, &[&lead.0, &huella.0.as_slice()]).await?;
    Ok(())
}
