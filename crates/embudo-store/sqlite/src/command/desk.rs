//! What people do with leads.

use embudo_domain::audit::AuditEntry;
use embudo_domain::etapa::{Etapa, Progress};
use embudo_domain::nota::NotaInterna;
use embudo_domain::{LeadId, NotaId, Timestamp, UserId};
use embudo_store::StoreError;
use embudo_store::desk::{HandAction, LeadDesk, WorkState, decide, told, told_of_each};
use embudo_store::inbox::Viewer;
use embudo_store::queries::{desk as queries, etapa as etapas, projection};
use embudo_store::sheet::Edited;
use rusqlite::{Connection, named_params};

use super::rights::wrote;
use super::{audit, etapa, execute};
use crate::failure::Step;
use crate::query::{run, run_first};

/// The leads that the viewer may see.
fn seen(connection: &Connection, viewer: &Viewer, leads: &[LeadId]) -> Step<Vec<LeadDesk>> {
    let mut desks = run(connection, &queries::get(leads))?;
    desks.retain(|desk| viewer.may_see(desk.empresa));
    Ok(desks)
}

fn one(connection: &Connection, viewer: &Viewer, lead: LeadId) -> Step<LeadDesk> {
    Ok(seen(connection, viewer, &[lead])?.pop().ok_or(StoreError::LeadNotFound)?)
}

pub(crate) fn assign(
    connection: &Connection,
    viewer: &Viewer,
    leads: &[LeadId],
    to: Option<UserId>,
    audit: &AuditEntry,
) -> Step<Vec<(LeadId, Option<UserId>)>> {
    let mut changed = Vec::new();
    for desk in seen(connection, viewer, leads)?.into_iter().filter(|desk| desk.assigned != to) {
        give(connection, &desk, to, audit.at)?;
        changed.push((desk.lead, desk.assigned));
    }
    log(connection, audit, &changed.iter().map(|(lead, _)| *lead).collect::<Vec<_>>())?;
    Ok(changed)
}

pub(crate) fn hand_over(
    connection: &Connection,
    viewer: &Viewer,
    lead: LeadId,
    seen: Option<UserId>,
    to: Option<UserId>,
    audit: &AuditEntry,
) -> Step<Edited> {
    let desk = one(connection, viewer, lead)?;
    let end = decide(&seen, &desk.assigned, &to);
    if end == Edited::Saved {
        give(connection, &desk, to, audit.at)?;
        log(connection, audit, &[lead])?;
    }
    Ok(end)
}

fn give(connection: &Connection, desk: &LeadDesk, to: Option<UserId>, at: Timestamp) -> Step<()> {
    wrote(connection, &[desk.lead], at)?;
    execute(
        connection,
        include_str!("../../sql/lead_gestion/assign.sql"),
        named_params! {
            ":lead": desk.lead.0,
            ":empresa": desk.empresa.0,
            ":asignado": to.map(|person| person.0),
        },
    )
    .map(drop)
}

fn log(connection: &Connection, audit: &AuditEntry, changed: &[LeadId]) -> Step<()> {
    told(audit, changed).map_or(Ok(()), |entry| audit::record(connection, &entry))
}

pub(crate) fn archive(
    connection: &Connection,
    viewer: &Viewer,
    leads: &[LeadId],
    reason: &str,
    at: Timestamp,
    audit: &AuditEntry,
) -> Step<Vec<LeadId>> {
    let mut changed = Vec::new();
    for desk in seen(connection, viewer, leads)?.into_iter().filter(|desk| desk.archived.is_none()) {
        execute(
            connection,
            include_str!("../../sql/lead_gestion/archive.sql"),
            named_params! {
                ":lead": desk.lead.0,
                ":empresa": desk.empresa.0,
                ":por": viewer.who.0,
                ":motivo": reason,
                ":now": at.as_microsecond(),
            },
        )?;
        etapa::raise(connection, desk.lead, Etapa::Perdido, at)?;
        changed.push(desk.lead);
    }
    for entry in told_of_each(audit, &changed) {
        audit::record(connection, &entry)?;
    }
    Ok(changed)
}

pub(crate) fn reopen(
    connection: &Connection,
    viewer: &Viewer,
    lead: LeadId,
    at: Timestamp,
    audit: &AuditEntry,
) -> Step<Etapa> {
    let desk = one(connection, viewer, lead)?;
    execute(
        connection,
        include_str!("../../sql/lead_gestion/reopen.sql"),
        named_params! {":lead": lead.0, ":empresa": desk.empresa.0, ":now": at.as_microsecond()},
    )?;
    etapa::settle(connection, lead, at)?;
    let standing = run_first(connection, &etapas::standing(lead))?.ok_or(StoreError::LeadNotFound)?;
    if standing.etapa != desk.etapa {
        log(connection, audit, &[lead])?;
    }
    Ok(standing.etapa)
}

pub(crate) fn set_action(
    connection: &Connection,
    viewer: &Viewer,
    lead: LeadId,
    seen: &Option<HandAction>,
    action: &Option<HandAction>,
    audit: &AuditEntry,
) -> Step<Edited> {
    let desk = one(connection, viewer, lead)?;
    let end = decide(seen, &desk.action, action);
    if end != Edited::Saved {
        return Ok(end);
    }
    let action = action.as_ref();
    execute(
        connection,
        include_str!("../../sql/lead_gestion/set_accion.sql"),
        named_params! {
            ":lead": lead.0,
            ":empresa": desk.empresa.0,
            ":cuando": action.map(|action| action.due.as_microsecond()),
            ":texto": action.map(|action| &action.text),
            ":por": action.map(|_| viewer.who.0),
        },
    )?;
    wrote(connection, &[lead], audit.at)?;
    log(connection, audit, &[lead])?;
    Ok(end)
}

pub(crate) fn set_work(
    connection: &Connection,
    viewer: &Viewer,
    lead: LeadId,
    seen: WorkState,
    work: WorkState,
    at: Timestamp,
    audit: &AuditEntry,
) -> Step<Edited> {
    let desk = one(connection, viewer, lead)?;
    let standing = run_first(connection, &etapas::standing(lead))?.ok_or(StoreError::LeadNotFound)?;
    let end = decide(&seen, &desk.work, &work);
    if !standing.facts.accepted || end != Edited::Saved {
        return Ok(if standing.facts.accepted { end } else { Edited::Stale });
    }
    execute(
        connection,
        include_str!("../../sql/lead_gestion/set_obra.sql"),
        named_params! {
            ":lead": lead.0,
            ":empresa": desk.empresa.0,
            ":inicio": work.start.map(|day| day.to_string()),
            ":progreso": work.progress.map(Progress::as_str),
        },
    )?;
    etapa::settle(connection, lead, at)?;
    wrote(connection, &[lead], at)?;
    log(connection, audit, &[lead])?;
    Ok(end)
}

pub(crate) fn add_nota(
    connection: &Connection,
    viewer: &Viewer,
    lead: LeadId,
    nota: &NotaInterna,
    audit: &AuditEntry,
) -> Step<bool> {
    let desk = one(connection, viewer, lead)?;
    let added = execute(
        connection,
        include_str!("../../sql/nota_interna/insert.sql"),
        named_params! {
            ":lead": lead.0,
            ":id": nota.id.0,
            ":empresa": desk.empresa.0,
            ":autor": nota.author.0,
            ":texto": nota.text,
            ":now": nota.creada_en.as_microsecond(),
        },
    )?;
    log_if(connection, audit, lead, added)
}

pub(crate) fn delete_nota(
    connection: &Connection,
    viewer: &Viewer,
    lead: LeadId,
    id: NotaId,
    audit: &AuditEntry,
) -> Step<bool> {
    one(connection, viewer, lead)?;
    let deleted = execute(connection, include_str!("../../sql/nota_interna/delete.sql"), (lead.0, id.0))?;
    if deleted > 0 {
        wrote(connection, &[lead], audit.at)?;
    }
    log_if(connection, audit, lead, deleted)
}

/// Tells of it if rows were changed, and whether they were.
fn log_if(connection: &Connection, audit: &AuditEntry, lead: LeadId, rows: usize) -> Step<bool> {
    if rows > 0 {
        log(connection, audit, &[lead])?;
    }
    Ok(rows > 0)
}

pub(crate) fn mark_read(
    connection: &Connection,
    viewer: &Viewer,
    leads: &[LeadId],
    at: Timestamp,
) -> Step<()> {
    for owned in run(connection, &projection::owners(leads))? {
        if viewer.may_see(owned.empresa) {
            execute(
                connection,
                include_str!("../../sql/lead_leido/upsert.sql"),
                named_params! {
                    ":lead": owned.lead.0,
                    ":who": viewer.who.0,
                    ":now": at.as_microsecond(),
                },
            )?;
        }
    }
    Ok(())
}

pub(crate) fn mark_unread(connection: &Connection, viewer: &Viewer, lead: LeadId) -> Step<()> {
    one(connection, viewer, lead)?;
    let sql = include_str!("../../sql/lead_leido/delete.sql");
    execute(connection, sql, (lead.0, viewer.who.0)).map(drop)
}

pub(crate) fn unite(
    connection: &Connection,
    viewer: &Viewer,
    lead: LeadId,
    principal: LeadId,
    at: Timestamp,
    audit: &AuditEntry,
) -> Step<bool> {
    let (one, other) = (one(connection, viewer, lead)?, one(connection, viewer, principal)?);
    let stands_for = run(connection, &projection::united(&[lead]))?;
    if !one.can_unite_with(&other) || !stands_for.is_empty() {
        return Ok(false);
    }
    execute(
        connection,
        include_str!("../../sql/lead_union/insert.sql"),
        named_params! {
            ":lead": lead.0,
            ":empresa": one.empresa.0,
            ":principal": principal.0,
            ":por": viewer.who.0,
            ":now": at.as_microsecond(),
        },
    )?;
    log(connection, audit, &[lead])?;
    Ok(true)
}

/// Returns the lead that stood for this one.
pub(crate) fn separate(
    connection: &Connection,
    viewer: &Viewer,
    lead: LeadId,
    audit: &AuditEntry,
) -> Step<Option<LeadId>> {
    let desk = one(connection, viewer, lead)?;
    let deleted = execute(connection, include_str!("../../sql/lead_union/delete.sql"), (lead.0,))?;
    if let Some(principal) = desk.principal {
        wrote(connection, &[lead, principal], audit.at)?;
    }
    log_if(connection, audit, lead, deleted)?;
    Ok(desk.principal)
}
