//! What people do with leads. What an etapa is derived from changes under the lead's lock.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::audit::AuditEntry;
use embudo_domain::etapa::{Etapa, Progress};
use embudo_domain::nota::NotaInterna;
use embudo_domain::{LeadId, NotaId, Timestamp, UserId};
use embudo_store::StoreError;
use embudo_store::desk::{HandAction, LeadDesk, WorkState, decide, told, told_of_each};
use embudo_store::inbox::Viewer;
use embudo_store::queries::{desk as queries, etapa as etapas, projection};
use embudo_store::sheet::Edited;
use uuid::Uuid;

use super::alone::commit;
use super::audit;
use super::column;
use super::etapa::{self, Raised};
use super::rights::wrote;
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};
use crate::writer::Session;

/// The leads that the viewer may see, locked.
async fn lock(tx: &Transaction<'_>, viewer: &Viewer, leads: &[LeadId]) -> Step<Vec<LeadDesk>> {
    tx.rows(sql!("lead/lock_ids.sql"), params! { lead: column(leads, |lead| lead.0) }).await?;
    let mut desks = run_in(tx, &queries::get(leads)).await?;
    desks.retain(|desk| viewer.may_see(desk.empresa));
    desks.sort_by_key(|desk| desk.lead);
    Ok(desks)
}

async fn lock_one(tx: &Transaction<'_>, viewer: &Viewer, lead: LeadId) -> Step<LeadDesk> {
    Ok(lock(tx, viewer, &[lead]).await?.pop().ok_or(StoreError::LeadNotFound)?)
}

fn ids(desks: &[LeadDesk]) -> Vec<LeadId> {
    desks.iter().map(|desk| desk.lead).collect()
}

/// Ids and companies.
fn columns(desks: &[LeadDesk]) -> (Vec<Uuid>, Vec<Uuid>) {
    desks.iter().map(|desk| (desk.lead.0, desk.empresa.0)).unzip()
}

pub(crate) async fn assign(
    pool: &Pool,
    viewer: &Viewer,
    leads: &[LeadId],
    to: Option<UserId>,
    audit: &AuditEntry,
) -> Step<Vec<(LeadId, Option<UserId>)>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let mut desks = lock(&tx, viewer, leads).await?;
    desks.retain(|desk| desk.assigned != to);
    give(&tx, &desks, to, audit.at).await?;
    log(&tx, audit, &desks).await?;
    commit(tx).await?;
    Ok(desks.into_iter().map(|desk| (desk.lead, desk.assigned)).collect())
}

pub(crate) async fn hand_over(
    pool: &Pool,
    viewer: &Viewer,
    lead: LeadId,
    seen: Option<UserId>,
    to: Option<UserId>,
    audit: &AuditEntry,
) -> Step<Edited> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let desk = lock_one(&tx, viewer, lead).await?;
    let end = decide(&seen, &desk.assigned, &to);
    if end == Edited::Saved {
        give(&tx, std::slice::from_ref(&desk), to, audit.at).await?;
        log(&tx, audit, &[desk]).await?;
        commit(tx).await?;
    }
    Ok(end)
}

async fn give(tx: &Transaction<'_>, desks: &[LeadDesk], to: Option<UserId>, at: Timestamp) -> Step<()> {
    wrote(tx, &ids(desks), at).await?;
    let (leads, empresas) = columns(desks);
    let given = params! { lead: leads, empresa: empresas, asignado: to.map(|person| person.0) };
    tx.execute(sql!("lead_gestion/assign.sql"), given).await?;
    Ok(())
}

async fn log(tx: &Transaction<'_>, audit: &AuditEntry, changed: &[LeadDesk]) -> Step<()> {
    match told(audit, &ids(changed)) {
        Some(entry) => audit::record_in(tx, &entry).await,
        None => Ok(()),
    }
}

pub(crate) async fn archive(
    pool: &Pool,
    viewer: &Viewer,
    leads: &[LeadId],
    reason: &str,
    at: Timestamp,
    audit: &AuditEntry,
) -> Step<Vec<LeadId>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let mut desks = lock(&tx, viewer, leads).await?;
    desks.retain(|desk| desk.archived.is_none());
    let (leads, empresas) = columns(&desks);
    let archived = params! {
        lead: leads,
        empresa: empresas,
        now: Instant::from(at),
        por: viewer.who.0,
        motivo: reason,
    };
    tx.execute(sql!("lead_gestion/archive.sql"), archived).await?;
    let mut raised = Raised::default();
    desks.iter().for_each(|desk| raised.to(desk.lead, Etapa::Perdido, at));
    raised.write(&Session::within(&tx, &[etapa::RAISE]).await?).await?;
    let leads: Vec<LeadId> = desks.into_iter().map(|desk| desk.lead).collect();
    for entry in told_of_each(audit, &leads) {
        audit::record_in(&tx, &entry).await?;
    }
    commit(tx).await?;
    Ok(leads)
}

pub(crate) async fn reopen(
    pool: &Pool,
    viewer: &Viewer,
    lead: LeadId,
    at: Timestamp,
    audit: &AuditEntry,
) -> Step<Etapa> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let desk = lock_one(&tx, viewer, lead).await?;
    let reopened = params! { lead: lead.0, empresa: desk.empresa.0, now: Instant::from(at) };
    tx.execute(sql!("lead_gestion/reopen.sql"), reopened).await?;
    etapa::settle(&tx, lead, at).await?;
    let standing = run_in(&tx, &etapas::standing(lead)).await?.pop().ok_or(StoreError::LeadNotFound)?;
    if standing.etapa != desk.etapa {
        log(&tx, audit, &[desk]).await?;
    }
    commit(tx).await?;
    Ok(standing.etapa)
}

pub(crate) async fn set_action(
    pool: &Pool,
    viewer: &Viewer,
    lead: LeadId,
    seen: &Option<HandAction>,
    action: &Option<HandAction>,
    audit: &AuditEntry,
) -> Step<Edited> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let desk = lock_one(&tx, viewer, lead).await?;
    let end = decide(seen, &desk.action, action);
    if end != Edited::Saved {
        return Ok(end);
    }
    let action = action.as_ref();
    let set = params! {
        lead: lead.0,
        empresa: desk.empresa.0,
        cuando: action.map(|action| Instant::from(action.due)),
        texto: action.map(|action| action.text.as_str()),
        por: action.map(|_| viewer.who.0),
    };
    tx.execute(sql!("lead_gestion/set_accion.sql"), set).await?;
    wrote(&tx, &[lead], audit.at).await?;
    log(&tx, audit, &[desk]).await?;
    commit(tx).await?;
    Ok(end)
}

pub(crate) async fn set_work(
    pool: &Pool,
    viewer: &Viewer,
    lead: LeadId,
    seen: WorkState,
    work: WorkState,
    at: Timestamp,
    audit: &AuditEntry,
) -> Step<Edited> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let desk = lock_one(&tx, viewer, lead).await?;
    let standing = run_in(&tx, &etapas::standing(lead)).await?.pop().ok_or(StoreError::LeadNotFound)?;
    let end = decide(&seen, &desk.work, &work);
    if !standing.facts.accepted || end != Edited::Saved {
        return Ok(if standing.facts.accepted { end } else { Edited::Stale });
    }
    let set = params! {
        lead: lead.0,
        empresa: desk.empresa.0,
        inicio: work.start,
        progreso: work.progress.map(Progress::as_str),
    };
    tx.execute(sql!("lead_gestion/set_obra.sql"), set).await?;
    etapa::settle(&tx, lead, at).await?;
    wrote(&tx, &[lead], at).await?;
    log(&tx, audit, &[desk]).await?;
    commit(tx).await?;
    Ok(end)
}

pub(crate) async fn add_nota(
    pool: &Pool,
    viewer: &Viewer,
    lead: LeadId,
    nota: &NotaInterna,
    audit: &AuditEntry,
) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let desk = lock_one(&tx, viewer, lead).await?;
    let values = params! {
        lead: lead.0,
        id: nota.id.0,
        empresa: desk.empresa.0,
        autor: nota.author.0,
        texto: nota.text,
        now: Instant::from(nota.creada_en),
    };
    let added = tx.execute(sql!("nota_interna/insert.sql"), values).await?;
    end(tx, audit, desk, added).await
}

pub(crate) async fn delete_nota(
    pool: &Pool,
    viewer: &Viewer,
    lead: LeadId,
    id: NotaId,
    audit: &AuditEntry,
) -> Step<bool> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let desk = lock_one(&tx, viewer, lead).await?;
    let deleted = tx.execute(sql!("nota_interna/delete.sql"), params! { lead: lead.0, id: id.0 }).await?;
    if deleted > 0 {
        wrote(&tx, &[lead], audit.at).await?;
    }
    end(tx, audit, desk, deleted).await
}

/// Commits, tells of it if rows were changed, and returns whether they were.
async fn end(tx: Transaction<'_>, audit: &AuditEntry, desk: LeadDesk, rows: u64) -> Step<bool> {
    if rows > 0 {
        log(&tx, audit, &[desk]).await?;
    }
    commit(tx).await?;
    Ok(rows > 0)
}

/// Needs no lock: nothing is derived from it.
pub(crate) async fn mark_read(pool: &Pool, viewer: &Viewer, leads: &[LeadId], at: Timestamp) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let mut owned = run_in(&tx, &projection::owners(leads)).await?;
    owned.retain(|change| viewer.may_see(change.empresa));
    let mut leads: Vec<Uuid> = owned.iter().map(|change| change.lead.0).collect();
    leads.sort();
    let seen = params! { lead: leads, who: viewer.who.0, now: Instant::from(at) };
    tx.execute(sql!("lead_leido/upsert.sql"), seen).await?;
    commit(tx).await
}

pub(crate) async fn mark_unread(pool: &Pool, viewer: &Viewer, lead: LeadId) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    lock_one(&tx, viewer, lead).await?;
    tx.execute(sql!("lead_leido/delete.sql"), params! { lead: lead.0, who: viewer.who.0 }).await?;
    commit(tx).await
}

pub(crate) async fn unite(
    pool: &Pool,
    viewer: &Viewer,
    lead: LeadId,
    principal: LeadId,
    at: Timestamp,
    audit: &AuditEntry,
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
    let united = params! {
        lead: lead.0,
        empresa: one.empresa.0,
        principal: principal.0,
        por: viewer.who.0,
        now: Instant::from(at),
    };
    tx.execute(sql!("lead_union/insert.sql"), united).await?;
    log(&tx, audit, std::slice::from_ref(one)).await?;
    commit(tx).await?;
    Ok(true)
}

/// Returns the lead that stood for this one.
pub(crate) async fn separate(
    pool: &Pool,
    viewer: &Viewer,
    lead: LeadId,
    audit: &AuditEntry,
) -> Step<Option<LeadId>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let known = run_in(&tx, &queries::get(&[lead])).await?.pop().and_then(|desk| desk.principal);
    let both: Vec<LeadId> = [lead].into_iter().chain(known).collect();
    let desk = lock(&tx, viewer, &both).await?.into_iter().find(|desk| desk.lead == lead);
    let desk = desk.ok_or(StoreError::LeadNotFound)?;
    let principal = desk.principal;
    if let Some(principal) = principal {
        wrote(&tx, &[lead, principal], audit.at).await?;
    }
    let deleted = tx.execute(sql!("lead_union/delete.sql"), params! { lead: lead.0 }).await?;
    end(tx, audit, desk, deleted).await?;
    Ok(principal)
}
