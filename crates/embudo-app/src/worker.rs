//! The worker: claims due jobs and starts attempts at them.
//!
//! Jobs that a request causes are leased to this process when they are committed, so the request's own first attempt
//! needs no claim. All other jobs are claimed. A heartbeat renews the leases of running attempts. A process that dies
//! stops renewing, and its jobs are free when the leases expire.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::time::Duration;

use embudo_store::StoreError;
use embudo_supervisor::{Pauses, Pulse};
use futures_util::FutureExt;
use tokio::sync::mpsc;

use crate::App;
use crate::jobs::start_chain;

/// How often leases are renewed.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// The maximum and the minimum pause of the worker.
const POLL: Duration = Duration::from_secs(5);
const BREATH: Duration = Duration::from_millis(200);
/// The pause after a claim that found nothing. Under load every call announces jobs, most of which it tries itself:
/// without a pause the worker would ask the database several hundred times a second for nothing.
const GAP: Duration = Duration::from_millis(50);

#[derive(Clone, Copy)]
pub struct Worker<'a> {
    pub(crate) app: &'a App,
}

impl Worker<'_> {
    /// Works until `stop` completes. Then running attempts may finish within the time `drain`, and the remaining jobs
    /// are given back. A worker that panics starts again.
    pub async fn work(self, stop: impl Future<Output = ()>, drain: Duration) {
        // Without this, jobs claimed before a crash would only wait for their leases to expire.
        let _ = AssertUnwindSafe(self.release_own()).catch_unwind().await;
        let stop = stop.fuse();
        tokio::pin!(stop);
        let mut stopped = false;
        let pulse = self.app.supervisor.watch("the worker");
        let mut pauses = Pauses::default();
        loop {
            let work = self.work_until(stop.as_mut(), &mut stopped, drain, &pulse);
            if AssertUnwindSafe(work).catch_unwind().await.is_ok() {
                break;
            }
            // Running attempts continue and their jobs are not given back. Their leases last several times longer than
            // the pause, so no heartbeat is missed.
            tokio::select! {
                () = stop.as_mut(), if !stopped => stopped = true,
                () = tokio::time::sleep(pauses.after_panic(&pulse)) => {}
            }
            pulse.up();
        }
        self.release_own().await;
    }

    async fn work_until(
        self,
        stop: Pin<&mut impl Future<Output = ()>>,
        stopped: &mut bool,
        drain: Duration,
        pulse: &Pulse,
    ) {
        // Leases are renewed concurrently: a claim that has to wait must not delay the renewal.
        tokio::select! {
            () = self.keep_beating() => {}
            () = self.take_jobs(stop, stopped, drain, pulse) => {}
        }
    }

    async fn take_jobs(
        self,
        mut stop: Pin<&mut impl Future<Output = ()>>,
        stopped: &mut bool,
        drain: Duration,
        pulse: &Pulse,
    ) {
        let mut next = Box::pin(tokio::time::sleep(Duration::ZERO));
        while !*stopped {
            tokio::select! {
                () = stop.as_mut() => { *stopped = true; continue; }
                () = &mut next => {}
                () = self.app.attempts.has_work.notified() => {}
                () = self.app.store.woken() => {}
            }
            let _turno = pulse.begin();
            let rest = match self.claim_and_start().await {
                Ok(0) => {
                    tokio::select! {
                        () = stop.as_mut() => { *stopped = true; continue; }
                        () = tokio::time::sleep(GAP) => self.rest().await,
                    }
                }
                Ok(_) => BREATH,
                Err(error) => {
                    tracing::warn!(%error, "jobs cannot be claimed; the worker tries again");
                    POLL
                }
            };
            next.as_mut().reset(tokio::time::Instant::now() + rest);
        }
        let _ = tokio::time::timeout(drain, self.idle()).await;
    }

    /// Renews the leases of running attempts, for ever.
    async fn keep_beating(self) {
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            heartbeat.tick().await;
            if tokio::time::timeout(HEARTBEAT, self.beat()).await.is_err() {
                tracing::warn!("prolonging leases took too long; it is tried again");
            }
        }
    }

    /// Waits until no attempt runs.
    async fn idle(self) {
        loop {
            let free = self.app.attempts.free.notified();
            if self.app.attempts.in_progress().is_empty() {
                return;
            }
            free.await;
        }
    }

    /// Runs everything that is due now and waits until it is done. For tests, which move the clock. Returns the number
    /// of claimed jobs.
    pub async fn run_jobs(self) -> Result<usize, StoreError> {
        let mut total = 0;
        loop {
            let taken = self.claim_and_start().await?;
            total += taken;
            self.idle().await;
            if taken == 0 {
                return Ok(total);
            }
        }
    }

    async fn claim_and_start(self) -> Result<usize, StoreError> {
        let now = self.app.now();
        let mut allotments = self.app.attempts.allotments(now);
        // Jobs without a configured receiver are held: they cost no attempt, and are sent once there is a receiver.
        let sendable = self.app.sendable().await?;
        allotments.retain(|allotment| sendable.contains(&allotment.kind));
        if allotments.is_empty() {
            return Ok(0);
        }
        let jobs = self.app.store.claim(allotments, self.app.outbound.lease(), now).await?;
        let mut taken = 0;
        for job in jobs {
            // Skip a job that this process is still trying: its lease had expired, and the claim has just renewed it.
            let Some(guard) = self.app.attempts.enter_once(job.id) else { continue };
            taken += 1;
            let (all_arrived, _) = mpsc::unbounded_channel();
            let chain = start_chain(self.app.clone(), job, all_arrived, Some(guard));
            let app = self.app.clone();
            tokio::spawn(async move {
                let _ = chain.await;
                // A seat is free again, and more jobs may be waiting for it.
                app.attempts.notify();
            });
        }
        Ok(taken)
    }

    /// The time until the next job is due; never so short that an idle worker becomes a busy loop.
    async fn rest(self) -> Duration {
        let Ok(kinds) = self.app.sendable().await else { return POLL };
        let Ok(Some(when)) = self.app.store.next_due(kinds).await else {
            return POLL;
        };
        let missing = when.duration_since(self.app.now());
        Duration::try_from(missing).unwrap_or_default().clamp(BREATH, POLL)
    }

    async fn beat(self) {
        let ids = self.app.attempts.in_progress();
        if ids.is_empty() {
            return;
        }
        if let Err(error) = self.app.store.renew(ids, self.app.outbound.lease()).await {
            tracing::warn!(%error, "leases could not be prolonged");
        }
    }

    async fn release_own(self) {
        match self.app.store.release(self.app.outbound.process).await {
            Ok(0) => {}
            Ok(jobs) => tracing::info!(jobs, "jobs given back to the queue"),
            Err(error) => tracing::warn!(%error, "jobs could not be given back; their leases run out"),
        }
    }
}
