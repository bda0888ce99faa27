//! Quotes that people are still writing. Every command here holds the lead's lock.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::{LeadId, Timestamp};

use super::{Engine, Load, Lock, Tx, audit, etapa, quotes, sql};
use crate::drafts::{
    DraftChange, OpenDraft, Opened, SaveDraft, SealDraft, SeenDraft, StoredDraft, StretchAudit,
};
use crate::queries::rights::wrote;
use crate::queries::{draft as queries, lead as leads, quote};
use crate::touches::Touch;
use crate::{DraftStore, Result, StoreError};

#[async_trait]
impl<E: Engine> DraftStore for E {
    async fn open_draft(&self, command: OpenDraft) -> Result<Opened> {
        let lead = command.lead;
        let load = Load::on(lead.0).and(command.json.len());
        let (opened, loose) = self.write(load, command, |tx, command| Box::pin(open(tx, command))).await?;
        self.tell_of(loose);
        self.touched().note(lead, Touch::anew());
        Ok(opened)
    }

    async fn save_draft(&self, command: SaveDraft) -> Result<DraftChange<i64>> {
        let load = Load::on(command.seen.lead.0).and(2 * command.json.len());
        self.write(load, command, |tx, command| Box::pin(save(tx, command))).await
    }

    async fn discard_draft(
        &self,
        seen: SeenDraft,
        at: Timestamp,
        audit: AuditEntry,
    ) -> Result<DraftChange<()>> {
        let (load, command) = (Load::on(seen.lead.0), (seen, at, audit));
        let change = self
            .write(load, command, |tx, (seen, at, audit)| Box::pin(discard(tx, seen, *at, audit)))
            .await?;
        self.touched().note(seen.lead, Touch::anew());
        Ok(change)
    }

    async fn seal_draft(&self, command: SealDraft) -> Result<DraftChange<Presupuesto>> {
        let lead = command.seen.lead;
        let load = Load::on(lead.0).and(quotes::DOCUMENT);
        let (change, loose) = self.write(load, command, |tx, command| Box::pin(seal(tx, command))).await?;
        self.tell_of(loose);
        self.touched().note(lead, Touch::anew());
        Ok(change)
    }
}

async fn of_lead(tx: &Tx<'_>, lead: LeadId) -> Result<Option<StoredDraft>> {
    tx.first(queries::of_lead(lead)).await
}

/// Opens a draft. Also returns whether a job was made that any process may take.
async fn open(tx: &Tx<'_>, command: &OpenDraft) -> Result<(Opened, bool)> {
    let lead = command.lead;
    tx.lock(Lock::Lead(lead)).await?;
    let empresa = tx.first(leads::empresa(lead)).await?.ok_or(StoreError::LeadNotFound)?;
    if let Some(before) = of_lead(tx, lead).await? {
        return Ok((Opened::Before(before), false));
    }
    let insert = sql!(
        "borrador/insert.sql",
        lead: lead.0,
        id: command.id.0,
        empresa: empresa.0,
        motivo: command.reason.as_str(),
        hoja: &command.json,
        por: command.by.map(|person| person.0),
        now: command.at,
    );
    tx.run(insert).await?;
    etapa::settle(tx, lead, command.at).await?;
    tx.events(lead, command.event.as_slice()).await?;
    let loose = tx.jobs(lead, &command.jobs, command.at).await?;
    audit::tell(tx, command.audit.as_ref()).await?;
    let made = of_lead(tx, lead).await?;
    Ok((Opened::New(made.ok_or_else(|| StoreError::Internal("a draft was not kept".into()))?), loose))
}

async fn save(tx: &Tx<'_>, command: &SaveDraft) -> Result<DraftChange<i64>> {
    let lead = command.seen.lead;
    tx.lock(Lock::Lead(lead)).await?;
    let draft = match command.seen.check(of_lead(tx, lead).await?) {
        Ok(draft) => draft,
        Err(change) => return Ok(change),
    };
    let por = command.by.map(|person| person.0);
    tx.run(sql!("borrador/save.sql", lead: lead.0, hoja: &command.json, por, now: command.at)).await?;
    match &command.audit {
        None => {}
        Some(StretchAudit::Grow { entry, after }) => drop(tx.run(audit::grow(*entry, after)).await?),
        Some(StretchAudit::Begin { entry, before }) => {
            tx.run(sql!("borrador/begin_tramo.sql", lead: lead.0, apunte: entry.id.0, hoja: before)).await?;
            audit::tell(tx, entry).await?;
        }
    }
    Ok(DraftChange::Done(draft.revision + 1))
}

async fn delete(tx: &Tx<'_>, lead: LeadId) -> Result<()> {
    tx.run(sql!("borrador/delete.sql", lead: lead.0)).await.map(drop)
}

async fn discard(
    tx: &Tx<'_>,
    seen: &SeenDraft,
    at: Timestamp,
    entry: &AuditEntry,
) -> Result<DraftChange<()>> {
    tx.lock(Lock::Lead(seen.lead)).await?;
    if let Err(change) = seen.check(of_lead(tx, seen.lead).await?) {
        return Ok(change);
    }
    delete(tx, seen.lead).await?;
    tx.run(wrote(&[seen.lead], at)).await?;
    etapa::settle(tx, seen.lead, at).await?;
    audit::tell(tx, entry).await?;
    Ok(DraftChange::Done(()))
}

/// Seals a draft. Also returns whether a job was made that any process may take.
async fn seal(tx: &Tx<'_>, command: &SealDraft) -> Result<(DraftChange<Presupuesto>, bool)> {
    let lead = command.seen.lead;
    tx.lock(Lock::Lead(lead)).await?;
    let draft = match command.seen.check(of_lead(tx, lead).await?) {
        Ok(draft) => draft,
        Err(change) => return Ok((change, false)),
    };
    let last = tx.first(quote::last(lead)).await?;
    delete(tx, lead).await?;
    let new = quotes::issue(tx, &command.quote, draft.empresa, last.as_ref(), Some(&draft.json)).await?;
    tx.events(lead, std::slice::from_ref(&command.event)).await?;
    let loose = tx.jobs(lead, &command.jobs, command.quote.at).await?;
    audit::tell(tx, &command.audit).await?;
    Ok((DraftChange::Done(new), loose))
}
