//! What decides tax and price of a job.

use std::sync::LazyLock;

use embudo_domain::LeadId;
use embudo_domain::obra::{Obra, ObraPatch};
use embudo_store::columns::{fill_of, untyped};
use rusqlite::{Connection, named_params};

use super::execute_on_lead;
use crate::failure::Step;
use crate::query::record;
use crate::rows::{CellParam, obra_params};

static UPSERT: LazyLock<String> =
    LazyLock::new(|| fill_of(Obra::COLUMNS, include_str!("../../sql/lead_obra/upsert.sql"), untyped));

/// Writes all of it as it is from now on.
pub(super) fn put(connection: &Connection, lead: LeadId, obra: &Obra) -> Step<()> {
    let fixed = named_params! {":lead": lead.0};
    let cells = obra.cells().map(CellParam);
    let params: Vec<_> = fixed.iter().copied().chain(obra_params(&cells)).collect();
    execute_on_lead(connection, &UPSERT, &params[..])
}

/// Writes what changes over what is there.
pub(super) fn update(connection: &Connection, lead: LeadId, patch: &ObraPatch) -> Step<()> {
    if patch.is_empty() {
        return Ok(());
    }
    put(connection, lead, &patch.over(record::obra(connection, lead)?))
}
