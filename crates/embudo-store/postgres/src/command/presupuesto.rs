//! Quotes, completed with their PDF by the job that drew it. That holds the lead's lock, so that a lead's quotes change one command at
//! a time.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::LeadId;
use embudo_domain::presupuesto::PresupuestoState;
use embudo_store::presupuestos::CompletePresupuesto;

use embudo_store::write::quotes::{set_pdf, set_state};
use embudo_store::{StoreError, queries};

use super::alone::commit;
use super::finish::Finished;
use super::{blob, column, etapa, event};
use crate::failure::Step;
use crate::query::run_in;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};
use crate::writer::run_within;

/// Stores a quote's PDF, sends the quote on its way and ends the job that drew it. `None`: the job is not the process's any more.
pub(crate) async fn complete(pool: &Pool, command: &CompletePresupuesto) -> Step<Option<Finished>> {
    let (id, mut end) = (command.id, command.end.clone());
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let held = params! { id: end.id.0, quien: end.who.0 };
    let Some(row) = tx.row_opt(sql!("trabajo/lead_of_held.sql"), held).await? else { return Ok(None) };
    let (lead, empresa) = (LeadId(row.try_get("lead_id")?), row.try_get("empresa_id")?);
    // Also keeps sweeps of the lead's blobs out.
    tx.row_opt(sql!("lead/lock.sql"), params! { lead: lead.0, lock: blob::sweep_lock(lead) }).await?;
    let antes = run_in(&tx, &queries::quote::get(id))
        .await?
        .pop()
        .filter(|p| p.lead == lead)
        .ok_or(StoreError::PresupuestoNotFound)?;
    if antes.pdf.is_none() {
        blob::check(&tx, lead, &[command.pdf.digest], &command.swept).await?;
        run_in(&tx, &set_pdf(id, command.pdf)).await?;
    }
    if antes.state.can_become(PresupuestoState::Emitido) {
        run_in(&tx, &set_state(id, PresupuestoState::Emitido, Some(end.at))).await?;
        etapa::settle(&tx, lead, end.at).await?;
    }
    let is_delivered = antes.state != PresupuestoState::Superseded;
    if !is_delivered {
        end.jobs.clear();
    }
    let Some(finished) = run_within(&tx, &end).await? else { return Ok(None) };
    if is_delivered {
        event::insert(&tx, lead, empresa, &command.events).await?;
        insert_deliveries(&tx, command).await?;
    }
    commit(tx).await?;
    Ok(Some(finished))
}

async fn insert_deliveries(tx: &Transaction<'_>, command: &CompletePresupuesto) -> Step<()> {
    let params = params! {
        presupuesto: command.id.0,
        canal: column(&command.deliveries, |e| e.channel.as_str()),
        trabajo: column(&command.deliveries, |e| e.job.0),
        simulada: column(&command.deliveries, |e| e.simulated),
        now: Instant::from(command.end.at),
    };
    tx.execute(sql!("presupuesto_entrega/insert.sql"), params).await.map(drop)
}
