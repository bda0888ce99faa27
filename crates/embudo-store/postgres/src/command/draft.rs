//! Quotes that people are still writing. All of it holds the lead's lock.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::audit::AuditEntry;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::drafts::{
    DraftChange, OpenDraft, Opened, SaveDraft, SealDraft, SeenDraft, StoredDraft, StretchAudit,
};
use embudo_store::{StoreError, queries};

use super::alone::commit;
use super::rights::wrote;
use super::{audit, etapa, event, job, presupuesto, watched_loop};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

async fn of_lead(tx: &Transaction<'_>, lead: LeadId) -> Step<Option<StoredDraft>> {
    Ok(run_in(tx, &queries::draft::of_lead(lead)).await?.pop())
}

/// With it, whether a job was made that waits for any process.
pub(crate) async fn open(pool: &Pool, command: &OpenDraft) -> Step<(Opened, bool)> {
    let lead = command.lead;
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let (empresa, _) = watched_loop::lock(&tx, lead).await?.ok_or(StoreError::LeadNotFound)?;
    if let Some(before) = of_lead(&tx, lead).await? {
        return Ok((Opened::Before(before), false));
    }
    let new = params! {
        lead: lead.0,
        id: command.id.0,
        empresa,
        motivo: command.reason.as_str(),
        hoja: command.sheet,
        por: command.by.map(|person| person.0),
        now: Instant::from(command.at),
    };
    tx.execute(sql!("borrador/insert.sql"), new).await?;
    etapa::settle(&tx, lead, command.at).await?;
    event::insert(&tx, lead, empresa, command.event.as_slice()).await?;
    let loose = job::insert(&tx, lead, &command.jobs, command.at).await?;
    if let Some(entry) = &command.audit {
        audit::record_in(&tx, entry).await?;
    }
    let made = of_lead(&tx, lead).await?;
    let made = made.ok_or_else(|| StoreError::Internal("a draft was not kept".into()))?;
    commit(tx).await?;
    Ok((Opened::New(made), loose))
}

pub(crate) async fn save(pool: &Pool, command: &SaveDraft) -> Step<DraftChange<i64>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    watched_loop::lock(&tx, command.seen.lead).await?;
    let draft = match command.seen.check(of_lead(&tx, command.seen.lead).await?) {
        Ok(draft) => draft,
        Err(change) => return Ok(change),
    };
    let saved = params! {
        lead: draft.lead.0,
        hoja: command.sheet,
        por: command.by.map(|person| person.0),
        now: Instant::from(command.at),
    };
    tx.execute(sql!("borrador/save.sql"), saved).await?;
    match &command.audit {
        None => {}
        Some(StretchAudit::Grow { entry, after }) => audit::grow_in(&tx, *entry, after).await?,
        Some(StretchAudit::Begin { entry, before }) => {
            let begun = params! { lead: draft.lead.0, apunte: entry.id.0, hoja: before };
            tx.execute(sql!("borrador/begin_tramo.sql"), begun).await?;
            audit::record_in(&tx, entry).await?;
        }
    }
    commit(tx).await?;
    Ok(DraftChange::Done(draft.revision + 1))
}

async fn delete(tx: &Transaction<'_>, lead: LeadId) -> Step<()> {
    tx.execute(sql!("borrador/delete.sql"), params! { lead: lead.0 }).await.map(drop)
}

pub(crate) async fn discard(
    pool: &Pool,
    seen: SeenDraft,
    at: Timestamp,
    entry: &AuditEntry,
) -> Step<DraftChange<()>> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    watched_loop::lock(&tx, seen.lead).await?;
    if let Err(change) = seen.check(of_lead(&tx, seen.lead).await?) {
        return Ok(change);
    }
    delete(&tx, seen.lead).await?;
    wrote(&tx, &[seen.lead], at).await?;
    etapa::settle(&tx, seen.lead, at).await?;
    audit::record_in(&tx, entry).await?;
    commit(tx).await?;
    Ok(DraftChange::Done(()))
}

/// With it, whether a job was made that waits for any process.
pub(crate) async fn seal(pool: &Pool, command: &SealDraft) -> Step<(DraftChange<Presupuesto>, bool)> {
    let (lead, at) = (command.seen.lead, command.quote.at);
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    watched_loop::lock(&tx, lead).await?;
    let draft = match command.seen.check(of_lead(&tx, lead).await?) {
        Ok(draft) => draft,
        Err(change) => return Ok((change, false)),
    };
    let last = run_in(&tx, &queries::quote::last(lead)).await?.pop();
    delete(&tx, lead).await?;
    let new =
        presupuesto::issue(&tx, &command.quote, draft.empresa, last.as_ref(), Some(&draft.sheet)).await?;
    event::insert(&tx, lead, draft.empresa.0, std::slice::from_ref(&command.event)).await?;
    let loose = job::insert(&tx, lead, &command.jobs, at).await?;
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await?;
    Ok((DraftChange::Done(new), loose))
}
