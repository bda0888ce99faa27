//! The watched loop of a lead. Which step follows is the domain's decision; here it is kept, under the lead's lock.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::LeadId;
use embudo_domain::bucle::Bucle;
use embudo_store::cola::VencerBucle;
use uuid::Uuid;

use super::alone::commit;
use super::{evento, trabajo};
use crate::failure::Step;
use crate::rows::{self, Instante};
use crate::writer::Session;

pub(super) const SET: &str = include_str!("../../sql/bucle/set.sql");

/// Locks a lead; its company and where it stands. `None` if there is no such lead.
pub(super) async fn lock(tx: &Transaction<'_>, lead: LeadId) -> Step<Option<(Uuid, Option<Bucle>)>> {
    let lock = tx.prepare_cached(include_str!("../../sql/bucle/lock.sql")).await?;
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
    write(&Session::within(tx, &[SET]).await?, &[(lead, despues)]).await
}

/// Writes where leads stand.
pub(super) async fn write(on: &Session<'_>, bucles: &[(LeadId, Option<Bucle>)]) -> Step<()> {
    if bucles.is_empty() {
        return Ok(());
    }
    let leads: Vec<Uuid> = bucles.iter().map(|(lead, _)| lead.0).collect();
    let stands = || bucles.iter().map(|(_, bucle)| *bucle);
    let pasos: Vec<Option<&str>> = stands().map(|b| b.map(|b| b.paso.as_str())).collect();
    let desde: Vec<Option<Instante>> = stands().map(|b| b.map(|b| b.desde.into())).collect();
    let limites: Vec<Option<Instante>> = stands().map(|b| b.map(|b| b.limite.into())).collect();
    let vencidos: Vec<bool> = stands().map(|b| b.is_some_and(|b| b.vencido)).collect();
    let resenales: Vec<i64> = stands().map(|b| b.map_or(0, |b| i64::from(b.resenales))).collect();
    on.query(SET, &[&leads, &pasos, &desde, &limites, &vencidos, &resenales]).await?;
    Ok(())
}

/// Marks a step as overdue. `None`: the lead has moved on or is marked already; else whether a job waits for whoever comes.
pub(crate) async fn vencer(pool: &Pool, command: &VencerBucle) -> Step<Option<bool>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let Some((empresa, antes)) = lock(&tx, command.lead).await? else { return Ok(None) };
    let Some(despues) = command.decide(antes) else { return Ok(None) };
    set(&tx, command.lead, antes, Some(despues)).await?;
    evento::insert(&tx, command.lead, empresa, std::slice::from_ref(&command.evento)).await?;
    let resent = trabajo::insert(&tx, command.lead, command.resenal.as_slice(), command.en).await?;
    let told = trabajo::insert(&tx, command.lead, &command.avisos, command.en).await?;
    commit(tx).await?;
    Ok(Some(resent || told))
}
