//! Blobs and the rows that name them: bytes first, then the row, without racing a sweep of the same bytes.
//!
//! A blob is durable before the row that names it commits, so a crash in between leaves an orphan for the sweep and never
//! a row without bytes.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use embudo_blobs::{BlobError, Put};
use embudo_domain::{Huella, LeadId};
use embudo_store::StoreError;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::{App, AppError};

/// Blobs of one call that are written at the same time.
const BLOBS_A_LA_VEZ: usize = 4;
/// Hashing more than this is work for a thread of its own.
const HASH_EN_LINEA_BYTES: usize = 256 * 1024;
/// How often and how long a write waits for a sweep to let go of a blob.
const ESPERA_BARRIDO: Duration = Duration::from_millis(50);
const ESPERAS_BARRIDO: usize = 100;

/// Bytes on their way to the blob store.
pub(crate) type Puesto = (Huella, Bytes);

/// Puts the bytes, then runs the command that names them. If a sweep was at them, puts them again and tells the command
/// after which deletion that was. Bytes that were put for a lead which does not exist go again.
pub(crate) async fn with_blobs<T, F>(
    app: &App,
    lead: LeadId,
    puestos: &[Puesto],
    command: impl Fn(Vec<(Huella, i64)>) -> F,
) -> Result<T, AppError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let (mut barridos, mut written) = (Vec::new(), BTreeSet::new());
    for _ in 0..ESPERAS_BARRIDO {
        written.extend(put_blobs(app, lead, puestos).await?);
        match command(barridos).await {
            Err(StoreError::BlobMarked) => barridos = after_sweep(app, lead, puestos).await?,
            Err(StoreError::LeadNotFound) => {
                discard(app, lead, written).await;
                return Err(StoreError::LeadNotFound.into());
            }
            hecho => return Ok(hecho?),
        }
    }
    Err(StoreError::Unavailable("a blob stayed marked for sweeping".to_owned()).into())
}

/// A sweep is deleting, or has deleted, bytes that came again. Waits until it is through; the deletions it returns are known
/// to lie before the next put.
async fn after_sweep(app: &App, lead: LeadId, puestos: &[Puesto]) -> Result<Vec<(Huella, i64)>, AppError> {
    let marcas = app.store.blob_marks(lead).await?;
    let nuestras: Vec<_> = marcas.iter().filter(|m| puestos.iter().any(|(h, _)| *h == m.huella)).collect();
    if nuestras.iter().any(|m| !m.barrido) {
        tokio::time::sleep(ESPERA_BARRIDO).await;
    }
    Ok(nuestras.iter().filter(|m| m.barrido).map(|m| (m.huella, m.vez)).collect())
}

/// Puts the bytes; returns those that were not there before.
async fn put_blobs(app: &App, lead: LeadId, puestos: &[Puesto]) -> Result<Vec<Huella>, AppError> {
    let puestas = puestos.iter().map(|(huella, bytes)| {
        let (blobs, huella, bytes) = (app.blobs.clone(), *huella, bytes.clone());
        async move { Ok::<_, BlobError>((huella, blobs.put(lead, &huella, bytes).await?)) }
    });
    let puestas = stream::iter(puestas.collect::<Vec<_>>()).buffer_unordered(BLOBS_A_LA_VEZ);
    let puestas: Vec<_> = puestas.try_collect().await?;
    Ok(puestas.into_iter().filter(|(_, put)| *put == Put::Written).map(|(huella, _)| huella).collect())
}

/// Sweeps what a call wrote for a lead that does not exist, and nothing else: after a restored backup such a lead may have photos,
/// which the right database still names. Failing here is harmless: the sweep comes by.
async fn discard(app: &App, lead: LeadId, written: BTreeSet<Huella>) {
    for huella in written {
        if let Err(error) = app.housekeeping().sweep_one(lead, huella).await {
            tracing::warn!(%error, "blobs of an unknown lead stay until the next sweep");
            return;
        }
    }
}

/// Notes bytes down to be put, and returns their mark.
pub(crate) async fn apuntar(bytes: Vec<u8>, puestos: &mut Vec<Puesto>) -> Huella {
    let bytes = Bytes::from(bytes);
    let huella = if bytes.len() > HASH_EN_LINEA_BYTES {
        let copia = bytes.clone();
        let hash = tokio::task::spawn_blocking(move || Huella::of(&copia)).await;
        hash.expect("hashing does not panic and is not cancelled")
    } else {
        Huella::of(&bytes)
    };
    puestos.push((huella, bytes));
    huella
}
