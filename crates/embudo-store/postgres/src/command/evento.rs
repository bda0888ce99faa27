//! Events that are written alone: with jobs, or inside another command.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::LeadId;
use embudo_domain::evento::Evento;
use embudo_store::command::RecordEvento;
use embudo_store::{Hecho, StoreError};
use uuid::Uuid;

use super::alone::commit;
use super::trabajo::{self, Con};
use super::{bucle, idempotencia};
use crate::failure::Step;
use crate::rows::Instante;

/// The company of a lead.
pub(super) async fn empresa_of(tx: &Transaction<'_>, lead: LeadId) -> Step<Uuid> {
    let get = tx.prepare_cached(include_str!("../../sql/lead/get_empresa.sql")).await?;
    let row = tx.query_opt(&get, &[&lead.0]).await?.ok_or(StoreError::LeadNotFound)?;
    Ok(row.try_get("empresa_id")?)
}

/// Appends events in their order.
pub(super) async fn insert(
    tx: &Transaction<'_>,
    lead: LeadId,
    empresa: Uuid,
    eventos: &[Evento],
) -> Step<()> {
    if eventos.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = eventos.iter().map(|_| Uuid::now_v7()).collect();
    let tipos: Vec<&str> = eventos.iter().map(|e| e.tipo.as_str()).collect();
    let simulados: Vec<bool> = eventos.iter().map(|e| e.simulado).collect();
    let oks: Vec<bool> = eventos.iter().map(|e| e.ok).collect();
    let detalles: Vec<Option<&str>> = eventos.iter().map(|e| e.detalle.as_deref()).collect();
    let times: Vec<Instante> = eventos.iter().map(|e| e.creado_en.into()).collect();
    let insert = tx.prepare_cached(include_str!("../../sql/evento/insert.sql")).await?;
    tx.execute(&insert, &[&lead.0, &empresa, &ids, &tipos, &simulados, &oks, &detalles, &times]).await?;
    Ok(())
}

/// Appends an event and makes its jobs.
pub(crate) async fn record(pool: &Pool, command: &RecordEvento) -> Step<Con> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if let Some(key) = &command.idempotencia
        && let Some(before) = idempotencia::take(&tx, key).await?
    {
        return Ok(Con::nada(before));
    }
    let empresa = if trabajo::needs_lock(&command.trabajos) {
        bucle::lock(&tx, command.lead).await?.ok_or(StoreError::LeadNotFound)?.0
    } else {
        empresa_of(&tx, command.lead).await?
    };
    insert(&tx, command.lead, empresa, command.evento.as_slice()).await?;
    let sueltos = trabajo::insert(&tx, command.lead, empresa, &command.trabajos, command.en).await?;
    commit(tx).await?;
    Ok(Con { hecho: Hecho::Ahora, sueltos })
}
