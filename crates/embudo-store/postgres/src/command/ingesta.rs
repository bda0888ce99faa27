//! Ingestions that run alone: with photos, many texts or the end of the loop; and the removal of photos.
//!
//! Numbers are given under the lead's lock.

use deadpool_postgres::{Pool, Transaction};
use embudo_domain::bucle::{Bucle, Vuelta};
use embudo_domain::evento::Evento;
use embudo_domain::ingesta::Momento;
use embudo_domain::orden::Numerador;
use embudo_domain::{FotoId, Huella, LeadId, Zona};
use embudo_store::command::Ingest;
use embudo_store::{Hecho, StoreError};
use uuid::Uuid;

use super::alone::commit;
use super::blob::sweep_lock;
use super::trabajo::{self, Con};
use super::{bucle, evento, idempotencia};
use crate::failure::Step;
use crate::rows::{self, Instante};

/// From here on an ingestion may take longer than an ordinary statement is given.
const MANY_ITEMS: usize = 2_000;

/// Saves everything, or nothing.
pub(crate) async fn ingest(pool: &Pool, command: &Ingest) -> Step<Con> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    if command.fotos.len() + command.notas.len() > MANY_ITEMS {
        tx.batch_execute("SET LOCAL statement_timeout = '120s'").await?;
    }
    if let Some(key) = &command.idempotencia
        && let Some(before) = idempotencia::take(&tx, key).await?
    {
        return Ok(Con::nada(before));
    }
    let mut is_answer = false;
    let empresa = if is_locking(command) {
        let lock = tx.prepare_cached(include_str!("../../sql/lead/lock.sql")).await?;
        let row = tx.query_opt(&lock, &[&command.lead.0, &sweep_lock(command.lead)]).await?;
        let (tipo_reforma, empresa, antes) = rows::lead_cerrado(&row.ok_or(StoreError::LeadNotFound)?)?;
        if !command.fotos.is_empty() {
            fotos(&tx, command, tipo_reforma, empresa).await?;
        }
        let renders = command.fotos.iter().any(|f| f.momento == Momento::Despues);
        let vuelta = Vuelta { renders, finalizar: command.finalizar };
        is_answer = vuelta.came() && trabajo::answer_waiting(&tx, command.lead, command.en).await?;
        let despues = match is_answer {
            true => Bucle::tras_senal(antes, vuelta, command.en, command.plazos),
            false => Bucle::tras_ingesta(antes, vuelta, command.en, command.plazos),
        };
        bucle::set(&tx, command.lead, antes, despues).await?;
        empresa
    } else {
        // Notes need no lock, however long they take.
        evento::empresa_of(&tx, command.lead).await?
    };
    if !command.notas.is_empty() {
        notas(&tx, command, empresa).await?;
    }
    evento::insert(&tx, command.lead, empresa, &command.eventos).await?;
    if is_answer {
        evento::insert(&tx, command.lead, empresa, &[Evento::signal_answered(command.en)]).await?;
    }
    let sueltos = trabajo::insert(&tx, command.lead, &command.trabajos, command.en).await?;
    commit(tx).await?;
    Ok(Con { hecho: Hecho::Ahora, sueltos })
}

/// Numbers, the loop, and jobs that take each other's place: one call at a time.
fn is_locking(command: &Ingest) -> bool {
    !command.fotos.is_empty() || command.finalizar || trabajo::needs_lock(&command.trabajos)
}

async fn fotos(tx: &Transaction<'_>, command: &Ingest, tipo: Option<Zona>, empresa: Uuid) -> Step<()> {
    let huellas: Vec<Huella> = command.fotos.iter().flat_map(|f| f.imagen.huellas()).collect();
    let huellas: Vec<&[u8]> = huellas.iter().map(|h| h.0.as_slice()).collect();
    let barridos: Vec<&[u8]> = command.barridos.iter().map(|(h, _)| h.0.as_slice()).collect();
    let veces: Vec<i64> = command.barridos.iter().map(|(_, vez)| *vez).collect();
    let look = tx.prepare_cached(include_str!("../../sql/foto/max_orden.sql")).await?;
    let row = tx.query_one(&look, &[&command.lead.0, &huellas, &barridos, &veces]).await?;
    if row.try_get("marcada")? {
        return Err(StoreError::BlobMarked.into());
    }
    if !barridos.is_empty() {
        let forget = tx.prepare_cached(include_str!("../../sql/blob_marca/forget.sql")).await?;
        tx.execute(&forget, &[&command.lead.0, &barridos, &veces, &huellas]).await?;
    }
    let mut numerador = Numerador::after(row.try_get("maximo")?);

    let fotos = &command.fotos;
    let ids: Vec<Uuid> = fotos.iter().map(|f| f.id.0).collect();
    let zonas: Vec<&str> =
        fotos.iter().map(|f| f.zona.unwrap_or_else(|| Zona::supuesta(tipo)).as_str()).collect();
    let momentos: Vec<&str> = fotos.iter().map(|f| f.momento.as_str()).collect();
    let ordenes: Vec<f64> = fotos.iter().map(|f| numerador.siguiente(f.orden)).collect();
    let imagenes: Vec<_> = fotos.iter().map(|f| rows::columnas_imagen(&f.imagen)).collect();
    let urls: Vec<Option<&str>> = imagenes.iter().map(|i| i.0).collect();
    let prefijos: Vec<Option<&str>> = imagenes.iter().map(|i| i.1).collect();
    let bytes: Vec<Option<&[u8]>> = imagenes.iter().map(|i| i.2).collect();
    let crudos: Vec<Option<&[u8]>> = imagenes.iter().map(|i| i.3).collect();
    let insert = tx.prepare_cached(include_str!("../../sql/foto/insert.sql")).await?;
    let (lead, en) = (command.lead.0, Instante::from(command.en));
    tx.execute(
        &insert,
        &[&lead, &empresa, &en, &ids, &zonas, &momentos, &ordenes, &urls, &prefijos, &bytes, &crudos],
    )
    .await?;
    Ok(())
}

async fn notas(tx: &Transaction<'_>, command: &Ingest, empresa: Uuid) -> Step<()> {
    let ids: Vec<Uuid> = command.notas.iter().map(|n| n.id.0).collect();
    let textos: Vec<&str> = command.notas.iter().map(|n| n.texto.as_str()).collect();
    let zonas: Vec<Option<&str>> = command.notas.iter().map(|n| n.zona.map(Zona::as_str)).collect();
    let insert = tx.prepare_cached(include_str!("../../sql/nota/insert.sql")).await?;
    let (lead, en) = (command.lead.0, Instante::from(command.en));
    tx.execute(&insert, &[&lead, &empresa, &en, &ids, &textos, &zonas]).await?;
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
