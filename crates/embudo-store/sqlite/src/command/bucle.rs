//! Where a lead stands in the watched loop. The steps are decided by `embudo_domain::bucle`; here they are only kept.

use embudo_domain::bucle::{Bucle, Vuelta};
use embudo_domain::{LeadId, Timestamp};
use embudo_store::StoreError;
use embudo_store::cola::VencerBucle;
use rusqlite::Connection;

use super::{execute_on_lead, ingest, trabajo};
use crate::failure::Step;
use crate::query::first;
use crate::rows;

/// Moves a lead from where it stands.
pub(super) fn change(
    conexion: &Connection,
    lead: LeadId,
    next: impl FnOnce(Option<Bucle>) -> Option<Bucle>,
) -> Step<()> {
    let antes = get(conexion, lead)?;
    let despues = next(antes);
    if despues == antes { Ok(()) } else { set(conexion, lead, despues) }
}

/// What came in after this moment.
pub(super) fn since(conexion: &Connection, lead: LeadId, desde: Timestamp) -> Step<Vuelta> {
    let sql = include_str!("../../sql/bucle/since.sql");
    let vuelta = |row: &rusqlite::Row<'_>| Ok(Vuelta { renders: row.get(0)?, finalizar: row.get(1)? });
    Ok(conexion.prepare_cached(sql)?.query_row((lead.0, desde.as_microsecond()), vuelta)?)
}

/// Marks a step as overdue, with its event and the signal sent because of it.
pub(crate) fn vencer(conexion: &Connection, command: &VencerBucle) -> Step<bool> {
    let antes = match get(conexion, command.lead) {
        Ok(antes) => antes,
        // A lead that is gone waits for nothing.
        Err(crate::failure::Failure::Store(StoreError::LeadNotFound)) => return Ok(false),
        Err(otro) => return Err(otro),
    };
    let Some(despues) = command.decide(antes) else {
        return Ok(false);
    };
    set(conexion, command.lead, Some(despues))?;
    ingest::insert_evento(conexion, command.lead, &command.evento)?;
    trabajo::insert_all(conexion, command.lead, command.resenal.as_slice(), command.en)?;
    trabajo::insert_all(conexion, command.lead, &command.avisos, command.en)?;
    Ok(true)
}

pub(super) fn get(conexion: &Connection, lead: LeadId) -> Step<Option<Bucle>> {
    let found = first(conexion, include_str!("../../sql/bucle/get.sql"), (lead.0,), rows::bucle)?;
    Ok(found.ok_or(StoreError::LeadNotFound)?)
}

pub(super) fn set(conexion: &Connection, lead: LeadId, bucle: Option<Bucle>) -> Step<()> {
    execute_on_lead(
        conexion,
        include_str!("../../sql/bucle/set.sql"),
        (
            lead.0,
            bucle.map(|b| b.paso.as_str()),
            bucle.map(|b| b.desde.as_microsecond()),
            bucle.map(|b| b.limite.as_microsecond()),
            bucle.is_some_and(|b| b.vencido),
            bucle.map_or(0, |b| b.resenales),
        ),
    )
}
