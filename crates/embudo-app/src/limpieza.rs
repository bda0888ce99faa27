//! Housekeeping that runs beside the requests, in small slices.

use std::time::Duration;

use crate::{App, AppError};

/// Idempotency rows deleted in one command, so that no writer waits long for it.
const TRAMO: u32 = 500;
/// A blob younger than this may belong to an ingestion that is still running.
const EDAD_MINIMA_BLOB: Duration = Duration::from_secs(60 * 60);

/// How often each chore is done.
#[derive(Debug, Clone, Copy)]
pub struct Ritmo {
    /// Expired idempotency keys.
    pub claves: Duration,
    /// Blobs that no photo names.
    pub blobs: Duration,
}

impl Default for Ritmo {
    fn default() -> Self {
        Self { claves: Duration::from_secs(60 * 60), blobs: Duration::from_secs(6 * 60 * 60) }
    }
}

impl App {
    /// Does the chores for ever; ends when the caller drops it. A chore that fails is logged and tried again at its
    /// next turn.
    pub async fn keep_house(&self, ritmo: Ritmo) {
        let mut claves = tokio::time::interval(ritmo.claves);
        let mut blobs = tokio::time::interval(ritmo.blobs);
        loop {
            tokio::select! {
                _ = claves.tick() => match self.purge_expired().await {
                    Ok(0) => {}
                    Ok(filas) => tracing::info!(filas, "expired idempotency keys purged"),
                    Err(error) => tracing::warn!(%error, "purging idempotency keys failed; it is tried again later"),
                },
                _ = blobs.tick() => match self.sweep_blobs(EDAD_MINIMA_BLOB).await {
                    Ok(barrido) if barrido.borrados == 0 => {}
                    Ok(barrido) => tracing::info!(vistos = barrido.vistos, borrados = barrido.borrados, "blobs swept"),
                    Err(error) => tracing::warn!(%error, "sweeping blobs failed; it is tried again later"),
                },
            }
        }
    }

    /// Deletes every expired idempotency key, slice by slice; returns how many.
    pub async fn purge_expired(&self) -> Result<u64, AppError> {
        let mut total = 0;
        loop {
            let filas = self.store.purge_idempotencia(self.ahora(), TRAMO).await?;
            total += filas;
            if filas < u64::from(TRAMO) {
                return Ok(total);
            }
            tokio::task::yield_now().await;
        }
    }
}
