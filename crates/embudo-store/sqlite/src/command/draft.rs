//! Quotes that people are still writing.

use embudo_domain::audit::AuditEntry;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::{EmpresaId, LeadId, Timestamp};
use embudo_store::drafts::{
    DraftChange, OpenDraft, Opened, SaveDraft, SealDraft, SeenDraft, StoredDraft, StretchAudit,
};
use embudo_store::{StoreError, queries};
use rusqlite::{Connection, named_params};

use super::rights::wrote;
use super::{audit, etapa, event, execute, job, presupuesto};
use crate::failure::Step;
use crate::query::{first, run_first};

fn of_lead(connection: &Connection, lead: LeadId) -> Step<Option<StoredDraft>> {
    run_first(connection, &queries::draft::of_lead(lead))
}

pub(crate) fn open(connection: &Connection, command: &OpenDraft) -> Step<Opened> {
    let lead = command.lead;
    let sql = include_str!("../../sql/lead/get_empresa.sql");
    let empresa = first(connection, sql, (lead.0,), |c| c.get("empresa_id").map(EmpresaId))?;
    let empresa = empresa.ok_or(StoreError::LeadNotFound)?;
    if let Some(before) = of_lead(connection, lead)? {
        return Ok(Opened::Before(before));
    }
    execute(
        connection,
        include_str!("../../sql/borrador/insert.sql"),
        named_params! {
            ":lead": lead.0,
            ":id": command.id.0,
            ":empresa": empresa.0,
            ":motivo": command.reason.as_str(),
            ":hoja": command.sheet,
            ":por": command.by.map(|person| person.0),
            ":now": command.at.as_microsecond(),
        },
    )?;
    etapa::settle(connection, lead, command.at)?;
    command.event.iter().try_for_each(|event| event::insert(connection, lead, event))?;
    job::insert_all(connection, lead, &command.jobs, command.at)?;
    command.audit.iter().try_for_each(|entry| audit::record(connection, entry))?;
    let made = of_lead(connection, lead)?;
    Ok(Opened::New(made.ok_or_else(|| StoreError::Internal("a draft was not kept".into()))?))
}

pub(crate) fn save(connection: &Connection, command: &SaveDraft) -> Step<DraftChange<i64>> {
    let found = of_lead(connection, command.seen.lead)?;
    let draft = match command.seen.check(found) {
        Ok(draft) => draft,
        Err(change) => return Ok(change),
    };
    execute(
        connection,
        include_str!("../../sql/borrador/save.sql"),
        named_params! {
            ":lead": draft.lead.0,
            ":hoja": command.sheet,
            ":por": command.by.map(|person| person.0),
            ":now": command.at.as_microsecond(),
        },
    )?;
    match &command.audit {
        None => {}
        Some(StretchAudit::Grow { entry, after }) => audit::grow(connection, *entry, after)?,
        Some(StretchAudit::Begin { entry, before }) => {
            let sql = include_str!("../../sql/borrador/begin_tramo.sql");
            let begun = named_params! {":lead": draft.lead.0, ":apunte": entry.id.0, ":hoja": before};
            execute(connection, sql, begun)?;
            audit::record(connection, entry)?;
        }
    }
    Ok(DraftChange::Done(draft.revision + 1))
}

fn delete(connection: &Connection, lead: LeadId) -> Step<()> {
    execute(connection, include_str!("../../sql/borrador/delete.sql"), (lead.0,)).map(drop)
}

pub(crate) fn discard(
    connection: &Connection,
    seen: SeenDraft,
    at: Timestamp,
    entry: &AuditEntry,
) -> Step<DraftChange<()>> {
    if let Err(change) = seen.check(of_lead(connection, seen.lead)?) {
        return Ok(change);
    }
    delete(connection, seen.lead)?;
    wrote(connection, &[seen.lead], at)?;
    etapa::settle(connection, seen.lead, at)?;
    audit::record(connection, entry)?;
    Ok(DraftChange::Done(()))
}

pub(crate) fn seal(connection: &Connection, command: SealDraft) -> Step<DraftChange<Presupuesto>> {
    let SealDraft { seen, quote, event, jobs, audit: entry } = command;
    let (lead, at) = (seen.lead, quote.at);
    let draft = match seen.check(of_lead(connection, lead)?) {
        Ok(draft) => draft,
        Err(change) => return Ok(change),
    };
    let last = run_first(connection, &queries::quote::last(lead))?;
    delete(connection, lead)?;
    let new = presupuesto::issue(connection, quote, draft.empresa, last.as_ref(), Some(&draft.sheet))?;
    event::insert(connection, lead, &event)?;
    job::insert_all(connection, lead, &jobs, at)?;
    audit::record(connection, &entry)?;
    Ok(DraftChange::Done(new))
}
