//! Events that are written inside another command.

use deadpool_postgres::Transaction;
use embudo_domain::LeadId;
use embudo_domain::evento::Evento;
use embudo_store::StoreError;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::failure::Step;
use crate::rows::Instante;
use crate::writer::Session;

pub(super) const INSERT: &str = include_str!("../../sql/evento/insert.sql");

/// An event of a lead and its company.
pub(super) type EventoDe<'a> = (LeadId, Uuid, &'a Evento);

/// The company of a lead.
pub(super) async fn empresa_of(tx: &Transaction<'_>, lead: LeadId) -> Step<Uuid> {
    let get = tx.prepare_cached(include_str!("../../sql/lead/get_empresa.sql")).await?;
    let row = tx.query_opt(&get, &[&lead.0]).await?.ok_or(StoreError::LeadNotFound)?;
    Ok(row.try_get("empresa_id")?)
}

/// Appends the events of one lead in their order.
pub(super) async fn insert(
    tx: &Transaction<'_>,
    lead: LeadId,
    empresa: Uuid,
    eventos: &[Evento],
) -> Step<()> {
    if eventos.is_empty() {
        return Ok(());
    }
    let eventos: Vec<EventoDe> = eventos.iter().map(|evento| (lead, empresa, evento)).collect();
    write(&Session::within(tx, &[INSERT]).await?, &eventos).await
}

/// Appends events in their order.
pub(super) async fn write(on: &Session<'_>, eventos: &[EventoDe<'_>]) -> Step<()> {
    if eventos.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = eventos.iter().map(|_| Uuid::now_v7()).collect();
    let leads: Vec<Uuid> = eventos.iter().map(|(lead, ..)| lead.0).collect();
    let empresas: Vec<Uuid> = eventos.iter().map(|(_, empresa, _)| *empresa).collect();
    let tipos: Vec<&str> = eventos.iter().map(|(.., e)| e.tipo.as_str()).collect();
    let simulados: Vec<bool> = eventos.iter().map(|(.., e)| e.simulado).collect();
    let oks: Vec<bool> = eventos.iter().map(|(.., e)| e.ok).collect();
    let detalles: Vec<Option<&str>> = eventos.iter().map(|(.., e)| e.detalle.as_deref()).collect();
    let times: Vec<Instante> = eventos.iter().map(|(.., e)| e.creado_en.into()).collect();
    let values: [&(dyn ToSql + Sync); 8] =
        [&ids, &leads, &empresas, &tipos, &simulados, &oks, &detalles, &times];
    on.query(INSERT, &values).await?;
    Ok(())
}
