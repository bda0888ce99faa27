//! The whole record of a lead, as it was at one moment.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::LeadId;
use embudo_domain::presupuesto::PresupuestoDelivery;
use embudo_domain::record::{Lead, LeadRecord};
use embudo_store::StoreError;
use tokio_postgres::types::ToSql;
use tokio_postgres::{IsolationLevel, Row};

use crate::failure::Step;
use crate::rows;

/// Reads every part in one snapshot; the questions travel together, without waiting for each other's answers.
pub(crate) async fn record(pool: &Pool, lead: LeadId) -> Step<LeadRecord> {
    let mut client = pool.get().await?;
    let tx = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    let id = lead.0;
    let one = vec![id];
    let (
        own,
        utm,
        duplicates,
        fotos,
        notas,
        turnos,
        calificacion,
        intentos,
        events,
        consentimientos,
        presupuestos,
        deliveries,
    ) = tokio::try_join!(
        ask(&tx, include_str!("../../sql/lead/get.sql"), &id),
        ask(&tx, include_str!("../../sql/utm/list.sql"), &one),
        ask(&tx, include_str!("../../sql/lead/duplicados.sql"), &id),
        ask(&tx, include_str!("../../sql/foto/list.sql"), &id),
        ask(&tx, include_str!("../../sql/nota/list.sql"), &id),
        ask(&tx, include_str!("../../sql/turno/list.sql"), &id),
        ask(&tx, include_str!("../../sql/calificacion/get.sql"), &id),
        ask(&tx, include_str!("../../sql/intento/list.sql"), &id),
        ask(&tx, include_str!("../../sql/evento/list.sql"), &id),
        ask(&tx, include_str!("../../sql/consentimiento/list.sql"), &id),
        ask(&tx, include_str!("../../sql/presupuesto/list_short.sql"), &id),
        ask(&tx, include_str!("../../sql/presupuesto_entrega/list.sql"), &id),
    )?;
    tx.rollback().await?;
    let own = rows::lead(own.first().ok_or(StoreError::LeadNotFound)?)?;
    let utm =
        utm.iter().map(|row| Ok((row.try_get("nombre")?, row.try_get("valor")?))).collect::<Step<_>>()?;
    let duplicates = duplicates.iter().map(|row| Ok(LeadId(row.try_get("id")?))).collect::<Step<_>>()?;
    let mut presupuestos = presupuestos.iter().map(rows::presupuesto_summary).collect::<Step<Vec<_>>>()?;
    let deliveries = deliveries.iter().map(rows::presupuesto_delivery).collect::<Step<Vec<_>>>()?;
    PresupuestoDelivery::spread(&mut presupuestos, &deliveries);
    Ok(LeadRecord {
        lead: Lead { utm, ..own },
        duplicates,
        fotos: fotos.iter().map(rows::foto).collect::<Step<_>>()?,
        notas: notas.iter().map(rows::nota).collect::<Step<_>>()?,
        conversacion: turnos.iter().map(rows::turno).collect::<Step<_>>()?,
        calificacion: calificacion.first().map(rows::calificacion).transpose()?,
        intentos: intentos.iter().map(rows::intento).collect::<Step<_>>()?,
        events: events.iter().map(rows::event).collect::<Step<_>>()?,
        consentimientos: consentimientos.iter().map(rows::consentimiento).collect::<Step<_>>()?,
        presupuestos,
    })
}

/// What a profile signal says, in a transaction that may have changed it: the lead, its photos and its notes. The other parts
/// of the record are no part of the signal and stay empty.
pub(crate) async fn signal_record(tx: &Transaction<'_>, lead: LeadId) -> Step<LeadRecord> {
    let (own, fotos, notas) = tokio::try_join!(
        signal_lead(tx, lead),
        ask(tx, include_str!("../../sql/foto/list.sql"), &lead.0),
        ask(tx, include_str!("../../sql/nota/list.sql"), &lead.0),
    )?;
    let fotos = fotos.iter().map(rows::foto).collect::<Step<_>>()?;
    let notas = notas.iter().map(rows::nota).collect::<Step<_>>()?;
    Ok(LeadRecord { fotos, notas, ..LeadRecord::bare(own) })
}

/// The lead alone, without its campaign ids.
pub(crate) async fn signal_lead(tx: &Transaction<'_>, lead: LeadId) -> Step<Lead> {
    let own = ask(tx, include_str!("../../sql/lead/get.sql"), &lead.0).await?;
    rows::lead(own.first().ok_or(StoreError::LeadNotFound)?)
}

pub(super) async fn ask(tx: &Transaction<'_>, sql: &str, parameter: &(dyn ToSql + Sync)) -> Step<Vec<Row>> {
    let statement = tx.prepare_cached(sql).await?;
    Ok(tx.query(&statement, &[parameter]).await?)
}
