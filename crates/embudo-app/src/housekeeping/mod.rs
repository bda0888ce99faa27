//! Housekeeping that runs in the background, in small slices.

mod messages;
mod projector;
mod queue;
mod reminders;
mod sweep;
mod watched_loop;

use std::sync::atomic::Ordering;
use std::time::Duration;

use embudo_supervisor::Run;
use jiff::SignedDuration;
use tokio::task::JoinHandle;

pub use queue::Queue;
pub use sweep::{Orphans, Sweep};

use crate::{App, AppError};

/// The maximum number of rows deleted in one command, so that no writer waits long for it.
const SLICE: u32 = 500;
/// A blob younger than this may belong to an ingestion that is still running.
pub const MIN_BLOB_AGE: Duration = Duration::from_secs(60 * 60);

/// How long the trace of a swept blob is kept: longer than any ingestion takes.
const TRACE_LIFE: SignedDuration = SignedDuration::from_hours(24);

/// How often each chore is done.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    pub keys: Duration,
    /// Deletes blobs that no row names.
    pub blobs: Duration,
    pub marks: Duration,
    /// Marks overdue steps of the loop, and visits that are over.
    pub loops: Duration,
    /// Reminders to clients.
    pub reminders: Duration,
    /// Finishes interrupted erasures, and erases leads whose retention period has ended.
    pub rights: Duration,
    /// Projects into the inbox what another process wrote before it died. What this process writes is projected at
    /// once.
    pub inbox: Duration,
    /// Measures the state of the outbox.
    pub queues: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            keys: Duration::from_secs(60 * 60),
            blobs: Duration::from_secs(6 * 60 * 60),
            marks: Duration::from_secs(60),
            loops: Duration::from_secs(30),
            reminders: Duration::from_secs(5 * 60),
            rights: Duration::from_secs(60),
            inbox: Duration::from_secs(20),
            queues: Duration::from_secs(15),
        }
    }
}

/// The background tasks.
#[derive(Clone, Copy)]
pub struct Housekeeping<'a> {
    pub(crate) app: &'a App,
}

impl Housekeeping<'_> {
    /// Starts the background tasks, each on its own, so that a slow or failing one does not hold up the others. They
    /// hold the store until they are aborted.
    pub fn start_chores(self, pace: Pace) -> Vec<JoinHandle<()>> {
        let start = |name, run: fn(&App, Pace) -> Run<'_>| {
            self.app.supervisor.spawn(name, self.app.clone(), move |app, _| run(app, pace))
        };
        vec![
            start("purging", |app, pace| Box::pin(app.housekeeping().keep_purged(pace.keys))),
            start("watching the loop", |app, pace| Box::pin(app.housekeeping().keep_watching(pace.loops))),
            start("reminding clients", |app, pace| {
                Box::pin(app.housekeeping().keep_reminding(pace.reminders))
            }),
            start("keeping terms", |app, pace| Box::pin(app.housekeeping().keep_rights(pace.rights))),
            start("keeping blobs", |app, pace| Box::pin(app.housekeeping().keep_blobs(pace))),
            start("making photos ready", |app, _| Box::pin(app.photos().keep_ready())),
            start("projecting the inbox", |app, pace| {
                Box::pin(app.housekeeping().keep_projected(pace.inbox))
            }),
            start("measuring the outbox", |app, pace| {
                Box::pin(app.housekeeping().keep_measured(pace.queues))
            }),
            start("sharing counts", |app, _| Box::pin(app.limits().keep_shared())),
            start("listening for leads", |app, _| Box::pin(app.housekeeping().keep_listening())),
        ]
    }

    /// Purges for ever. A failure is logged, and purging is tried again at its next turn.
    async fn keep_purged(self, each: Duration) {
        let mut turno = tokio::time::interval(each);
        loop {
            turno.tick().await;
            match self.purge_expired().await {
                Ok(0) => {}
                Ok(rows) => {
                    tracing::info!(rows, "expired keys, ended jobs, traces, sessions and counts purged");
                }
                Err(error) => tracing::warn!(%error, "purging failed; it is tried again later"),
            }
        }
    }

    async fn keep_watching(self, each: Duration) {
        let mut turno = tokio::time::interval(each);
        loop {
            turno.tick().await;
            match self.watch_loops().await {
                Ok(0) => {}
                Ok(leads) => tracing::info!(leads, "renders or finalizar are overdue"),
                Err(error) => {
                    tracing::warn!(%error, "the loop could not be watched; it is tried again later");
                }
            }
            if let Err(error) = self.app.access().write_failures().await {
                tracing::warn!(%error, "failed sign-ins could not be counted in the audit log");
            }
            if let Err(error) = self.tell_of_messages().await {
                tracing::warn!(%error, "people could not be told of clients who wait; it is tried again later");
            }
            if let Err(error) = self.pass_visits().await {
                tracing::warn!(%error, "visits that are over could not be looked after; it is tried again later");
            }
            if let Err(error) = self.expire_replies().await {
                tracing::warn!(%error, "replies whose time is over could not be ended; it is tried again later");
            }
        }
    }

    /// Expires replies that are too old but are never tried, because their destination is paused; returns how many.
    pub async fn expire_replies(self) -> Result<usize, AppError> {
        let mut total = 0;
        loop {
            let ended = self.app.store.expire_replies(self.app.now(), SLICE).await?.len();
            total += ended;
            if ended < SLICE as usize {
                return Ok(total);
            }
        }
    }

    /// Moves leads whose agreed visit is over out of the etapa `visita`; returns how many. They are found by an index,
    /// so nothing is read if there are none.
    pub async fn pass_visits(self) -> Result<usize, AppError> {
        let mut total = 0;
        loop {
            let now = self.app.now();
            let leads = self.app.store.passed_visits(now, SLICE).await?;
            for lead in &leads {
                self.app.store.pass_visits(*lead, now).await?;
            }
            total += leads.len();
            if leads.is_empty() {
                return Ok(total);
            }
        }
    }

    async fn keep_reminding(self, each: Duration) {
        let mut turno = tokio::time::interval(each);
        loop {
            turno.tick().await;
            match self.plan_reminders().await {
                Ok(0) => {}
                Ok(reminders) => tracing::info!(reminders, "clients are reminded"),
                Err(error) => {
                    tracing::warn!(%error, "reminders could not be planned; it is tried again later");
                }
            }
        }
    }

    async fn keep_rights(self, each: Duration) {
        let mut turn = tokio::time::interval(each);
        loop {
            turn.tick().await;
            match self.look_after_rights().await {
                Ok(0) => {}
                Ok(done) => tracing::info!(done, "erasures finished, or terms that were over kept"),
                Err(error) => {
                    tracing::warn!(%error, "erasures could not be gone on with; it is tried again later");
                }
            }
        }
    }

    /// Finishes interrupted erasures, and erases leads whose retention period has ended; returns how many. No lead is
    /// erased for its retention period until everything that was written before the start is projected.
    pub async fn look_after_rights(self) -> Result<usize, AppError> {
        let rights = self.app.rights();
        rights.know_generations().await?;
        let done = rights.finish_erasures().await? + rights.drop_blocked().await?;
        match self.app.is_caught_up.load(Ordering::Acquire) {
            true => Ok(done + rights.keep_terms().await?),
            false => Ok(done),
        }
    }

    /// Sweeps blobs, for ever; one sweep may have to list all of them. A failure is logged, and the sweep is tried
    /// again at its next turn.
    async fn keep_blobs(self, pace: Pace) {
        let mut blobs = tokio::time::interval(pace.blobs);
        let mut marks = tokio::time::interval(pace.marks);
        loop {
            tokio::select! {
                _ = blobs.tick() => {
                    match self.sweep_blobs(MIN_BLOB_AGE).await {
                        Ok(sweep) => log_sweep(&sweep),
                        Err(error) => tracing::warn!(%error, "sweeping blobs failed; it is tried again later"),
                    }
                },
                _ = marks.tick() => {
                    match self.finish_dead_sweeps().await {
                        Ok(0) => {}
                        Ok(blobs) => tracing::info!(blobs, "sweeps that died were finished"),
                        Err(error) => tracing::warn!(%error, "sweeps that died could not be finished; it is tried again later"),
                    }
                    match self.app.blobs.clear_staging().await {
                        Ok(0) => {}
                        Ok(files) => tracing::info!(files, "interrupted uploads removed"),
                        Err(error) => tracing::warn!(%error, "interrupted uploads could not be removed; it is tried again later"),
                    }
                },
            }
        }
    }

    /// Deletes expired rows (idempotency keys, ended jobs with their logs, traces of swept blobs, ended sessions,
    /// counts), slice by slice; returns how many.
    pub async fn purge_expired(self) -> Result<u64, AppError> {
        let now = self.app.now();
        let mut total = 0;
        loop {
            let keys = self.app.store.purge_idempotency(now, SLICE).await?;
            let jobs = self.app.store.purge_jobs(now - self.app.outbound.save, SLICE).await?;
            let traces = self.app.store.purge_marks(now - TRACE_LIFE, SLICE).await?;
            let access = self.app.store.purge_access(now, SLICE).await?;
            let counts = self.app.store.purge_counts(now, SLICE).await?;
            total += keys + jobs + traces + access + counts;
            if keys.max(jobs).max(traces).max(access).max(counts) < u64::from(SLICE) {
                return Ok(total);
            }
            tokio::task::yield_now().await;
        }
    }
}

/// Logs the result of a sweep.
fn log_sweep(sweep: &Sweep) {
    let Sweep { seen, extra, deleted, stopped } = *sweep;
    if stopped {
        tracing::warn!(
            seen,
            extra,
            "a sweep would delete a large share of all photos and PDFs, so it was not done; if this database is the right one, look \
             with `embudo blobs sweep` and do it with `embudo blobs sweep --yes`"
        );
    } else if deleted > 0 {
        tracing::info!(seen, deleted, "blobs swept");
    }
}
