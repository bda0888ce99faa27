//! Events of a lead's history.

use embudo_domain::LeadId;
use embudo_domain::etapa::Etapa;
use embudo_domain::event::Event;
use embudo_domain::job::Job;
use embudo_store::Done;
use embudo_store::lead_writes::RecordEvent;
use rusqlite::{Connection, named_params};

use super::{etapa, execute_on_lead, job, lock_lead, once};
use crate::failure::Step;

/// Appends an event and makes its jobs. Also returns the jobs made under a lease; a replayed call makes none.
pub(crate) fn record(connection: &Connection, command: &RecordEvent) -> Step<(Done, Vec<Job>)> {
    let mut made = Vec::new();
    let done = once(connection, command.idempotency.as_ref(), || {
        match &command.event {
            Some(event) => insert(connection, command.lead, event)?,
            // Making a job checks whether the lead exists.
            None if command.jobs.is_empty() => lock_lead(connection, command.lead).map(drop)?,
            None => {}
        }
        made = job::insert_all(connection, command.lead, &command.jobs, command.at)?;
        Ok(())
    })?;
    Ok((done, made))
}

pub(crate) fn insert(connection: &Connection, lead: LeadId, event: &Event) -> Step<()> {
    execute_on_lead(
        connection,
        include_str!("../../sql/evento/insert.sql"),
        named_params! {
            ":lead": lead.0,
            ":tipo": event.kind.as_str(),
            ":simulado": event.simulated,
            ":ok": event.ok,
            ":detalle": event.detail,
            ":creado_en": event.creado_en.as_microsecond(),
        },
    )?;
    match Etapa::raised_by(event.kind) {
        Some(etapa) => etapa::raise(connection, lead, etapa, event.creado_en),
        None => Ok(()),
    }
}
