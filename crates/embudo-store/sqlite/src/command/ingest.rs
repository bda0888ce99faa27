//! Ingestions: photos, notes and events of one call.

use embudo_domain::event::Event;
use embudo_domain::ingesta::Momento;
use embudo_domain::job::Job;
use embudo_domain::orden::Numberer;
use embudo_domain::watched_loop::{CameBack, WatchedLoop};
use embudo_domain::{Digest, LeadId, Zona};
use embudo_store::command::{Ingest, RecordEvent};
use embudo_store::{Done, StoreError};
use rusqlite::Connection;

use super::{execute, execute_on_lead, job, once, watched_loop};
use crate::failure::Step;
use crate::query::first;
use crate::rows;

/// Saves one ingestion. Returns also the jobs it made under a lease, as far as they are known.
pub(crate) fn ingest(connection: &Connection, command: &Ingest) -> Step<(Done, Vec<Job>)> {
    let mut made = Vec::new();
    let done = once(connection, command.idempotency.as_ref(), || {
        // Notes, events and jobs find out by themselves whether the lead exists.
        let is_empty = command.notas.is_empty() && command.events.is_empty() && command.jobs.is_empty();
        if !command.fotos.is_empty() || is_empty {
            insert_fotos(connection, command)?;
        }
        for nota in &command.notas {
            let zona = nota.zona.map(Zona::as_str);
            execute_on_lead(
                connection,
                include_str!("../../sql/nota/insert.sql"),
                (command.lead.0, nota.id.0, &nota.text, zona, command.at.as_microsecond()),
            )?;
        }
        command.events.iter().try_for_each(|event| insert_event(connection, command.lead, event))?;
        move_loop(connection, command)?;
        made = job::insert_all(connection, command.lead, &command.jobs, command.at)?;
        Ok(())
    })?;
    Ok((done, made))
}

/// Appends an event and makes its jobs; those under a lease are returned, as far as they are known.
pub(crate) fn record_event(connection: &Connection, command: &RecordEvent) -> Step<(Done, Vec<Job>)> {
    let mut made = Vec::new();
    let done = once(connection, command.idempotency.as_ref(), || {
        match &command.event {
            Some(event) => insert_event(connection, command.lead, event)?,
            // A job finds out by itself whether the lead exists.
            None if command.jobs.is_empty() => lock(connection, command.lead).map(drop)?,
            None => {}
        }
        made = job::insert_all(connection, command.lead, &command.jobs, command.at)?;
        Ok(())
    })?;
    Ok((done, made))
}

/// What the lead waits for after this call. Nothing is asked of the database where the call can change nothing.
fn move_loop(connection: &Connection, command: &Ingest) -> Step<()> {
    let renders = command.fotos.iter().any(|f| f.momento == Momento::Despues);
    let return_to = CameBack { renders, finalizar: command.finalizar };
    if !return_to.came() {
        return Ok(());
    }
    let is_answer = job::answer_waiting(connection, command.lead, command.at)?;
    if is_answer {
        insert_event(connection, command.lead, &Event::signal_answered(command.at))?;
    }
    watched_loop::change(connection, command.lead, |antes| match is_answer {
        true => WatchedLoop::after_signal(antes, return_to, command.at, command.deadlines),
        false => WatchedLoop::after_ingesta(antes, return_to, command.at, command.deadlines),
    })
}

/// The lead's renovation type; the writer's transaction keeps the lead as it is.
fn lock(connection: &Connection, lead: LeadId) -> Step<Option<Zona>> {
    let sql = include_str!("../../sql/lead/lock.sql");
    Ok(first(connection, sql, (lead.0,), rows::tipo_reforma)?.ok_or(StoreError::LeadNotFound)?)
}

fn insert_fotos(connection: &Connection, command: &Ingest) -> Step<()> {
    let lead = command.lead.0;
    let tipo_reforma = lock(connection, command.lead)?;
    let sql = include_str!("../../sql/foto/max_orden.sql");
    let maximum = connection.prepare_cached(sql)?.query_row((lead,), |row| row.get(0))?;
    let mut numberer = Numberer::after(maximum);
    for foto in &command.fotos {
        for digest in foto.image.digests() {
            check_blob(connection, command.lead, digest, &command.swept)?;
        }
        let (url, prefix, bytes, raw) = rows::image_columns(&foto.image);
        execute_on_lead(
            connection,
            include_str!("../../sql/foto/insert.sql"),
            (
                lead,
                foto.id.0,
                foto.zona.unwrap_or_else(|| Zona::assumed(tipo_reforma)).as_str(),
                foto.momento.as_str(),
                numberer.next(foto.orden),
                url,
                prefix,
                bytes,
                raw,
                command.at.as_microsecond(),
            ),
        )?;
    }
    Ok(())
}

/// Refuses a blob that is being swept, or was swept since its bytes were put. A trace that the call knows of has done its
/// service and goes.
pub(super) fn check_blob(
    connection: &Connection,
    lead: LeadId,
    digest: Digest,
    swept: &[(Digest, i64)],
) -> Step<()> {
    let blob = (lead.0, digest.0);
    let brand = first(connection, include_str!("../../sql/blob_marca/get.sql"), blob, rows::mark_blob)?;
    match brand {
        None => Ok(()),
        Some(m) if m.sweep && swept.contains(&(digest, m.nth)) => {
            execute(connection, include_str!("../../sql/blob_marca/delete.sql"), blob).map(drop)
        }
        Some(_) => Err(StoreError::BlobMarked.into()),
    }
}

pub(super) fn insert_event(connection: &Connection, lead: LeadId, event: &Event) -> Step<()> {
    execute_on_lead(
        connection,
        include_str!("../../sql/evento/insert.sql"),
        (
            lead.0,
            event.kind.as_str(),
            event.simulated,
            event.ok,
            &event.detail,
            event.creado_en.as_microsecond(),
        ),
    )
}
