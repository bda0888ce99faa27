//! Visits and people's calendars. The one writer is the lock.

use embudo_domain::audit::AuditEntry;
use embudo_domain::visita::{Agenda, Visita};
use embudo_domain::{Digest, LeadId, Timestamp, UserId};
use embudo_store::visits::{SaveVisita, VisitaChange};
use embudo_store::{StoreError, queries};
use rusqlite::{Connection, named_params};

use super::{audit, etapa, event, execute, job};
use crate::failure::Step;
use crate::query::{first, run, run_first};

pub(crate) fn save(connection: &Connection, command: &SaveVisita) -> Step<VisitaChange> {
    let (lead, at) = (command.visita.lead, command.at);
    let sql = include_str!("../../sql/lead/get_empresa.sql");
    first(connection, sql, (lead.0,), |_| Ok(()))?.ok_or(StoreError::LeadNotFound)?;
    let found = run_first(connection, &queries::visit::of_lead(lead, command.visita.id))?;
    let busy = match command.wanted_time() {
        Some((from, to)) => run(connection, &queries::visit::busy(&command.visita.people, from, to))?,
        None => Vec::new(),
    };
    let visita = match command.decide(found.as_ref(), &busy) {
        Ok(visita) => visita,
        Err(change) => return Ok(change),
    };
    write(connection, &visita, at)?;
    etapa::settle(connection, lead, at)?;
    command.event.iter().try_for_each(|event| event::insert(connection, lead, event))?;
    job::insert_all(connection, lead, &command.jobs, at)?;
    command.audit.iter().try_for_each(|entry| audit::record(connection, entry))?;
    Ok(VisitaChange::Saved(visita))
}

fn write(connection: &Connection, visita: &Visita, at: Timestamp) -> Step<()> {
    let micros = |at: Option<Timestamp>| at.map(Timestamp::as_microsecond);
    let slots: Vec<i64> = visita.slots.iter().map(|slot| slot.as_microsecond()).collect();
    let json = |text: serde_json::Result<String>| text.map_err(|e| StoreError::Internal(e.to_string()));
    execute(
        connection,
        include_str!("../../sql/visita/save.sql"),
        named_params! {
            ":lead": visita.lead.0,
            ":id": visita.id.0,
            ":empresa": visita.empresa.0,
            ":estado": visita.state.as_str(),
            ":revision": visita.revision,
            ":secuencia": visita.sequence,
            ":huecos": json(serde_json::to_string(&slots))?,
            ":inicio": micros(visita.start),
            ":fin": micros(visita.end()),
            ":minutos": visita.minutes,
            ":direccion": visita.address,
            ":personas": json(serde_json::to_string(&visita.people))?,
            ":notas": visita.notes,
            ":medidas": visita.measurements,
            ":vigente_hasta": micros(visita.agreed_until(at)),
            ":creada_en": visita.creada_en.as_microsecond(),
            ":cambiada_en": visita.cambiada_en.as_microsecond(),
        },
    )?;
    let sql = include_str!("../../sql/visita_persona/delete.sql");
    execute(connection, sql, named_params! {":lead": visita.lead.0, ":visita": visita.id.0})?;
    let Some(end) = visita.end() else { return Ok(()) };
    for person in &visita.people {
        execute(
            connection,
            include_str!("../../sql/visita_persona/insert.sql"),
            named_params! {
                ":lead": visita.lead.0,
                ":visita": visita.id.0,
                ":usuario": person.0,
                ":fin": end.as_microsecond(),
            },
        )?;
    }
    Ok(())
}

pub(crate) fn pass(connection: &Connection, lead: LeadId, now: Timestamp) -> Step<()> {
    let sql = include_str!("../../sql/visita/pass.sql");
    let passed = execute(connection, sql, named_params! {":lead": lead.0, ":now": now.as_microsecond()})?;
    if passed > 0 { etapa::settle(connection, lead, now) } else { Ok(()) }
}

pub(crate) fn save_agenda(
    connection: &Connection,
    user: UserId,
    seen: i64,
    agenda: &Agenda,
    entry: &AuditEntry,
) -> Step<bool> {
    let before = run_first(connection, &queries::visit::agendas(&[user]))?;
    if before.map_or(0, |kept| kept.revision) != seen {
        return Ok(false);
    }
    let data = serde_json::to_string(agenda).map_err(|e| StoreError::Internal(e.to_string()))?;
    let sql = include_str!("../../sql/agenda/save.sql");
    execute(connection, sql, named_params! {":usuario": user.0, ":datos": data})?;
    audit::record(connection, entry)?;
    Ok(true)
}

pub(crate) fn set_feed(
    connection: &Connection,
    user: UserId,
    mark: Option<Digest>,
    at: Timestamp,
    entry: &AuditEntry,
) -> Step<()> {
    execute(
        connection,
        include_str!("../../sql/agenda/set_calendario.sql"),
        named_params! {
            ":usuario": user.0,
            ":calendario": mark.map(|mark| mark.0),
            ":now": mark.map(|_| at.as_microsecond()),
        },
    )?;
    audit::record(connection, entry)
}
