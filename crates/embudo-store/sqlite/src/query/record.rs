//! One lead with everything that belongs to it.

use std::sync::LazyLock;

use embudo_domain::presupuesto::PresupuestoDelivery;
use embudo_domain::record::{Foto, Lead, LeadRecord, Nota, StateChange};
use embudo_domain::{FotoId, LeadId};
use embudo_store::StoreError;
use embudo_store::columns::{fill, untyped};
use embudo_store::query::{EventCursor, ListedEvent};
use rusqlite::Connection;

use super::{all, exists, first};
use crate::failure::Step;
use crate::rows::{self, Columns};

/// The whole record, from one snapshot.
pub(crate) fn record(connection: &Connection, id: LeadId) -> Step<LeadRecord> {
    let by_lead = (id.0,);
    let (mut lead, email_normal) = lead(connection, id)?;
    lead.utm = utm(connection, id)?;
    let duplicates = all(
        connection,
        include_str!("../../sql/lead/duplicates.sql"),
        (id.0, lead.empresa.id.0, &lead.telefono_e164, email_normal),
        |row| Ok(LeadId(Columns::of("lead", row).take()?)),
    )?;
    let sql = include_str!("../../sql/presupuesto/list_short.sql");
    let mut presupuestos = all(connection, sql, by_lead, rows::presupuesto_summary)?;
    let sql = include_str!("../../sql/presupuesto_entrega/list.sql");
    PresupuestoDelivery::spread(
        &mut presupuestos,
        &all(connection, sql, by_lead, rows::presupuesto_delivery)?,
    );
    Ok(LeadRecord {
        lead,
        duplicates,
        fotos: fotos(connection, id)?,
        notas: notas(connection, id)?,
        conversacion: all(connection, include_str!("../../sql/turno/list.sql"), by_lead, rows::turno)?,
        calificacion: first(
            connection,
            include_str!("../../sql/calificacion/get.sql"),
            by_lead,
            rows::calificacion,
        )?,
        intentos: all(connection, include_str!("../../sql/intento/list.sql"), by_lead, rows::intento)?,
        events: events_after(connection, id, None, -1)?.into_iter().map(|e| e.event).collect(),
        consentimientos: all(
            connection,
            include_str!("../../sql/consentimiento/list.sql"),
            by_lead,
            rows::consentimiento,
        )?,
        presupuestos,
    })
}

/// What a signal says of a lead: itself, its photos and its notes. The rest is left empty, because a long conversation has
/// no business in the writer's transaction.
pub(crate) fn for_signal(connection: &Connection, id: LeadId) -> Step<LeadRecord> {
    let lead = lead(connection, id)?.0;
    Ok(LeadRecord { fotos: fotos(connection, id)?, notas: notas(connection, id)?, ..LeadRecord::bare(lead) })
}

static GET: LazyLock<String> = LazyLock::new(|| fill(include_str!("../../sql/lead/get.sql"), 1, untyped));

/// The lead's own row without its `utm`, and its e-mail in lower case.
pub(crate) fn lead(connection: &Connection, id: LeadId) -> Step<(Lead, String)> {
    let found = first(connection, &GET, (id.0,), |row| {
        let mut columns = Columns::of("lead", row);
        Ok((rows::lead(&mut columns)?, columns.take()?))
    })?;
    Ok(found.ok_or(StoreError::LeadNotFound)?)
}

fn fotos(connection: &Connection, lead: LeadId) -> Step<Vec<Foto>> {
    all(connection, include_str!("../../sql/foto/list.sql"), (lead.0,), rows::foto)
}

fn notas(connection: &Connection, lead: LeadId) -> Step<Vec<Nota>> {
    all(connection, include_str!("../../sql/nota/list.sql"), (lead.0,), rows::nota)
}

/// One page of a lead's events, changes of state among them.
pub(crate) fn events(
    connection: &Connection,
    lead: LeadId,
    cursor: Option<EventCursor>,
    limit: u32,
) -> Step<Vec<ListedEvent>> {
    let events = events_after(connection, lead, cursor, i64::from(limit))?;
    if events.is_empty() && !exists(connection, include_str!("../../sql/lead/exists.sql"), (lead.0,))? {
        return Err(StoreError::LeadNotFound.into());
    }
    Ok(events)
}

fn events_after(
    connection: &Connection,
    lead: LeadId,
    cursor: Option<EventCursor>,
    limit: i64,
) -> Step<Vec<ListedEvent>> {
    // Before every event there is.
    let (creado_en, class, n) =
        cursor.map_or((i64::MIN, 0, 0), |c| (c.creado_en.as_microsecond(), c.class, c.n));
    let sql = include_str!("../../sql/evento/list.sql");
    all(connection, sql, (lead.0, creado_en, class, n, limit), rows::listed_event)
}

/// Campaign and ad ids, sorted by name.
pub(super) fn utm(connection: &Connection, lead: LeadId) -> Step<Vec<(String, String)>> {
    all(connection, include_str!("../../sql/utm/list.sql"), (lead.0,), |row| {
        let mut columns = Columns::of("utm", row);
        Ok((columns.take()?, columns.take()?))
    })
}

/// Every value that `estado_wa` and `bot_step` were given.
pub(crate) fn history(connection: &Connection, lead: LeadId) -> Step<Vec<StateChange>> {
    let changes =
        all(connection, include_str!("../../sql/estado_historia/list.sql"), (lead.0,), rows::change)?;
    if changes.is_empty() && !exists(connection, include_str!("../../sql/lead/exists.sql"), (lead.0,))? {
        return Err(StoreError::LeadNotFound.into());
    }
    Ok(changes)
}

/// One photo of a lead.
pub(crate) fn foto(connection: &Connection, lead: LeadId, foto: FotoId) -> Step<Foto> {
    let found = first(connection, include_str!("../../sql/foto/get.sql"), (lead.0, foto.0), rows::foto)?;
    Ok(found.ok_or(StoreError::FotoNotFound)?)
}
