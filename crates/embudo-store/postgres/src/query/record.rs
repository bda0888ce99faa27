//! The whole record of a lead at one moment.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::LeadId;
use embudo_domain::lead::Lead;
use embudo_domain::presupuesto::PresupuestoDelivery;
use embudo_domain::record::LeadRecord;
use embudo_store::StoreError;
use embudo_store::queries::{lead, quote};
use tokio_postgres::IsolationLevel;

use super::run_in;
use crate::failure::Step;

/// Reads every part in one snapshot; the queries are sent together, without waiting for each other's answers.
pub(crate) async fn record(pool: &Pool, id: LeadId) -> Step<LeadRecord> {
    let mut client = pool.get().await?;
    let tx = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    let parts = (
        lead::get(id),
        lead::utm(&[id]),
        lead::duplicates(id),
        lead::fotos(id),
        lead::notas(id),
        lead::turnos(id),
        lead::calificacion(id),
        lead::intentos(id),
        lead::events(id, None, i64::MAX),
        lead::consentimientos(id),
        quote::summaries(id),
        quote::deliveries(id),
        lead::obra(id),
    );
    let (
        own,
        utm,
        duplicates,
        fotos,
        notas,
        conversacion,
        calificacion,
        intentos,
        events,
        consentimientos,
        mut presupuestos,
        deliveries,
        obra,
    ) = tokio::try_join!(
        run_in(&tx, &parts.0),
        run_in(&tx, &parts.1),
        run_in(&tx, &parts.2),
        run_in(&tx, &parts.3),
        run_in(&tx, &parts.4),
        run_in(&tx, &parts.5),
        run_in(&tx, &parts.6),
        run_in(&tx, &parts.7),
        run_in(&tx, &parts.8),
        run_in(&tx, &parts.9),
        run_in(&tx, &parts.10),
        run_in(&tx, &parts.11),
        run_in(&tx, &parts.12),
    )?;
    tx.rollback().await?;
    let own = own.into_iter().next().ok_or(StoreError::LeadNotFound)?;
    let mut utm: Vec<_> = utm.into_iter().map(|(_, pair)| pair).collect();
    utm.sort();
    PresupuestoDelivery::spread(&mut presupuestos, &deliveries);
    Ok(LeadRecord {
        lead: Lead { utm, obra: obra.into_iter().next().unwrap_or_default(), ..own },
        duplicates,
        fotos,
        notas,
        conversacion,
        calificacion: calificacion.into_iter().next(),
        intentos,
        events: events.into_iter().map(|e| e.event).collect(),
        consentimientos,
        presupuestos,
    })
}

/// The data of a lead for a signal, read in a transaction that may have changed it: the lead, its photos and its notes.
/// The other parts of the record are not in signals and stay empty.
pub(crate) async fn for_signal(tx: &Transaction<'_>, id: LeadId) -> Step<LeadRecord> {
    let (fotos, notas) = (lead::fotos(id), lead::notas(id));
    let (own, fotos, notas) = tokio::try_join!(lead(tx, id), run_in(tx, &fotos), run_in(tx, &notas))?;
    Ok(LeadRecord { fotos, notas, ..LeadRecord::bare(own) })
}

/// The lead alone, without its campaign ids and its `obra`, which are in no signal.
pub(crate) async fn lead(tx: &Transaction<'_>, id: LeadId) -> Step<Lead> {
    Ok(run_in(tx, &lead::get(id)).await?.pop().ok_or(StoreError::LeadNotFound)?)
}
