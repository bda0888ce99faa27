//! What a person corrects of a lead.

use std::sync::LazyLock;

use deadpool_postgres::Pool;
use embudo_store::StoreError;
use embudo_store::columns::fill;
use embudo_store::leads::search_text;
use embudo_store::sheet::{EditLead, Edited, new_states};
use tokio_postgres::types::ToSql;

use super::alone::commit;
use super::audit;
use crate::failure::Step;
use crate::query::record;
use crate::rows::{CellParam, Instant, type_name};

static EDIT: LazyLock<String> =
    LazyLock::new(|| fill(include_str!("../../sql/lead/edit.sql"), 10, type_name));

/// Writes what was changed, unless somebody else changed the same.
pub(crate) async fn edit(pool: &Pool, command: &EditLead) -> Step<Edited> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    // Read after the lock, so that it is what is written over.
    let lock = tx.prepare_cached(include_str!("../../sql/lead/lock_contacto.sql")).await?;
    tx.query_opt(&lock, &[&command.lead.0]).await?.ok_or(StoreError::LeadNotFound)?;
    let now = record::lead(&tx, command.lead).await?;
    let (facts, entry) = match command.decide(&now) {
        Ok(decided) => decided,
        Err(end) => return Ok(end),
    };
    let (telefono, email) = (&facts.telefono, &facts.email);
    let search = search_text(&facts.nombre, &email.typed, &telefono.e164, facts.provincia.as_deref());
    let at = Instant::from(command.at);
    let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![
        &command.lead.0,
        &at,
        &facts.nombre,
        &telefono.typed,
        &telefono.e164,
        &email.typed,
        &email.normal,
        &facts.provincia,
        &search,
    ];
    let cells = facts.perfil.cells().map(|cell| cell.map(CellParam));
    parameters.extend(cells.iter().map(|cell| cell as &(dyn ToSql + Sync)));
    let statement = tx.prepare_cached(&EDIT).await?;
    tx.execute(&statement, &parameters).await?;
    let history = tx.prepare_cached(include_str!("../../sql/estado_historia/insert.sql")).await?;
    for (field, value) in new_states(&facts, &now) {
        tx.execute(&history, &[&command.lead.0, &field, &value, &at]).await?;
    }
    audit::record_in(&tx, &entry).await?;
    commit(tx).await?;
    Ok(Edited::Saved)
}
