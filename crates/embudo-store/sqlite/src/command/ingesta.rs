//! Ingestions: photos, notes and events of one call.

use embudo_domain::Zona;
use embudo_domain::event::Event;
use embudo_domain::ingesta::Momento;
use embudo_domain::job::Job;
use embudo_domain::orden::Numberer;
use embudo_domain::watched_loop::{CameBack, WatchedLoop};
use embudo_store::lead_writes::Ingest;
use embudo_store::{Done, rows};
use rusqlite::{Connection, named_params};

use super::{blob, event, execute_on_lead, job, lock_lead, once, watched_loop};
use crate::failure::Step;

/// Saves one ingestion. Also returns the jobs that it made under a lease; a replayed call makes none.
pub(crate) fn ingest(connection: &Connection, command: &Ingest) -> Step<(Done, Vec<Job>)> {
    let mut made = Vec::new();
    let done = once(connection, command.idempotency.as_ref(), || {
        // Writing notes, events and jobs checks whether the lead exists.
        let is_empty = command.notas.is_empty() && command.events.is_empty() && command.jobs.is_empty();
        if !command.fotos.is_empty() || is_empty {
            insert_fotos(connection, command)?;
        }
        for nota in &command.notas {
            let zona = nota.zona.map(Zona::as_str);
            execute_on_lead(
                connection,
                include_str!("../../sql/nota/insert.sql"),
                named_params! {
                    ":lead": command.lead.0,
                    ":id": nota.id.0,
                    ":texto": nota.text,
                    ":zona": zona,
                    ":now": command.at.as_microsecond(),
                },
            )?;
        }
        command.events.iter().try_for_each(|event| event::insert(connection, command.lead, event))?;
        move_loop(connection, command)?;
        made = job::insert_all(connection, command.lead, &command.jobs, command.at)?;
        Ok(())
    })?;
    Ok((done, made))
}

/// Moves the loop of the lead after this call. If the call cannot change anything, the database is not asked.
fn move_loop(connection: &Connection, command: &Ingest) -> Step<()> {
    let renders = command.fotos.iter().any(|f| f.momento == Momento::After);
    let return_to = CameBack { renders, finalizar: command.finalizar };
    if !return_to.came() {
        return Ok(());
    }
    let is_answer = job::answer_waiting(connection, command.lead, command.at)?;
    if is_answer {
        event::insert(connection, command.lead, &Event::signal_answered(command.at))?;
    }
    watched_loop::change(connection, command.lead, command.at, |before| match is_answer {
        true => WatchedLoop::after_signal(before, return_to, command.at, command.deadlines),
        false => WatchedLoop::after_ingesta(before, return_to, command.at, command.deadlines),
    })
}

fn insert_fotos(connection: &Connection, command: &Ingest) -> Step<()> {
    let lead = command.lead.0;
    let tipo_reforma = lock_lead(connection, command.lead)?;
    let sql = include_str!("../../sql/foto/max_orden.sql");
    let maximum = connection.prepare_cached(sql)?.query_row((lead,), |row| row.get(0))?;
    let mut numberer = Numberer::after(maximum);
    for foto in &command.fotos {
        for digest in foto.image.digests() {
            blob::check(connection, command.lead, digest, &command.swept)?;
        }
        let (url, prefix, bytes, raw) = rows::image_columns(&foto.image);
        execute_on_lead(
            connection,
            include_str!("../../sql/foto/insert.sql"),
            named_params! {
                ":lead": lead,
                ":id": foto.id.0,
                ":zona": foto.zona.unwrap_or_else(|| Zona::assumed(tipo_reforma)).as_str(),
                ":momento": foto.momento.as_str(),
                ":orden": numberer.next(foto.orden),
                ":url": url,
                ":prefijo": prefix,
                ":bytes": bytes,
                ":crudo": raw,
                ":now": command.at.as_microsecond(),
            },
        )?;
    }
    Ok(())
}
