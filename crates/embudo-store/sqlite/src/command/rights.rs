//! Erasures, and what else people may ask for of their data.

use embudo_domain::LeadId;
use embudo_store::queries::{self, Query};
use embudo_store::rights::{CallName, EraseLead, ErasedLead, Traces};
use embudo_store::{StoreError, queries::rights};
use rusqlite::Connection;
use uuid::Uuid;

use super::{audit, execute};
use crate::failure::Step;
use crate::query::{first, run, run_first};

/// What is deleted is overwritten; freed pages too, which costs writes and is not done at other times.
fn overwriting<T>(connection: &Connection, work: impl FnOnce() -> Step<T>) -> Step<T> {
    connection.pragma_update(None, "secure_delete", true)?;
    let end = work();
    connection.pragma_update(None, "secure_delete", "FAST")?;
    end
}

/// The keys of calls were found before, where nobody waits for it.
pub(crate) fn erase(connection: &Connection, command: &EraseLead, keys: &[CallName]) -> Step<ErasedLead> {
    if let Some(term) = &command.term
        && run_first(connection, &rights::alive(command.lead, term))?.is_some()
    {
        return Ok(ErasedLead::Kept);
    }
    overwriting(connection, || {
        forget(connection, keys)?;
        erase_rows(connection, command).map(ErasedLead::Gone)
    })
}

/// What may have been written about an erased lead while it was.
pub(crate) fn erase_again(connection: &Connection, lead: LeadId, keys: &[CallName]) -> Step<()> {
    overwriting(connection, || {
        forget(connection, keys)?;
        all(connection, &rights::rows_of(lead))
    })
}

fn forget(connection: &Connection, keys: &[CallName]) -> Step<()> {
    keys.iter().try_for_each(|key| run(connection, &rights::forget_key(key)).map(drop))
}

fn erase_rows(connection: &Connection, command: &EraseLead) -> Step<Vec<LeadId>> {
    let lead = command.lead;
    let Some(traces) = run_first(connection, &rights::traces(lead))? else {
        let known = run_first(connection, &rights::erasure(lead))?;
        return known.map(|_| Vec::new()).ok_or_else(|| StoreError::LeadNotFound.into());
    };
    let quotes = run(connection, &queries::quote::list(lead))?;
    let united = run(connection, &rights::united(lead))?;
    forget_search(connection, lead)?;
    let naming = naming(connection, &traces)?;
    all(connection, &rights::erase(command, &quotes, traces.empresa, &naming))?;
    audit::record(connection, &command.audit)?;
    Ok(united)
}

/// The entries of the audit log that a lead can be told by.
fn naming(connection: &Connection, traces: &Traces) -> Step<Vec<Uuid>> {
    let Some(query) = rights::may_name(traces) else { return Ok(Vec::new()) };
    let found = run(connection, &query)?.into_iter();
    Ok(found.filter(|(_, text)| traces.stand_in(text)).map(|(id, _)| id).collect())
}

/// The trigrams of a lead's text go before the text: they are found by it.
fn forget_search(connection: &Connection, lead: LeadId) -> Step<()> {
    let sql = include_str!("../../sql/lead_busqueda/get.sql");
    let text = first(connection, sql, (lead.0,), |c| Ok((c.get::<i64>("n")?, c.get::<String>("texto")?)))?;
    match text {
        Some(text) => execute(connection, include_str!("../../sql/lead_trigrama/delete.sql"), text).map(drop),
        None => Ok(()),
    }
}

fn all(connection: &Connection, statements: &[Query<()>]) -> Step<()> {
    statements.iter().try_for_each(|statement| run(connection, statement).map(drop))
}
