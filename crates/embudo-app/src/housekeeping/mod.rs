//! Housekeeping that runs beside the requests, in small slices.

mod sweep;
mod takeover;
mod watched_loop;

use std::time::Duration;

use embudo_supervisor::Run;
use jiff::SignedDuration;
use tokio::task::JoinHandle;

pub use sweep::{Barrido, Orphans};

use crate::{App, AppError};

/// Rows deleted in one command, so that no writer waits long for it.
const TRAMO: u32 = 500;
/// A blob younger than this may belong to an ingestion that is still running.
pub const EDAD_MINIMA_BLOB: Duration = Duration::from_secs(60 * 60);

/// No ingestion lasts as long as the trace of a swept blob is kept.
const VIDA_DE_LA_TRAZA: SignedDuration = SignedDuration::from_hours(24);

/// How often each chore is done.
#[derive(Debug, Clone, Copy)]
pub struct Ritmo {
    /// Expired idempotency keys.
    pub claves: Duration,
    /// Blobs that no photo names, and those of the older layout.
    pub blobs: Duration,
    /// Sweeps that died.
    pub marcas: Duration,
    /// Steps of the loop that are overdue.
    pub bucles: Duration,
}

impl Default for Ritmo {
    fn default() -> Self {
        Self {
            claves: Duration::from_secs(60 * 60),
            blobs: Duration::from_secs(6 * 60 * 60),
            marcas: Duration::from_secs(60),
            bucles: Duration::from_secs(30),
        }
    }
}

/// Chores, and what they do.
#[derive(Clone, Copy)]
pub struct Housekeeping<'a> {
    pub(crate) app: &'a App,
}

impl Housekeeping<'_> {
    /// Starts what runs beside the requests, each by itself, so that a slow or broken chore holds up no other: purging, watching
    /// the loop, blobs kept in order, and photos made ready. They hold the store until they are aborted.
    pub fn start_chores(self, ritmo: Ritmo) -> Vec<JoinHandle<()>> {
        let start = |name, run: fn(&App, Ritmo) -> Run<'_>| {
            self.app.supervisor.spawn(name, self.app.clone(), move |app, _| run(app, ritmo))
        };
        vec![
            start("purging", |app, ritmo| Box::pin(app.housekeeping().keep_purged(ritmo.claves))),
            start("watching the loop", |app, ritmo| Box::pin(app.housekeeping().keep_watching(ritmo.bucles))),
            start("keeping blobs", |app, ritmo| Box::pin(app.housekeeping().keep_blobs(ritmo))),
            start("making photos ready", |app, _| Box::pin(app.photos().keep_ready())),
        ]
    }

    /// A chore that fails is logged and tried again at its next turn.
    async fn keep_purged(self, cada: Duration) {
        let mut turno = tokio::time::interval(cada);
        loop {
            turno.tick().await;
            match self.purge_expired().await {
                Ok(0) => {}
                Ok(filas) => tracing::info!(filas, "expired keys, ended jobs and traces purged"),
                Err(error) => tracing::warn!(%error, "purging failed; it is tried again later"),
            }
        }
    }

    async fn keep_watching(self, cada: Duration) {
        let mut turno = tokio::time::interval(cada);
        loop {
            turno.tick().await;
            match self.watch_loops().await {
                Ok(0) => {}
                Ok(leads) => tracing::info!(leads, "renders or finalizar are overdue"),
                Err(error) => {
                    tracing::warn!(%error, "the loop could not be watched; it is tried again later");
                }
            }
        }
    }

    /// Keeps the blobs in order for ever, which may take a walk through all of them. What fails is logged and tried again at its next turn.
    async fn keep_blobs(self, ritmo: Ritmo) {
        let mut blobs = tokio::time::interval(ritmo.blobs);
        let mut marcas = tokio::time::interval(ritmo.marcas);
        loop {
            tokio::select! {
                _ = blobs.tick() => {
                    match self.take_over_blobs().await {
                        Ok(0) => {}
                        Ok(blobs) => tracing::info!(blobs, "blobs of the older layout taken over"),
                        Err(error) => tracing::warn!(%error, "taking over the older layout's blobs failed; it is tried again later"),
                    }
                    match self.sweep_blobs(EDAD_MINIMA_BLOB).await {
                        Ok(barrido) => told(&barrido),
                        Err(error) => tracing::warn!(%error, "sweeping blobs failed; it is tried again later"),
                    }
                },
                _ = marcas.tick() => match self.finish_dead_sweeps().await {
                    Ok(0) => {}
                    Ok(blobs) => tracing::info!(blobs, "sweeps that died were finished"),
                    Err(error) => tracing::warn!(%error, "sweeps that died could not be finished; it is tried again later"),
                },
            }
        }
    }

    /// Deletes what has had its time (idempotency keys, ended jobs with their logs, traces of swept blobs), slice by slice; returns
    /// how many rows.
    pub async fn purge_expired(self) -> Result<u64, AppError> {
        let ahora = self.app.ahora();
        let mut total = 0;
        loop {
            let claves = self.app.store.purge_idempotencia(ahora, TRAMO).await?;
            let trabajos = self.app.store.purge_trabajos(ahora - self.app.outbound.guardar, TRAMO).await?;
            let trazas = self.app.store.purge_marks(ahora - VIDA_DE_LA_TRAZA, TRAMO).await?;
            total += claves + trabajos + trazas;
            if claves.max(trabajos).max(trazas) < u64::from(TRAMO) {
                return Ok(total);
            }
            tokio::task::yield_now().await;
        }
    }
}

/// What a sweep did, in the log.
fn told(barrido: &Barrido) {
    let Barrido { vistos, sobran, borrados, parado } = *barrido;
    if parado {
        tracing::warn!(
            vistos,
            sobran,
            "a sweep would delete a large share of all photos and PDFs, so it was not done; if this database is the right one, look \
             with `embudo blobs sweep` and do it with `embudo blobs sweep --yes`"
        );
    } else if borrados > 0 {
        tracing::info!(vistos, borrados, "blobs swept");
    }
}
