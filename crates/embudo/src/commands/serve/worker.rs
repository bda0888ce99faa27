//! The worker beside the server: delivers while requests come, and ends after the last one.

use embudo_app::App;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Time for giving jobs back, beyond the time for running attempts.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The running worker.
pub struct Worker {
    app: App,
    working: JoinHandle<()>,
    stop: oneshot::Sender<()>,
    asked_at: JoinHandle<Instant>,
    drain: Duration,
}

impl Worker {
    /// Starts the worker. `asked` completes when a stop is requested: from then on requests and deliveries have `drain`
    /// together.
    pub fn start(app: App, asked: impl Future<Output = ()> + Send + 'static, drain: Duration) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let shared = app.clone();
        let working =
            tokio::spawn(async move { shared.worker().work(async { drop(stopped.await) }, drain).await });
        let asked_at = tokio::spawn(async move {
            asked.await;
            Instant::now()
        });
        Self { app, working, stop, asked_at, drain }
    }

    /// Takes no more jobs, waits for running attempts, and gives back the jobs of attempts that take too long.
    pub async fn finish(mut self) {
        // If the server ended without a signal, no stop was requested: the time begins now.
        let asked_at = if self.asked_at.is_finished() { (&mut self.asked_at).await.ok() } else { None };
        self.asked_at.abort();
        let deadline = asked_at.unwrap_or_else(Instant::now) + self.drain + LAST_WORDS;
        // If the receiver is gone, the worker has ended already.
        let _ = self.stop.send(());
        if tokio::time::timeout_at(deadline, &mut self.working).await.is_ok() {
            return;
        }
        // The worker counts its `drain` only from `stop`, so it may work beyond the common deadline. It is aborted, and
        // its jobs are given back here.
        self.working.abort();
        match self.app.store.release(self.app.outbound.process).await {
            Ok(jobs) => tracing::info!(jobs, "jobs given back to the queue"),
            Err(error) => tracing::warn!(%error, "jobs could not be given back; their leases run out"),
        }
    }
}
