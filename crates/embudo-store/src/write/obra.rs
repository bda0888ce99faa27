//! The obra, which decides tax and price of a job.

use embudo_domain::LeadId;
use embudo_domain::obra::{Obra, ObraPatch};

use super::Tx;
use super::cells::filled;
use crate::Result;
use crate::queries::{Statement, lead as queries};

/// Writes all fields of the obra.
pub fn put(lead: LeadId, obra: &Obra) -> Statement {
    filled(include_str!("../../sql/lead_obra/upsert.sql"), Obra::COLUMNS, obra.cells()).bind("lead", lead.0)
}

/// Writes the changed fields of the obra. The caller has locked the lead.
pub(super) async fn update(tx: &Tx<'_>, lead: LeadId, patch: &ObraPatch) -> Result<()> {
    if patch.is_empty() {
        return Ok(());
    }
    let before = tx.first(queries::obra(lead)).await?.unwrap_or_default();
    tx.run(put(lead, &patch.over(before))).await.map(drop)
}
