//! What one person does with one lead, or with many of them.

use embudo_domain::audit::AuditEntry;
use embudo_domain::etapa::{Etapa, Progress};
use embudo_domain::nota::NotaInterna;
use embudo_domain::{LeadId, NotaId, Timestamp, UserId};

use crate::desk::{HandAction, LeadDesk, WorkState, audit_of_changed, audit_of_each};
use crate::edited::Edited;
use crate::inbox::Viewer;
use crate::queries::rights::wrote;
use crate::queries::{desk as queries, projection};
use crate::write::{Tx, audit, etapa, run_all, sql};
use crate::{Result, StoreError};

/// The leads that the viewer may see, locked.
pub(super) async fn lock(tx: &Tx<'_>, viewer: &Viewer, leads: &[LeadId]) -> Result<Vec<LeadDesk>> {
    tx.lock_leads(leads).await?;
    let mut desks = tx.rows(queries::get(leads)).await?;
    desks.retain(|desk| viewer.may_see(desk.empresa));
    desks.sort_by_key(|desk| desk.lead);
    Ok(desks)
}

async fn lock_one(tx: &Tx<'_>, viewer: &Viewer, lead: LeadId) -> Result<LeadDesk> {
    lock(tx, viewer, &[lead]).await?.pop().ok_or(StoreError::LeadNotFound)
}

/// Writes the entry of the audit log about leads that were changed.
pub(super) async fn log(tx: &Tx<'_>, entry: &AuditEntry, changed: &[LeadId]) -> Result<()> {
    audit::tell(tx, audit_of_changed(entry, changed).as_ref()).await
}

/// Writes the entry if rows were changed; returns whether they were.
pub(super) async fn log_if(tx: &Tx<'_>, entry: &AuditEntry, lead: LeadId, rows: u64) -> Result<bool> {
    if rows > 0 {
        log(tx, entry, &[lead]).await?;
    }
    Ok(rows > 0)
}

pub(super) async fn assign(
    tx: &Tx<'_>,
    viewer: &Viewer,
    leads: &[LeadId],
    to: Option<UserId>,
    entry: &AuditEntry,
) -> Result<Vec<(LeadId, Option<UserId>)>> {
    let mut desks = lock(tx, viewer, leads).await?;
    desks.retain(|desk| desk.assigned != to);
    let leads: Vec<LeadId> = desks.iter().map(|desk| desk.lead).collect();
    give(tx, &leads, to, entry).await?;
    Ok(desks.into_iter().map(|desk| (desk.lead, desk.assigned)).collect())
}

pub(super) async fn hand_over(
    tx: &Tx<'_>,
    viewer: &Viewer,
    lead: LeadId,
    seen: Option<UserId>,
    to: Option<UserId>,
    entry: &AuditEntry,
) -> Result<Edited> {
    let desk = lock_one(tx, viewer, lead).await?;
    let end = Edited::decide(&seen, &desk.assigned, &to);
    if end == Edited::Saved {
        give(tx, &[lead], to, entry).await?;
    }
    Ok(end)
}

async fn give(tx: &Tx<'_>, leads: &[LeadId], to: Option<UserId>, entry: &AuditEntry) -> Result<()> {
    run_all(tx, [wrote(leads, entry.at), queries::assign(leads, to)]).await?;
    log(tx, entry, leads).await
}

pub(super) async fn archive(
    tx: &Tx<'_>,
    viewer: &Viewer,
    leads: &[LeadId],
    reason: &str,
    at: Timestamp,
    entry: &AuditEntry,
) -> Result<Vec<LeadId>> {
    let mut desks = lock(tx, viewer, leads).await?;
    desks.retain(|desk| desk.archived.is_none());
    let leads: Vec<LeadId> = desks.into_iter().map(|desk| desk.lead).collect();
    tx.run(queries::archive(&leads, viewer.who, reason, at)).await?;
    tx.run(queries::set_etapa(&leads, Etapa::Perdido, at)).await?;
    run_all(tx, audit_of_each(entry, &leads).iter().map(audit::record)).await?;
    Ok(leads)
}

/// Restores leads for the person who archived them: if they were reopened instead, they would count as reopened.
pub(super) async fn undo_archive(
    tx: &Tx<'_>,
    viewer: &Viewer,
    archived_at: Timestamp,
    at: Timestamp,
    entry: &AuditEntry,
) -> Result<Vec<LeadId>> {
    let found = tx.rows(queries::archived_by(&viewer.empresas, viewer.who, archived_at)).await?;
    let mut undone = Vec::new();
    let mut reason = None;
    for desk in lock(tx, viewer, &found).await? {
        // Another person may have changed the lead before it was locked.
        let Some(archived) = desk.archived.filter(|a| a.by == viewer.who && a.at == archived_at) else {
            continue;
        };
        let lead = desk.lead;
        tx.run(sql!("lead_gestion/unarchive.sql", lead: lead.0)).await?;
        etapa::settle(tx, lead, at).await?;
        tx.run(sql!("lead_etapa/restore_desde.sql", lead: lead.0)).await?;
        reason = Some(archived.reason);
        undone.push(lead);
    }
    let entry = AuditEntry { before: reason, ..entry.clone() };
    run_all(tx, audit_of_each(&entry, &undone).iter().map(audit::record)).await?;
    Ok(undone)
}

pub(super) async fn reopen(
    tx: &Tx<'_>,
    viewer: &Viewer,
    lead: LeadId,
    at: Timestamp,
    entry: &AuditEntry,
) -> Result<Etapa> {
    let desk = lock_one(tx, viewer, lead).await?;
    tx.run(sql!("lead_gestion/reopen.sql", lead: lead.0, empresa: desk.empresa.0, now: at)).await?;
    let etapa = etapa::settle(tx, lead, at).await?.ok_or(StoreError::LeadNotFound)?;
    if etapa != desk.etapa {
        log(tx, entry, &[lead]).await?;
    }
    Ok(etapa)
}

pub(super) async fn set_action(
    tx: &Tx<'_>,
    viewer: &Viewer,
    lead: LeadId,
    seen: &Option<HandAction>,
    action: &Option<HandAction>,
    entry: &AuditEntry,
) -> Result<Edited> {
    let desk = lock_one(tx, viewer, lead).await?;
    let end = Edited::decide(seen, &desk.action, action);
    if end != Edited::Saved {
        return Ok(end);
    }
    let action = action.as_ref();
    let set = sql!(
        "lead_gestion/set_accion.sql",
        lead: lead.0,
        empresa: desk.empresa.0,
        cuando: action.map(|action| action.due),
        texto: action.map(|action| &action.text),
        por: action.map(|_| viewer.who.0),
    );
    run_all(tx, [set, wrote(&[lead], entry.at)]).await?;
    log(tx, entry, &[lead]).await?;
    Ok(end)
}

pub(super) async fn set_work(
    tx: &Tx<'_>,
    viewer: &Viewer,
    lead: LeadId,
    seen: WorkState,
    work: WorkState,
    at: Timestamp,
    entry: &AuditEntry,
) -> Result<Edited> {
    let desk = lock_one(tx, viewer, lead).await?;
    let standing = etapa::standing(tx, lead).await?.ok_or(StoreError::LeadNotFound)?;
    let end = Edited::decide(&seen, &desk.work, &work);
    if !standing.facts.accepted || end != Edited::Saved {
        return Ok(if standing.facts.accepted { end } else { Edited::Stale });
    }
    let set = sql!(
        "lead_gestion/set_obra.sql",
        lead: lead.0,
        empresa: desk.empresa.0,
        inicio: work.start,
        dias: work.days.map(i64::from),
        fin: work.last(),
        progreso: work.progress.map(Progress::as_str),
    );
    tx.run(set).await?;
    etapa::settle(tx, lead, at).await?;
    tx.run(wrote(&[lead], at)).await?;
    log(tx, entry, &[lead]).await?;
    Ok(end)
}

pub(super) async fn add_nota(
    tx: &Tx<'_>,
    viewer: &Viewer,
    lead: LeadId,
    nota: &NotaInterna,
    entry: &AuditEntry,
) -> Result<bool> {
    let desk = lock_one(tx, viewer, lead).await?;
    let insert = sql!(
        "nota_interna/insert.sql",
        lead: lead.0,
        id: nota.id.0,
        empresa: desk.empresa.0,
        autor: nota.author.0,
        texto: &nota.text,
        now: nota.creada_en,
    );
    let added = tx.run(insert).await?;
    log_if(tx, entry, lead, added).await
}

pub(super) async fn delete_nota(
    tx: &Tx<'_>,
    viewer: &Viewer,
    lead: LeadId,
    id: NotaId,
    entry: &AuditEntry,
) -> Result<bool> {
    lock_one(tx, viewer, lead).await?;
    let deleted = tx.run(sql!("nota_interna/delete.sql", lead: lead.0, id: id.0)).await?;
    if deleted > 0 {
        tx.run(wrote(&[lead], entry.at)).await?;
    }
    log_if(tx, entry, lead, deleted).await
}

/// Marks leads as read. Needs no lock, because nothing is derived from it.
pub(super) async fn mark_read(tx: &Tx<'_>, viewer: &Viewer, leads: &[LeadId], at: Timestamp) -> Result<()> {
    let mut owned = tx.rows(projection::owners(leads)).await?;
    owned.retain(|change| viewer.may_see(change.empresa));
    let seen: Vec<LeadId> = owned.iter().map(|change| change.lead).collect();
    tx.run(queries::mark_read(&seen, viewer.who, at)).await.map(drop)
}

pub(super) async fn mark_unread(tx: &Tx<'_>, viewer: &Viewer, lead: LeadId) -> Result<()> {
    lock_one(tx, viewer, lead).await?;
    tx.run(sql!("lead_leido/delete.sql", lead: lead.0, who: viewer.who.0)).await.map(drop)
}
