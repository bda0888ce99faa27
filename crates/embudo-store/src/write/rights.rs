//! What people may ask for of their data. Erasures lock and overwrite as only the engine knows.

use embudo_domain::audit::AuditEntry;
use embudo_domain::{LeadId, PresupuestoId, Timestamp};
use uuid::Uuid;

use super::{Engine, Load, ROW, Tx, audit, run, run_all};
use crate::queries::{Statement, rights as queries};
use crate::rights::Seen;
use crate::{Result, StoreError};

pub async fn end_erasure(engine: &impl Engine, lead: LeadId, at: Timestamp) -> Result<()> {
    run(engine, Load::on(lead.0), queries::end(lead, at)).await.map(drop)
}

pub async fn drop_blocked(engine: &impl Engine, id: PresupuestoId, now: Timestamp) -> Result<bool> {
    engine.write(Load::on(id.0), (id, now), |tx, (id, now)| Box::pin(unblock(tx, *id, *now))).await
}

pub async fn note_seen(engine: &impl Engine, seen: Vec<Seen>) -> Result<()> {
    let load = Load::SMALL.and(ROW * seen.len());
    all(engine, load, seen.iter().map(queries::note_seen).collect()).await
}

pub async fn revoke_passes(
    engine: &impl Engine,
    lead: LeadId,
    thing: Uuid,
    at: Timestamp,
    audit: AuditEntry,
) -> Result<()> {
    let command = (lead, thing, at, audit);
    engine
        .write(Load::on(lead.0), command, |tx, (lead, thing, at, audit)| {
            Box::pin(revoke(tx, *lead, *thing, *at, audit))
        })
        .await
}

pub async fn rotate_secret(engine: &impl Engine, name: &str, new: [u8; 32], previous: &str) -> Result<()> {
    all(engine, Load::SMALL, queries::rotate_secret(name, new, previous).into()).await
}

pub async fn drop_secrets(engine: &impl Engine, names: &[String]) -> Result<()> {
    all(engine, Load::SMALL, names.iter().map(|name| queries::drop_secret(name)).collect()).await
}

async fn all(engine: &impl Engine, load: Load, statements: Vec<Statement>) -> Result<()> {
    engine.write(load, statements, |tx, statements| Box::pin(run_all(tx, statements))).await
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
