//! Ingestions that run alone: with photos, many texts or the end of the loop.
//!
//! Photos get their numbers under the lead's lock.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::etapa::LoopEffect;
use embudo_domain::event::Event;
use embudo_domain::ingesta::Momento;
use embudo_domain::orden::Numberer;
use embudo_domain::watched_loop::{CameBack, WatchedLoop};
use embudo_domain::{Digest, Zona};
use embudo_store::lead_writes::Ingest;
use embudo_store::{Done, StoreError};
use uuid::Uuid;

use super::alone::{commit, commit_again};
use super::job::{self, WithJobs};
use super::{blob, column, etapa, event, idempotency, watched_loop};
use crate::failure::Step;
use crate::rows::{self, Instant};
use crate::statement::{OnPool, params, sql};

/// An ingestion with more items than this may need longer than the time-out of an ordinary statement.
const MANY_ITEMS: usize = 2_000;

/// Saves everything, or nothing. Photos get their numbers here.
pub(crate) async fn ingest(pool: &Pool, command: &Ingest) -> Step<WithJobs> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if command.fotos.len() + command.notas.len() > MANY_ITEMS {
        tx.batch_execute("SET LOCAL statement_timeout = '120s'").await?;
    }
    if let Some(key) = &command.idempotency
        && let Some(before) = idempotency::take(&tx, key).await?
    {
        commit_again(tx).await?;
        return Ok(WithJobs::nothing(before));
    }
    let (mut is_answer, mut loop_moved) = (false, false);
    let empresa = if is_locking(command) {
        let lock = params! { lead: command.lead.0, lock: blob::sweep_lock(command.lead) };
        let row = tx.row_opt(sql!("lead/lock.sql"), lock).await?;
        let (tipo_reforma, empresa, before) = rows::lead_closed(&row.ok_or(StoreError::LeadNotFound)?)?;
        if !command.fotos.is_empty() {
            fotos(&tx, command, tipo_reforma, empresa).await?;
        }
        let renders = command.fotos.iter().any(|f| f.momento == Momento::After);
        let return_to = CameBack { renders, finalizar: command.finalizar };
        is_answer = return_to.came() && job::answer_waiting(&tx, command.lead, command.at).await?;
        let after = match is_answer {
            true => WatchedLoop::after_signal(before, return_to, command.at, command.deadlines),
            false => WatchedLoop::after_ingesta(before, return_to, command.at, command.deadlines),
        };
        watched_loop::set(&tx, command.lead, before, after).await?;
        loop_moved = LoopEffect::of(before, after) != LoopEffect::None;
        empresa
    } else {
        // Notes need no lock, however long writing them takes.
        event::empresa_of(&tx, command.lead).await?
    };
    if !command.notas.is_empty() {
        notas(&tx, command, empresa).await?;
    }
    event::insert(&tx, command.lead, empresa, &command.events).await?;
    if is_answer {
        event::insert(&tx, command.lead, empresa, &[Event::signal_answered(command.at)]).await?;
    }
    if loop_moved {
        etapa::settle(&tx, command.lead, command.at).await?;
    }
    let loose = job::insert(&tx, command.lead, &command.jobs, command.at).await?;
    commit(tx).await?;
    Ok(WithJobs { done: Done::Now, loose })
}

/// Whether the ingestion needs the lead's lock: photo numbers, the loop, the etapa and jobs that supersede each other
/// allow only one call at a time.
fn is_locking(command: &Ingest) -> bool {
    !command.fotos.is_empty()
        || command.finalizar
        || job::needs_lock(&command.jobs)
        || command.events.iter().any(etapa::is_moved_by)
}

async fn fotos(tx: &Transaction<'_>, command: &Ingest, kind: Option<Zona>, empresa: Uuid) -> Step<()> {
    let digests: Vec<Digest> = command.fotos.iter().flat_map(|f| f.image.digests()).collect();
    let blobs = params! {
        lead: command.lead.0,
        huella: column(&digests, |h| h.0.as_slice()),
        swept: column(&command.swept, |(h, _)| h.0.as_slice()),
        vez: column(&command.swept, |(_, nth)| *nth),
    };
    let row = tx.row(sql!("foto/max_orden.sql"), blobs).await?;
    if row.try_get("marcada")? {
        return Err(StoreError::BlobMarked.into());
    }
    if !command.swept.is_empty() {
        tx.execute(sql!("blob_marca/forget.sql"), blobs).await?;
    }
    let mut numberer = Numberer::after(row.try_get("maximo")?);

    let fotos = &command.fotos;
    let images = column(fotos, |f| rows::image_columns(&f.image));
    let params = params! {
        lead: command.lead.0,
        empresa,
        now: Instant::from(command.at),
        id: column(fotos, |f| f.id.0),
        zona: column(fotos, |f| f.zona.unwrap_or_else(|| Zona::assumed(kind)).as_str()),
        momento: column(fotos, |f| f.momento.as_str()),
        orden: column(fotos, |f| numberer.next(f.orden)),
        url: column(&images, |i| i.0),
        prefijo: column(&images, |i| i.1),
        bytes: column(&images, |i| i.2),
        crudo: column(&images, |i| i.3),
    };
    tx.execute(sql!("foto/insert.sql"), params).await.map(drop)
}

async fn notas(tx: &Transaction<'_>, command: &Ingest, empresa: Uuid) -> Step<()> {
    let params = params! {
        lead: command.lead.0,
        empresa,
        now: Instant::from(command.at),
        id: column(&command.notas, |n| n.id.0),
        texto: column(&command.notas, |n| n.text.as_str()),
        zona: column(&command.notas, |n| n.zona.map(Zona::as_str)),
    };
    tx.execute(sql!("nota/insert.sql"), params).await.map(drop)
}
