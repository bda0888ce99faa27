//! Events that are written as a part of another command.

use deadpool_postgres::Transaction;
use embudo_domain::LeadId;
use embudo_domain::event::Event;
use embudo_store::{StoreError, queries};
use uuid::Uuid;

use super::column;
use super::etapa::{self, Raised};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::statement::{Sql, params, sql};
use crate::writer::Session;

pub(super) static INSERT: &Sql = sql!("evento/insert.sql");

/// An event with its lead and that lead's company.
pub(super) type EventOf<'a> = (LeadId, Uuid, &'a Event);

pub(crate) async fn empresa_of(tx: &Transaction<'_>, lead: LeadId) -> Step<Uuid> {
    Ok(run_in(tx, &queries::lead::empresa(lead)).await?.pop().ok_or(StoreError::LeadNotFound)?.0)
}

/// Appends the events of one lead in their order, and raises its etapa if they require it.
pub(crate) async fn insert(tx: &Transaction<'_>, lead: LeadId, empresa: Uuid, events: &[Event]) -> Step<()> {
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

/// Appends events in their order. The caller updates the etapas.
pub(super) async fn write(on: &Session<'_>, events: &[EventOf<'_>]) -> Step<()> {
    if events.is_empty() {
        return Ok(());
    }
    let params = params! {
        id: column(events, |_| Uuid::now_v7()),
        lead: column(events, |(lead, ..)| lead.0),
        empresa: column(events, |(_, empresa, _)| *empresa),
        tipo: column(events, |(.., e)| e.kind.as_str()),
        simulado: column(events, |(.., e)| e.simulated),
        ok: column(events, |(.., e)| e.ok),
        detalle: column(events, |(.., e)| e.detail.as_deref()),
        creado_en: column(events, |(.., e)| Instant::from(e.creado_en)),
    };
    on.query(INSERT, params).await.map(drop)
}
