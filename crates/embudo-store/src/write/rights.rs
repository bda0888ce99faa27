//! Erasures, and other requests of people about their data.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::{LeadId, PresupuestoId, Timestamp};
use uuid::Uuid;

use super::{Engine, Load, Lock, Native, ROW, Tx, audit, run, run_all};
use crate::projection::show_at_once;
use crate::queries::{Statement, quote, rights as queries};
use crate::read::Reader;
use crate::rights::{CallName, EraseLead, ErasedLead, Seen, Traces};
use crate::{ProjectionStore, Result, RightsStore, StoreError};

/// An erasure rewrites many pages, so it must run in a batch of its own.
const ERASURE: usize = 1 << 30;

#[async_trait]
impl<E: Native + Reader + ProjectionStore> RightsStore for E {
    async fn erase_lead(&self, command: EraseLead) -> Result<ErasedLead> {
        let lead = command.lead;
        let mut ids = self.read(queries::things(lead)).await?;
        ids.push(lead.0);
        let keys = if E::LOOKS_FIRST { Some(keys_naming(self, &ids).await?) } else { None };
        let (load, command) = (Load::on(lead.0).and(ERASURE), (command, keys));
        let end = self
            .write(load, command, |tx, (command, keys)| Box::pin(erase(tx, command, keys.as_deref())))
            .await?;
        if let ErasedLead::Gone(united) = &end {
            if E::LOOKS_FIRST {
                // The keys of calls that were made between the first search and the erasure.
                let keys = keys_naming(self, &ids).await?;
                if !keys.is_empty() {
                    again(self, lead, keys).await?;
                }
            }
            show_at_once(self, united).await;
        }
        Ok(end)
    }

    async fn settle_erasure(&self, lead: LeadId) -> Result<bool> {
        if !self.older_writes_ended(lead).await? {
            return Ok(false);
        }
        again(self, lead, keys_naming(self, &[lead.0]).await?).await?;
        self.scrub().await
    }

    async fn forget_statistics(&self) -> Result<()> {
        Native::forget_statistics(self).await
    }

    async fn end_erasure(&self, lead: LeadId, at: Timestamp) -> Result<()> {
        run(self, Load::on(lead.0), queries::end(lead, at)).await.map(drop)
    }

    async fn drop_blocked(&self, id: PresupuestoId, now: Timestamp) -> Result<bool> {
        let load = Load::on(id.0).and(ERASURE);
        self.write(load, (id, now), |tx, (id, now)| Box::pin(unblock(tx, *id, *now))).await
    }

    async fn note_seen(&self, seen: Vec<Seen>) -> Result<()> {
        let load = Load::SMALL.and(ROW * seen.len());
        all(self, load, seen.iter().map(queries::note_seen).collect()).await
    }

    async fn revoke_passes(&self, lead: LeadId, thing: Uuid, at: Timestamp, audit: AuditEntry) -> Result<()> {
        let command = (lead, thing, at, audit);
        self.write(Load::on(lead.0), command, |tx, (lead, thing, at, audit)| {
            Box::pin(revoke(tx, *lead, *thing, *at, audit))
        })
        .await
    }

    async fn rotate_secret(&self, name: String, new: [u8; 32], previous: String) -> Result<()> {
        all(self, Load::SMALL, queries::rotate_secret(&name, new, &previous).into()).await
    }

    async fn drop_secrets(&self, names: Vec<String>) -> Result<()> {
        all(self, Load::SMALL, names.iter().map(|name| queries::drop_secret(name)).collect()).await
    }
}

async fn all(engine: &impl Engine, load: Load, statements: Vec<Statement>) -> Result<()> {
    engine.write(load, statements, |tx, statements| Box::pin(run_all(tx, statements))).await
}

/// The keys of calls that name one of these ids.
async fn keys_naming(reader: &impl Reader, ids: &[Uuid]) -> Result<Vec<CallName>> {
    let mut keys = Vec::new();
    for query in queries::keys_naming(ids) {
        keys.extend(reader.read(query).await?);
    }
    Ok(keys)
}

/// Removes what may have been written about a lead while it was erased.
async fn again(engine: &impl Engine, lead: LeadId, keys: Vec<CallName>) -> Result<()> {
    let load = Load::on(lead.0).and(ERASURE);
    engine.write(load, (lead, keys), |tx, (lead, keys)| Box::pin(erase_again(tx, *lead, keys))).await
}

async fn erase_again(tx: &Tx<'_>, lead: LeadId, keys: &[CallName]) -> Result<()> {
    tx.begin_erasure(lead).await?;
    forget(tx, keys).await?;
    run_all(tx, queries::rows_of(lead)).await
}

async fn forget(tx: &Tx<'_>, keys: &[CallName]) -> Result<()> {
    for key in keys {
        tx.run(queries::forget_key(key)).await?;
    }
    Ok(())
}

/// Erases a lead. Without `keys`, the keys that name the lead are searched for under its lock.
async fn erase(tx: &Tx<'_>, command: &EraseLead, keys: Option<&[CallName]>) -> Result<ErasedLead> {
    let lead = command.lead;
    tx.lock(Lock::Erasure(lead)).await?;
    let Some(traces) = tx.first(queries::traces(lead)).await? else {
        let known = tx.first(queries::erasure(lead)).await?;
        return known.map(|_| ErasedLead::Gone(Vec::new())).ok_or(StoreError::LeadNotFound);
    };
    if let Some(term) = &command.term
        && tx.first(queries::alive(lead, term)).await?.is_some()
    {
        return Ok(ErasedLead::Kept);
    }
    let quotes = tx.rows(quote::list(lead)).await?;
    let united = tx.rows(queries::united(lead)).await?;
    let mut ids = tx.rows(queries::things(lead)).await?;
    ids.push(lead.0);
    tx.begin_erasure(lead).await?;
    match keys {
        Some(keys) => forget(tx, keys).await?,
        None => {
            for query in queries::keys_naming(&ids) {
                forget(tx, &tx.rows(query).await?).await?;
            }
        }
    }
    let naming = naming(tx, &traces).await?;
    run_all(tx, queries::erase(command, &quotes, traces.empresa, &naming)).await?;
    audit::tell(tx, &command.audit).await?;
    Ok(ErasedLead::Gone(united))
}

/// The entries of the audit log that identify a lead, by their texts.
async fn naming(tx: &Tx<'_>, traces: &Traces) -> Result<Vec<Uuid>> {
    let Some(query) = queries::may_name(traces) else { return Ok(Vec::new()) };
    let found = tx.rows(query).await?.into_iter();
    Ok(found.filter(|(_, text)| traces.stand_in(text)).map(|(id, _)| id).collect())
}

async fn unblock(tx: &Tx<'_>, id: PresupuestoId, now: Timestamp) -> Result<bool> {
    let [answers, quote] = queries::drop_blocked(id, now);
    tx.rows(answers).await?;
    Ok(tx.first(quote).await?.is_some())
}

async fn revoke(tx: &Tx<'_>, lead: LeadId, thing: Uuid, at: Timestamp, entry: &AuditEntry) -> Result<()> {
    tx.first(queries::revoke(lead, thing, at)).await?.ok_or(StoreError::LeadNotFound)?;
    audit::tell(tx, entry).await
}
