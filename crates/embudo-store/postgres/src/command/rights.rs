//! Erasures, and what else people may ask for of their data.

use std::time::Duration;

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::LeadId;
use embudo_store::StoreError;
use embudo_store::queries::{self, Query, rights};
use embudo_store::rights::{EraseLead, ErasedLead, Traces};
use uuid::Uuid;

use super::alone::commit;
use super::audit;
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

/// How often, and with which pauses, an erasure looks whether older transactions have ended.
const LOOKS: u32 = 60;
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) async fn erase(pool: &Pool, command: &EraseLead) -> Step<ErasedLead> {
    let lead = command.lead;
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    tx.execute(sql!("lead/lock_to_erase.sql"), params! { lead: lead.0 }).await?;
    // An attempt that ends locks its job, after its lead or without it: what it notes down is there before, or not at all.
    tx.execute(sql!("trabajo/lock_to_erase.sql"), params! { lead: lead.0 }).await?;
    let Some(traces) = run_in(&tx, &rights::traces(lead)).await?.pop() else {
        let known = run_in(&tx, &rights::erasure(lead)).await?.pop();
        return known.map(|_| ErasedLead::Gone(Vec::new())).ok_or_else(|| StoreError::LeadNotFound.into());
    };
    if let Some(term) = &command.term
        && !run_in(&tx, &rights::alive(lead, term)).await?.is_empty()
    {
        return Ok(ErasedLead::Kept);
    }
    let quotes = run_in(&tx, &queries::quote::list(lead)).await?;
    let united = run_in(&tx, &rights::united(lead)).await?;
    let mut ids = run_in(&tx, &rights::things(lead)).await?;
    ids.push(lead.0);
    forget_keys(&tx, &ids).await?;
    let naming = naming(&tx, &traces).await?;
    run_all(&tx, &rights::erase(command, &quotes, traces.empresa, &naming)).await?;
    audit::record_in(&tx, &command.audit).await?;
    commit(tx).await?;
    Ok(ErasedLead::Gone(united))
}

/// A chat turn reads its lead and does not lock it: one that began before the lead was gone may be committed after it. Once every
/// transaction of that time has ended, what they wrote goes too; `false` if one has not.
pub(crate) async fn settle(pool: &Pool, lead: LeadId) -> Step<bool> {
    let mut client = pool.get().await?;
    let since: Instant = client.row(sql!("borrado/now.sql"), params! {}).await?.try_get("now")?;
    let mut left = LOOKS;
    while client.row(sql!("borrado/older.sql"), params! { since }).await?.try_get("older")? {
        if left == 0 {
            return Ok(false);
        }
        left -= 1;
        tokio::time::sleep(PAUSE).await;
    }
    let tx = client.transaction().await?;
    forget_keys(&tx, &[lead.0]).await?;
    run_all(&tx, &rights::rows_of(lead)).await?;
    commit(tx).await?;
    Ok(true)
}

/// The entries of the audit log that a lead can be told by.
async fn naming(tx: &Transaction<'_>, traces: &Traces) -> Step<Vec<Uuid>> {
    let Some(query) = rights::may_name(traces) else { return Ok(Vec::new()) };
    let found = run_in(tx, &query).await?.into_iter();
    Ok(found.filter(|(_, text)| traces.stand_in(text)).map(|(id, _)| id).collect())
}

async fn forget_keys(tx: &Transaction<'_>, ids: &[Uuid]) -> Step<()> {
    for query in rights::keys_naming(ids) {
        for key in run_in(tx, &query).await? {
            run_in(tx, &rights::forget_key(&key)).await?;
        }
    }
    Ok(())
}

async fn run_all(tx: &Transaction<'_>, statements: &[Query<()>]) -> Step<()> {
    for statement in statements {
        run_in(tx, statement).await?;
    }
    Ok(())
}
