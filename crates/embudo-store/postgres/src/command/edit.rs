//! What a person corrects of a lead.

use deadpool_postgres::Pool;
use embudo_store::StoreError;
use embudo_store::columns::fill;
use embudo_store::leads::search_text;
use embudo_store::sheet::{EditLead, Edited, new_states};

use super::alone::commit;
use super::{audit, obra};
use crate::failure::Step;
use crate::named::Named;
use crate::query::record;
use crate::rows::{CellParam, Instant, perfil_params, type_name};
use crate::statement::{OnPool, Sql, params, sql};

static EDIT: Sql = Sql::new(|| Named::parse(fill(include_str!("../../sql/lead/edit.sql"), type_name).leak()));

/// Writes what was changed, unless somebody else changed the same.
pub(crate) async fn edit(pool: &Pool, command: &EditLead) -> Step<Edited> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    // Read after the lock, so that it is what is written over.
    let row = tx.row_opt(sql!("lead/lock_contacto.sql"), params! { lead: command.lead.0 }).await?;
    row.ok_or(StoreError::LeadNotFound)?;
    let now = record::whole_lead(&tx, command.lead).await?;
    let (facts, entry) = match command.decide(&now) {
        Ok(decided) => decided,
        Err(end) => return Ok(end),
    };
    let (telefono, email) = (&facts.telefono, &facts.email);
    let search = search_text(&facts.nombre, &email.typed, &telefono.e164, facts.provincia.as_deref());
    let at = Instant::from(command.at);
    let fixed = params! {
        lead: command.lead.0,
        now: at,
        nombre: facts.nombre,
        telefono: telefono.typed,
        telefono_e164: telefono.e164,
        email: email.typed,
        email_normal: email.normal,
        provincia: facts.provincia,
        busqueda: search,
    };
    let cells = facts.perfil.cells().map(|cell| cell.map(CellParam));
    let params: Vec<_> = fixed.iter().copied().chain(perfil_params(&cells)).collect();
    tx.execute(&EDIT, &params).await?;
    if facts.obra != now.obra {
        obra::put(&tx, command.lead, &facts.obra).await?;
    }
    for (campo, valor) in new_states(&facts, &now) {
        let state = params! { lead: command.lead.0, campo, valor, now: at };
        tx.execute(sql!("estado_historia/insert.sql"), state).await?;
    }
    audit::record_in(&tx, &entry).await?;
    commit(tx).await?;
    Ok(Edited::Saved)
}
