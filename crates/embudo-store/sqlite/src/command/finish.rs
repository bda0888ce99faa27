//! Ends of attempts.

use embudo_domain::job::JobKind;
use embudo_domain::watched_loop::CameBack;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::finish::Seen;
use embudo_store::outbox::JobAttemptEnd;
use rusqlite::{Connection, named_params};

use super::{etapa, event, execute, job, watched_loop};
use crate::failure::Step;
use crate::query::{exists, first};

/// Writes the end of an attempt and all that follows from it; returns the job's lead. `None`: the process does not hold
/// the job any more.
pub(crate) fn finish(connection: &Connection, end: &JobAttemptEnd) -> Step<Option<LeadId>> {
    let Some(held) = held(connection, end)? else { return Ok(None) };
    let lead = held.lead;
    let seen = seen(connection, end, held)?;
    let before = seen.watched_loop;
    let decided = end.decide(seen);
    execute(
        connection,
        include_str!("../../sql/trabajo/finish.sql"),
        named_params! {
            ":id": end.id.0,
            ":estado": decided.state.as_str(),
            ":proximo_en": decided.proximo_en.map(Timestamp::as_microsecond),
            ":terminado_en": decided.terminado_en.map(Timestamp::as_microsecond),
            ":en_duda": decided.en_duda,
            ":ultimo_error": decided.ultimo_error,
        },
    )?;
    let e = &end.delivery;
    execute(
        connection,
        include_str!("../../sql/entrega/insert.sql"),
        named_params! {
            ":trabajo": end.id.0,
            ":inicio": e.start.as_microsecond(),
            ":duracion_ms": e.duracion_ms,
            ":ok": e.ok,
            ":status": e.status,
            ":error": e.error,
            ":respuesta": e.answer,
        },
    )?;
    if let Some(event) = &decided.event {
        event::insert(connection, lead, event)?;
    }
    if let Some(watched_loop) = decided.watched_loop {
        watched_loop::set(connection, lead, watched_loop)?;
        etapa::after_loop(connection, lead, before, watched_loop, end.at)?;
    }
    if decided.is_followed {
        job::insert_all(connection, lead, &end.jobs, end.at)?;
    }
    Ok(Some(lead))
}

/// The data of a job for the end of its attempt.
pub(super) struct Held {
    pub(super) lead: LeadId,
    kind: JobKind,
    creado_en: Timestamp,
    /// Attempts that have ended.
    intentos: u32,
    en_duda: bool,
    ultimo_error: Option<String>,
}

/// The job, if this process still holds it.
pub(super) fn held(connection: &Connection, end: &JobAttemptEnd) -> Step<Option<Held>> {
    let sql = include_str!("../../sql/trabajo/held.sql");
    first(connection, sql, (end.id.0, end.who.0), |c| {
        Ok(Held {
            lead: LeadId(c.get("lead_id")?),
            kind: c.word("tipo", JobKind::parse)?,
            creado_en: c.get("creado_en")?,
            intentos: c.get("intentos")?,
            en_duda: c.get("en_duda")?,
            ultimo_error: c.get("ultimo_error")?,
        })
    })
}

/// Reads the data that decides about the end.
fn seen(connection: &Connection, end: &JobAttemptEnd, held: Held) -> Step<Seen> {
    let Held { lead, kind, creado_en, intentos, en_duda, ultimo_error } = held;
    let lookups = end.lookups();
    let newer = include_str!("../../sql/trabajo/newer.sql");
    let since_sent = match lookups.since_sent {
        true => watched_loop::since(connection, lead, first_attempt(connection, end, intentos)?)?,
        false => CameBack::default(),
    };
    let (since_made, watched_loop) = match lookups.since_made {
        true => (watched_loop::since(connection, lead, creado_en)?, watched_loop::get(connection, lead)?),
        false => (CameBack::default(), None),
    };
    let has_newer = lookups.has_newer
        && exists(
            connection,
            newer,
            named_params! {":lead": lead.0, ":tipo": kind.as_str(), ":id": end.id.0},
        )?;
    Ok(Seen { kind, en_duda, ultimo_error, has_newer, since_sent, since_made, watched_loop })
}

/// When the first attempt of this run began; `intentos` attempts have ended before the current one.
fn first_attempt(connection: &Connection, end: &JobAttemptEnd, intentos: u32) -> Step<Timestamp> {
    let Some(after) = intentos.checked_sub(1) else { return Ok(end.delivery.start) };
    let sql = include_str!("../../sql/entrega/first_of_run.sql");
    Ok(first(connection, sql, (end.id.0, after), |c| c.get("inicio"))?.unwrap_or(end.delivery.start))
}
