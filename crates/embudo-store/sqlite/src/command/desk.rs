//! What people do with leads.

use embudo_domain::etapa::Etapa;
use embudo_domain::{LeadId, NotaId, Timestamp, UserId};
use embudo_store::StoreError;
use embudo_store::desk::{HandAction, LeadDesk};
use embudo_store::inbox::Viewer;
use embudo_store::queries::{desk as queries, etapa as etapas, projection};
use rusqlite::{Connection, named_params};

use super::{etapa, execute};
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
) -> Step<Vec<(LeadId, Option<UserId>)>> {
    let mut changed = Vec::new();
    for desk in seen(connection, viewer, leads)?.into_iter().filter(|desk| desk.assigned != to) {
        execute(
            connection,
            include_str!("../../sql/lead_gestion/assign.sql"),
            named_params! {
                ":lead": desk.lead.0,
                ":empresa": desk.empresa.0,
                ":asignado": to.map(|person| person.0),
            },
        )?;
        changed.push((desk.lead, desk.assigned));
    }
    Ok(changed)
}

pub(crate) fn archive(
    connection: &Connection,
    viewer: &Viewer,
    leads: &[LeadId],
    reason: &str,
    at: Timestamp,
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
    Ok(changed)
}

pub(crate) fn reopen(connection: &Connection, viewer: &Viewer, lead: LeadId, at: Timestamp) -> Step<Etapa> {
    let desk = one(connection, viewer, lead)?;
    execute(
        connection,
        include_str!("../../sql/lead_gestion/reopen.sql"),
        named_params! {":lead": lead.0, ":empresa": desk.empresa.0, ":now": at.as_microsecond()},
    )?;
    etapa::settle(connection, lead, at)?;
    let standing = run_first(connection, &etapas::standing(lead))?.ok_or(StoreError::LeadNotFound)?;
    Ok(standing.etapa)
}

pub(crate) fn set_action(
    connection: &Connection,
    viewer: &Viewer,
    lead: LeadId,
    action: Option<&HandAction>,
) -> Step<Option<HandAction>> {
    let desk = one(connection, viewer, lead)?;
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
    Ok(desk.action)
}

pub(crate) fn add_nota(
    connection: &Connection,
    viewer: &Viewer,
    lead: LeadId,
    id: NotaId,
    text: &str,
    at: Timestamp,
) -> Step<()> {
    let desk = one(connection, viewer, lead)?;
    execute(
        connection,
        include_str!("../../sql/nota_interna/insert.sql"),
        named_params! {
            ":lead": lead.0,
            ":id": id.0,
            ":empresa": desk.empresa.0,
            ":autor": viewer.who.0,
            ":texto": text,
            ":now": at.as_microsecond(),
        },
    )
    .map(drop)
}

pub(crate) fn delete_nota(connection: &Connection, viewer: &Viewer, lead: LeadId, id: NotaId) -> Step<bool> {
    one(connection, viewer, lead)?;
    let deleted = execute(connection, include_str!("../../sql/nota_interna/delete.sql"), (lead.0, id.0))?;
    Ok(deleted > 0)
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
    Ok(true)
}

/// Returns the lead that stood for this one.
pub(crate) fn separate(connection: &Connection, viewer: &Viewer, lead: LeadId) -> Step<Option<LeadId>> {
    let desk = one(connection, viewer, lead)?;
    execute(connection, include_str!("../../sql/lead_union/delete.sql"), (lead.0,))?;
    Ok(desk.principal)
}
