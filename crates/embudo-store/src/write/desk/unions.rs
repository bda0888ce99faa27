//! Uniting leads with a principal, and separating them.

use embudo_domain::audit::AuditEntry;
use embudo_domain::{LeadId, Timestamp};

use super::work::{lock, log, log_if};
use crate::inbox::Viewer;
use crate::queries::rights::wrote;
use crate::queries::{desk as queries, projection};
use crate::write::{Tx, sql};
use crate::{Result, StoreError};

pub(super) async fn unite(
    tx: &Tx<'_>,
    viewer: &Viewer,
    lead: LeadId,
    principal: LeadId,
    at: Timestamp,
    entry: &AuditEntry,
) -> Result<bool> {
    let desks = lock(tx, viewer, &[lead, principal]).await?;
    let find = |id: LeadId| desks.iter().find(|desk| desk.lead == id).ok_or(StoreError::LeadNotFound);
    let (one, other) = (find(lead)?, find(principal)?);
    let stands_for = tx.rows(projection::united(&[lead])).await?;
    if !one.can_unite_with(other) || !stands_for.is_empty() {
        return Ok(false);
    }
    let insert = sql!(
        "lead_union/insert.sql",
        lead: lead.0,
        empresa: one.empresa.0,
        principal: principal.0,
        por: viewer.who.0,
        now: at,
    );
    tx.run(insert).await?;
    log(tx, entry, &[lead]).await?;
    Ok(true)
}

/// Separates a lead; returns its former principal.
pub(super) async fn separate(
    tx: &Tx<'_>,
    viewer: &Viewer,
    lead: LeadId,
    entry: &AuditEntry,
) -> Result<Option<LeadId>> {
    // Reads which lead is the principal, so that both leads can be locked at once, in the order of their ids.
    let known = tx.first(queries::get(&[lead])).await?.and_then(|desk| desk.principal);
    let both: Vec<LeadId> = [lead].into_iter().chain(known).collect();
    let desk = lock(tx, viewer, &both).await?.into_iter().find(|desk| desk.lead == lead);
    let principal = desk.ok_or(StoreError::LeadNotFound)?.principal;
    if let Some(principal) = principal {
        tx.run(wrote(&[lead, principal], entry.at)).await?;
    }
    let deleted = tx.run(sql!("lead_union/delete.sql", lead: lead.0)).await?;
    log_if(tx, entry, lead, deleted).await?;
    Ok(principal)
}
