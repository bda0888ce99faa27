//! What people do with leads. What an etapa is derived from changes under the lead's lock.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::etapa::Etapa;
use embudo_domain::{LeadId, NotaId, Timestamp, UsuarioId};
use embudo_store::StoreError;
use embudo_store::desk::{HandAction, LeadDesk};
use embudo_store::inbox::Viewer;
use embudo_store::queries::{desk as queries, etapa as etapas, projection};
use uuid::Uuid;

use super::alone::commit;
use super::etapa::{self, Raised};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::writer::Session;

/// The leads that the viewer may see, locked.
async fn lock(tx: &Transaction<'_>, viewer: &Viewer, leads: &[LeadId]) -> Step<Vec<LeadDesk>> {
    let ids: Vec<Uuid> = leads.iter().map(|lead| lead.0).collect();
    let lock = tx.prepare_cached(include_str!("../../sql/lead/lock_ids.sql")).await?;
    tx.query(&lock, &[&ids]).await?;
    let mut desks = run_in(tx, &queries::get(leads)).await?;
    desks.retain(|desk| viewer.may_see(desk.empresa));
    desks.sort_by_key(|desk| desk.lead);
    Ok(desks)
}

async fn lock_one(tx: &Transaction<'_>, viewer: &Viewer, lead: LeadId) -> Step<LeadDesk> {
    Ok(lock(tx, viewer, &[lead]).await?.pop().ok_or(StoreError::LeadNotFound)?)
}

/// Ids and companies.
fn columns(desks: &[LeadDesk]) -> (Vec<Uuid>, Vec<Uuid>) {
    desks.iter().map(|desk| (desk.lead.0, desk.empresa.0)).unzip()
}

pub(crate) async fn assign(
    pool: &Pool,
    viewer: &Viewer,
    leads: &[LeadId],
    to: Option<UsuarioId>,
) -> Step<Vec<(LeadId, Option<UsuarioId>)>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let mut desks = lock(&tx, viewer, leads).await?;
    desks.retain(|desk| desk.assigned != to);
    let (leads, empresas) = columns(&desks);
    let assign = tx.prepare_cached(include_str!("../../sql/lead_gestion/assign.sql")).await?;
    tx.execute(&assign, &[&leads, &empresas, &to.map(|person| person.0)]).await?;
    commit(tx).await?;
    Ok(desks.into_iter().map(|desk| (desk.lead, desk.assigned)).collect())
}

pub(crate) async fn archive(
    pool: &Pool,
    viewer: &Viewer,
    leads: &[LeadId],
    reason: &str,
    at: Timestamp,
) -> Step<Vec<LeadId>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let mut desks = lock(&tx, viewer, leads).await?;
    desks.retain(|desk| desk.archived.is_none());
    let (leads, empresas) = columns(&desks);
    let archive = tx.prepare_cached(include_str!("../../sql/lead_gestion/archive.sql")).await?;
    tx.execute(&archive, &[&leads, &empresas, &Instant::from(at), &viewer.who.0, &reason]).await?;
    let mut raised = Raised::default();
    desks.iter().for_each(|desk| raised.to(desk.lead, Etapa::Perdido, at));
    raised.write(&Session::within(&tx, &[etapa::RAISE]).await?).await?;
    commit(tx).await?;
    Ok(desks.into_iter().map(|desk| desk.lead).collect())
}

pub(crate) async fn reopen(pool: &Pool, viewer: &Viewer, lead: LeadId, at: Timestamp) -> Step<Etapa> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let desk = lock_one(&tx, viewer, lead).await?;
    let reopen = tx.prepare_cached(include_str!("../../sql/lead_gestion/reopen.sql")).await?;
    tx.execute(&reopen, &[&lead.0, &desk.empresa.0, &Instant::from(at)]).await?;
    etapa::settle(&tx, lead, at).await?;
    let standing = run_in(&tx, &etapas::standing(lead)).await?.pop().ok_or(StoreError::LeadNotFound)?;
    commit(tx).await?;
    Ok(standing.etapa)
}

pub(crate) async fn set_action(
    pool: &Pool,
    viewer: &Viewer,
    lead: LeadId,
    action: Option<&HandAction>,
) -> Step<Option<HandAction>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let desk = lock_one(&tx, viewer, lead).await?;
    let set = tx.prepare_cached(include_str!("../../sql/lead_gestion/set_accion.sql")).await?;
    let due = action.map(|action| Instant::from(action.due));
    let (text, by) = (action.map(|action| action.text.as_str()), action.map(|_| viewer.who.0));
    tx.execute(&set, &[&lead.0, &desk.empresa.0, &due, &text, &by]).await?;
    commit(tx).await?;
    Ok(desk.action)
}

pub(crate) async fn add_nota(
    pool: &Pool,
    viewer: &Viewer,
    lead: LeadId,
    id: NotaId,
    text: &str,
    at: Timestamp,
) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let desk = lock_one(&tx, viewer, lead).await?;
    let insert = tx.prepare_cached(include_str!("../../sql/nota_interna/insert.sql")).await?;
    let values = (desk.empresa.0, viewer.who.0, Instant::from(at));
    tx.execute(&insert, &[&lead.0, &id.0, &values.0, &values.1, &text, &values.2]).await?;
    commit(tx).await
}

pub(crate) async fn delete_nota(pool: &Pool, viewer: &Viewer, lead: LeadId, id: NotaId) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    lock_one(&tx, viewer, lead).await?;
    let delete = tx.prepare_cached(include_str!("../../sql/nota_interna/delete.sql")).await?;
    let deleted = tx.execute(&delete, &[&lead.0, &id.0]).await?;
    commit(tx).await?;
    Ok(deleted > 0)
}

/// Needs no lock: nothing is derived from it.
pub(crate) async fn mark_read(pool: &Pool, viewer: &Viewer, leads: &[LeadId], at: Timestamp) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let mut owned = run_in(&tx, &projection::owners(leads)).await?;
    owned.retain(|change| viewer.may_see(change.empresa));
    let mut leads: Vec<Uuid> = owned.iter().map(|change| change.lead.0).collect();
    leads.sort();
    let upsert = tx.prepare_cached(include_str!("../../sql/lead_leido/upsert.sql")).await?;
    tx.execute(&upsert, &[&leads, &viewer.who.0, &Instant::from(at)]).await?;
    commit(tx).await
}

pub(crate) async fn mark_unread(pool: &Pool, viewer: &Viewer, lead: LeadId) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    lock_one(&tx, viewer, lead).await?;
    let delete = tx.prepare_cached(include_str!("../../sql/lead_leido/delete.sql")).await?;
    tx.execute(&delete, &[&lead.0, &viewer.who.0]).await?;
    commit(tx).await
}

pub(crate) async fn unite(
    pool: &Pool,
    viewer: &Viewer,
    lead: LeadId,
    principal: LeadId,
    at: Timestamp,
) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let desks = lock(&tx, viewer, &[lead, principal]).await?;
    let find = |id: LeadId| desks.iter().find(|desk| desk.lead == id).ok_or(StoreError::LeadNotFound);
    let (one, other) = (find(lead)?, find(principal)?);
    let stands_for = run_in(&tx, &projection::united(&[lead])).await?;
    if !one.can_unite_with(other) || !stands_for.is_empty() {
        return Ok(false);
    }
    let insert = tx.prepare_cached(include_str!("../../sql/lead_union/insert.sql")).await?;
    let (empresa, at) = (one.empresa.0, Instant::from(at));
    tx.execute(&insert, &[&lead.0, &empresa, &principal.0, &viewer.who.0, &at]).await?;
    commit(tx).await?;
    Ok(true)
}

/// Returns the lead that stood for this one.
pub(crate) async fn separate(pool: &Pool, viewer: &Viewer, lead: LeadId) -> Step<Option<LeadId>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let desk = lock_one(&tx, viewer, lead).await?;
    let delete = tx.prepare_cached(include_str!("../../sql/lead_union/delete.sql")).await?;
    tx.execute(&delete, &[&lead.0]).await?;
    commit(tx).await?;
    Ok(desk.principal)
}
