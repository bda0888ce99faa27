//! What decides tax and price of a job.

use deadpool_postgres::Transaction;
use embudo_domain::LeadId;
use embudo_domain::obra::{Obra, ObraPatch};
use embudo_store::columns::fill_of;

use crate::failure::Step;
use crate::named::Named;
use crate::query::record;
use crate::rows::{CellParam, obra_params, type_name};
use crate::statement::{OnPool as _, Sql, params};

static UPSERT: Sql = Sql::new(|| {
    let sql = fill_of(Obra::COLUMNS, include_str!("../../sql/lead_obra/upsert.sql"), type_name);
    Named::parse(sql.leak())
});

/// Writes all of it as it is from now on.
pub(super) async fn put(tx: &Transaction<'_>, lead: LeadId, obra: &Obra) -> Step<()> {
    let fixed = params! { lead: lead.0 };
    let cells = obra.cells().map(|cell| cell.map(CellParam));
    let params: Vec<_> = fixed.iter().copied().chain(obra_params(&cells)).collect();
    tx.execute(&UPSERT, &params).await?;
    Ok(())
}

/// Writes what changes over what is there. The lead is locked.
pub(super) async fn update(tx: &Transaction<'_>, lead: LeadId, patch: &ObraPatch) -> Step<()> {
    if patch.is_empty() {
        return Ok(());
    }
    put(tx, lead, &patch.over(record::obra(tx, lead).await?)).await
}
