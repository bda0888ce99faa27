//! One lead with everything that belongs to it.

use embudo_domain::LeadId;
use embudo_domain::lead::Lead;
use embudo_domain::obra::Obra;
use embudo_domain::presupuesto::PresupuestoDelivery;
use embudo_domain::record::LeadRecord;
use embudo_store::StoreError;
use embudo_store::queries::{lead, quote};
use rusqlite::Connection;

use super::{run, run_first};
use crate::failure::Step;

/// The whole record, from one snapshot.
pub(crate) fn record(connection: &Connection, id: LeadId) -> Step<LeadRecord> {
    let mut utm: Vec<_> = run(connection, &lead::utm(&[id]))?.into_iter().map(|(_, pair)| pair).collect();
    utm.sort();
    let mut presupuestos = run(connection, &quote::summaries(id))?;
    PresupuestoDelivery::spread(&mut presupuestos, &run(connection, &quote::deliveries(id))?);
    Ok(LeadRecord {
        lead: Lead { utm, ..whole_lead(connection, id)? },
        duplicates: run(connection, &lead::duplicates(id))?,
        fotos: run(connection, &lead::fotos(id))?,
        notas: run(connection, &lead::notas(id))?,
        conversacion: run(connection, &lead::turnos(id))?,
        calificacion: run_first(connection, &lead::calificacion(id))?,
        intentos: run(connection, &lead::intentos(id))?,
        events: run(connection, &lead::events(id, None, i64::MAX))?.into_iter().map(|e| e.event).collect(),
        consentimientos: run(connection, &lead::consentimientos(id))?,
        presupuestos,
    })
}

/// The data of a lead for a signal: the lead, its photos and its notes. The rest is left empty, because reading a long
/// conversation would keep the writer's transaction open.
pub(crate) fn for_signal(connection: &Connection, id: LeadId) -> Step<LeadRecord> {
    let (fotos, notas) = (run(connection, &lead::fotos(id))?, run(connection, &lead::notas(id))?);
    Ok(LeadRecord { fotos, notas, ..LeadRecord::bare(lead(connection, id)?) })
}

/// A lead without its `utm`.
pub(crate) fn whole_lead(connection: &Connection, id: LeadId) -> Step<Lead> {
    Ok(Lead { obra: obra(connection, id)?, ..lead(connection, id)? })
}

/// The `obra` of a lead, which decides tax and price.
pub(crate) fn obra(connection: &Connection, id: LeadId) -> Step<Obra> {
    Ok(run_first(connection, &lead::obra(id))?.unwrap_or_default())
}

/// A lead without its `utm` and its `obra`, which are in no signal.
pub(crate) fn lead(connection: &Connection, id: LeadId) -> Step<Lead> {
    Ok(run_first(connection, &lead::get(id))?.ok_or(StoreError::LeadNotFound)?)
}
