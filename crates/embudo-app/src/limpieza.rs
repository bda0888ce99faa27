//! Housekeeping that runs beside the requests, in small slices.

use std::time::Duration;

use jiff::SignedDuration;

use crate::{App, AppError};

/// Rows deleted in one command, so that no writer waits long for it.
const TRAMO: u32 = 500;
/// A blob younger than this may belong to an ingestion that is still running.
const EDAD_MINIMA_BLOB: Duration = Duration::from_secs(60 * 60);

/// No ingestion lasts as long as the trace of a swept blob is kept.
const VIDA_DE_LA_TRAZA: SignedDuration = SignedDuration::from_hours(24);

/// How often each chore is done.
#[derive(Debug, Clone, Copy)]
pub struct Ritmo {
    /// Expired idempotency keys.
    pub claves: Duration,
    /// Blobs that no photo names.
    pub blobs: Duration,
    /// Steps of the loop that are overdue.
    pub bucles: Duration,
}

impl Default for Ritmo {
    fn default() -> Self {
        Self {
            claves: Duration::from_secs(60 * 60),
            blobs: Duration::from_secs(6 * 60 * 60),
            bucles: Duration::from_secs(30),
        }
    }
}

impl App {
    /// Does the chores for ever; ends when the caller drops it. A chore that fails is logged and tried again at its
    /// next turn.
    pub async fn keep_house(&self, ritmo: Ritmo) {
        let mut claves = tokio::time::interval(ritmo.claves);
        let mut blobs = tokio::time::interval(ritmo.blobs);
        let mut bucles = tokio::time::interval(ritmo.bucles);
        loop {
            tokio::select! {
                _ = claves.tick() => match self.purge_expired().await {
                    Ok(0) => {}
                    Ok(filas) => tracing::info!(filas, "expired keys, ended jobs and traces purged"),
                    Err(error) => tracing::warn!(%error, "purging failed; it is tried again later"),
                },
                _ = bucles.tick() => match self.watch_loops().await {
                    Ok(0) => {}
                    Ok(leads) => tracing::info!(leads, "renders or finalizar are overdue"),
                    Err(error) => tracing::warn!(%error, "the loop could not be watched; it is tried again later"),
                },
                _ = blobs.tick() => match self.sweep_blobs(EDAD_MINIMA_BLOB).await {
                    Ok(barrido) if barrido.borrados == 0 => {}
                    Ok(barrido) => tracing::info!(vistos = barrido.vistos, borrados = barrido.borrados, "blobs swept"),
                    Err(error) => tracing::warn!(%error, "sweeping blobs failed; it is tried again later"),
                },
            }
        }
    }

    /// Deletes what has had its time (idempotency keys, ended jobs with their logs, traces of swept blobs), slice by slice; returns
    /// how many rows.
    pub async fn purge_expired(&self) -> Result<u64, AppError> {
        let ahora = self.ahora();
        let mut total = 0;
        loop {
            let claves = self.store.purge_idempotencia(ahora, TRAMO).await?;
            let trabajos = self.store.purge_trabajos(ahora - self.salidas.guardar, TRAMO).await?;
            let trazas = self.store.purge_marks(ahora - VIDA_DE_LA_TRAZA, TRAMO).await?;
            total += claves + trabajos + trazas;
            if claves.max(trabajos).max(trazas) < u64::from(TRAMO) {
                return Ok(total);
            }
            tokio::task::yield_now().await;
        }
    }
}
