//! Ingestions that run alone: with photos, many texts or the end of the loop; and the removal of photos.
//!
//! Numbers are given under the lead's lock.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::event::Event;
use embudo_domain::ingesta::Momento;
use embudo_domain::orden::Numberer;
use embudo_domain::watched_loop::{CameBack, WatchedLoop};
use embudo_domain::{Digest, FotoId, LeadId, Zona};
use embudo_store::lead_writes::Ingest;
use embudo_store::{Done, StoreError};
use uuid::Uuid;

use super::alone::commit;
use super::blob::sweep_lock;
use super::job::{self, WithJobs};
use super::{etapa, event, idempotency, watched_loop};
use crate::failure::Step;
use crate::rows::{self, Instant};

/// From here on an ingestion may take longer than an ordinary statement is given.
const MANY_ITEMS: usize = 2_000;

/// Saves everything, or nothing.
pub(crate) async fn ingest(pool: &Pool, command: &Ingest) -> Step<WithJobs> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if command.fotos.len() + command.notas.len() > MANY_ITEMS {
        tx.batch_execute("SET LOCAL statement_timeout = '120s'").await?;
    }
    if let Some(key) = &command.idempotency
        && let Some(before) = idempotency::take(&tx, key).await?
    {
        return Ok(WithJobs::nothing(before));
    }
    let (mut is_answer, mut loop_moved) = (false, false);
    let empresa = if is_locking(command) {
        let lock = tx.prepare_cached(include_str!("../../sql/lead/lock.sql")).await?;
        let row = tx.query_opt(&lock, &[&command.lead.0, &sweep_lock(command.lead)]).await?;
        let (tipo_reforma, empresa, antes) = rows::lead_closed(&row.ok_or(StoreError::LeadNotFound)?)?;
        if !command.fotos.is_empty() {
            fotos(&tx, command, tipo_reforma, empresa).await?;
        }
        let renders = command.fotos.iter().any(|f| f.momento == Momento::Despues);
        let return_to = CameBack { renders, finalizar: command.finalizar };
        is_answer = return_to.came() && job::answer_waiting(&tx, command.lead, command.at).await?;
        let after = match is_answer {
            true => WatchedLoop::after_signal(antes, return_to, command.at, command.deadlines),
            false => WatchedLoop::after_ingesta(antes, return_to, command.at, command.deadlines),
        };
        watched_loop::set(&tx, command.lead, antes, after).await?;
        loop_moved = etapa::ends_to_wait(antes, after) || etapa::begins_to_wait(antes, after);
        empresa
    } else {
        // Notes need no lock, however long they take.
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

/// Numbers, the loop, the etapa, and jobs that take each other's place: one call at a time.
fn is_locking(command: &Ingest) -> bool {
    !command.fotos.is_empty()
        || command.finalizar
        || job::needs_lock(&command.jobs)
        || command.events.iter().any(etapa::is_moved_by)
}

async fn fotos(tx: &Transaction<'_>, command: &Ingest, kind: Option<Zona>, empresa: Uuid) -> Step<()> {
    let digests: Vec<Digest> = command.fotos.iter().flat_map(|f| f.image.digests()).collect();
    let digests: Vec<&[u8]> = digests.iter().map(|h| h.0.as_slice()).collect();
    let swept: Vec<&[u8]> = command.swept.iter().map(|(h, _)| h.0.as_slice()).collect();
    let times: Vec<i64> = command.swept.iter().map(|(_, nth)| *nth).collect();
    let look = tx.prepare_cached(include_str!("../../sql/foto/max_orden.sql")).await?;
    let row = tx.query_one(&look, &[&command.lead.0, &digests, &swept, &times]).await?;
    if row.try_get("marcada")? {
        return Err(StoreError::BlobMarked.into());
    }
    if !swept.is_empty() {
        let forget = tx.prepare_cached(include_str!("../../sql/blob_marca/forget.sql")).await?;
        tx.execute(&forget, &[&command.lead.0, &swept, &times, &digests]).await?;
    }
    let mut numberer = Numberer::after(row.try_get("maximo")?);

    let fotos = &command.fotos;
    let ids: Vec<Uuid> = fotos.iter().map(|f| f.id.0).collect();
    let zonas: Vec<&str> =
        fotos.iter().map(|f| f.zona.unwrap_or_else(|| Zona::assumed(kind)).as_str()).collect();
    let moments: Vec<&str> = fotos.iter().map(|f| f.momento.as_str()).collect();
    let orders: Vec<f64> = fotos.iter().map(|f| numberer.next(f.orden)).collect();
    let images: Vec<_> = fotos.iter().map(|f| rows::image_columns(&f.image)).collect();
    let urls: Vec<Option<&str>> = images.iter().map(|i| i.0).collect();
    let prefixes: Vec<Option<&str>> = images.iter().map(|i| i.1).collect();
    let bytes: Vec<Option<&[u8]>> = images.iter().map(|i| i.2).collect();
    let raw: Vec<Option<&[u8]>> = images.iter().map(|i| i.3).collect();
    let insert = tx.prepare_cached(include_str!("../../sql/foto/insert.sql")).await?;
    let (lead, at) = (command.lead.0, Instant::from(command.at));
    tx.execute(
        &insert,
        &[&lead, &empresa, &at, &ids, &zonas, &moments, &orders, &urls, &prefixes, &bytes, &raw],
    )
    .await?;
    Ok(())
}

async fn notas(tx: &Transaction<'_>, command: &Ingest, empresa: Uuid) -> Step<()> {
    let ids: Vec<Uuid> = command.notas.iter().map(|n| n.id.0).collect();
    let texts: Vec<&str> = command.notas.iter().map(|n| n.text.as_str()).collect();
    let zonas: Vec<Option<&str>> = command.notas.iter().map(|n| n.zona.map(Zona::as_str)).collect();
    let insert = tx.prepare_cached(include_str!("../../sql/nota/insert.sql")).await?;
    let (lead, at) = (command.lead.0, Instant::from(command.at));
    tx.execute(&insert, &[&lead, &empresa, &at, &ids, &texts, &zonas]).await?;
    Ok(())
}

/// Removes a photo and what was made of it.
pub(crate) async fn delete_foto(pool: &Pool, lead: LeadId, foto: FotoId) -> Step<()> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let statement = tx.prepare_cached(include_str!("../../sql/foto/delete.sql")).await?;
    if tx.execute(&statement, &[&lead.0, &foto.0]).await? == 0 {
        return Err(StoreError::FotoNotFound.into());
    }
    // A statement of its own, to see what was written while the photo's row was waited for.
    let statement = tx.prepare_cached(include_str!("../../sql/rendicion/delete.sql")).await?;
    tx.execute(&statement, &[&lead.0, &foto.0]).await?;
    commit(tx).await
}
