//! The watched loop of a lead. Which step follows is the domain's decision; here it is kept, under the lead's lock.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::bucle::{Bucle, Vuelta};
use embudo_domain::{LeadId, Timestamp};
use embudo_store::cola::VencerBucle;
use uuid::Uuid;

use super::alone::commit;
use super::{evento, trabajo};
use crate::failure::Step;
use crate::rows::{self, Instante};

/// Locks a lead; its company and where it stands. `None` if there is no such lead.
pub(super) async fn lock(tx: &Transaction<'_>, lead: LeadId) -> Step<Option<(Uuid, Option<Bucle>)>> {
    let lock = tx.prepare_cached(include_str!("../../sql/lead/lock_bucle.sql")).await?;
    let row = tx.query_opt(&lock, &[&lead.0]).await?;
    row.map(|row| Ok((row.try_get("empresa_id")?, rows::bucle(&row)?))).transpose()
}

/// Writes where a lead stands, if that is somewhere else than before.
pub(super) async fn set(
    tx: &Transaction<'_>,
    lead: LeadId,
    antes: Option<Bucle>,
    despues: Option<Bucle>,
) -> Step<()> {
    if antes == despues {
        return Ok(());
    }
    let paso = despues.map(|b| b.paso.as_str());
    let desde = despues.map(|b| Instante::from(b.desde));
    let limite = despues.map(|b| Instante::from(b.limite));
    let vencido = despues.is_some_and(|b| b.vencido);
    let resenales = despues.map_or(0, |b| i64::from(b.resenales));
    let set = tx.prepare_cached(include_str!("../../sql/lead/set_bucle.sql")).await?;
    tx.execute(&set, &[&lead.0, &paso, &desde, &limite, &vencido, &resenales]).await?;
    Ok(())
}

/// What came in for a lead since a signal was made.
pub(super) async fn vuelta(tx: &Transaction<'_>, lead: LeadId, desde: Timestamp) -> Step<Vuelta> {
    let look = tx.prepare_cached(include_str!("../../sql/lead/vuelta.sql")).await?;
    let row = tx.query_one(&look, &[&lead.0, &Instante::from(desde)]).await?;
    Ok(Vuelta { renders: row.try_get("renders")?, finalizar: row.try_get("finalizar")? })
}

/// Marks a step as overdue. `None`: the lead has moved on or is marked already; else whether a job waits for whoever comes.
pub(crate) async fn vencer(pool: &Pool, command: &VencerBucle) -> Step<Option<bool>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let Some((empresa, antes)) = lock(&tx, command.lead).await? else { return Ok(None) };
    // A step that began anew since it was listed is not overdue.
    let is_overdue = |b: &Bucle| b.paso == command.paso && !b.vencido && b.limite <= command.en;
    let Some(bucle) = antes.filter(is_overdue) else { return Ok(None) };
    let resenales = bucle.resenales + u32::from(command.resenal.is_some());
    set(&tx, command.lead, antes, Some(Bucle { vencido: true, resenales, ..bucle })).await?;
    evento::insert(&tx, command.lead, empresa, std::slice::from_ref(&command.evento)).await?;
    let resent = trabajo::insert(&tx, command.lead, empresa, command.resenal.as_slice(), command.en).await?;
    let told = trabajo::insert(&tx, command.lead, empresa, &command.avisos, command.en).await?;
    commit(tx).await?;
    Ok(Some(resent || told))
}
