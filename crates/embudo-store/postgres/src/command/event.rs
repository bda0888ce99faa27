//! Events that are written inside another command.

use deadpool_postgres::Transaction;
use embudo_domain::LeadId;
use embudo_domain::event::Event;
use embudo_store::StoreError;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::etapa::{self, Raised};
use crate::failure::Step;
use crate::rows::Instant;
use crate::writer::Session;

pub(super) const INSERT: &str = include_str!("../../sql/evento/insert.sql");

/// An event of a lead and its company.
pub(super) type EventOf<'a> = (LeadId, Uuid, &'a Event);

pub(super) async fn empresa_of(tx: &Transaction<'_>, lead: LeadId) -> Step<Uuid> {
    let get = tx.prepare_cached(include_str!("../../sql/lead/get_empresa.sql")).await?;
    let row = tx.query_opt(&get, &[&lead.0]).await?.ok_or(StoreError::LeadNotFound)?;
    Ok(row.try_get("empresa_id")?)
}

/// Appends the events of one lead in their order, and what they say of its etapa.
pub(super) async fn insert(tx: &Transaction<'_>, lead: LeadId, empresa: Uuid, events: &[Event]) -> Step<()> {
    if events.is_empty() {
        return Ok(());
    }
    let mut raised = Raised::default();
    events.iter().for_each(|event| raised.by(lead, event));
    let events: Vec<EventOf> = events.iter().map(|event| (lead, empresa, event)).collect();
    let on = Session::within(tx, &[INSERT, etapa::RAISE]).await?;
    write(&on, &events).await?;
    raised.write(&on).await
}

/// Appends events in their order; what they say of an etapa is the caller's.
pub(super) async fn write(on: &Session<'_>, events: &[EventOf<'_>]) -> Step<()> {
    if events.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = events.iter().map(|_| Uuid::now_v7()).collect();
    let leads: Vec<Uuid> = events.iter().map(|(lead, ..)| lead.0).collect();
    let empresas: Vec<Uuid> = events.iter().map(|(_, empresa, _)| *empresa).collect();
    let kinds: Vec<&str> = events.iter().map(|(.., e)| e.kind.as_str()).collect();
    let simulated_ones: Vec<bool> = events.iter().map(|(.., e)| e.simulated).collect();
    let oks: Vec<bool> = events.iter().map(|(.., e)| e.ok).collect();
    let details: Vec<Option<&str>> = events.iter().map(|(.., e)| e.detail.as_deref()).collect();
    let times: Vec<Instant> = events.iter().map(|(.., e)| e.creado_en.into()).collect();
    let values: [&(dyn ToSql + Sync); 8] =
        [&ids, &leads, &empresas, &kinds, &simulated_ones, &oks, &details, &times];
    on.query(INSERT, &values).await?;
    Ok(())
}
