//! The worker beside the server: delivers while requests come, and ends after the last of them.

use embudo_app::App;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// What giving jobs back takes, beyond the time for running attempts.
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
    /// Starts it. `asked` completes when the stop is asked for: from then on requests and deliveries have `drain`
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

    /// Takes no more jobs, waits for running attempts, and gives back what outlasts the time.
    pub async fn finish(mut self) {
        // A server that ended without a signal has been asked by nobody: its time begins now.
        let asked_at = if self.asked_at.is_finished() { (&mut self.asked_at).await.ok() } else { None };
        self.asked_at.abort();
        let deadline = asked_at.unwrap_or_else(Instant::now) + self.drain + LAST_WORDS;
        // A receiver that is gone needs no message.
        let _ = self.stop.send(());
        if tokio::time::timeout_at(deadline, &mut self.working).await.is_ok() {
            return;
        }
        // The requests took most of the time, and the worker does not know.
        self.working.abort();
        match self.app.store.release(self.app.outbound.process).await {
            Ok(jobs) => tracing::info!(jobs, "jobs given back to the queue"),
            Err(error) => tracing::warn!(%error, "jobs could not be given back; their leases run out"),
        }
    }
}
