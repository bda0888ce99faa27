//! First attempts at jobs that were just committed under this process's lease, and at the jobs that follow from them.

use std::collections::BTreeMap;

use embudo_domain::JobId;
use embudo_domain::job::{Job, JobKind};
use embudo_store::Outcome;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::attempt::JobAttempt;
use super::let_through;
use crate::App;
use crate::attempt_pool::InProgress;

/// Tries jobs that were just committed under this process's lease, and records in their call's outcome what was
/// accepted in time. An attempt that takes longer continues in the background.
pub(crate) async fn try_now(app: &App, ids: Vec<JobId>, mut outcome: Outcome) -> Outcome {
    if ids.is_empty() {
        return outcome;
    }
    // The jobs are entered before they are read, so that no heartbeat misses them.
    let mut in_progress: BTreeMap<JobId, InProgress> =
        ids.iter().map(|id| (*id, app.attempts.enter(*id))).collect();
    let jobs = match app.store.just_made(ids).await {
        Ok(jobs) => let_through(app, jobs).await,
        Err(error) => {
            tracing::warn!(%error, "jobs just made cannot be read; they are taken up when their lease runs out");
            return outcome;
        }
    };
    let (all_arrived, mut news) = mpsc::unbounded_channel();
    for job in jobs {
        let entered = in_progress.remove(&job.id);
        start_chain(app.clone(), job, all_arrived.clone(), entered);
    }
    drop(all_arrived);
    let all = async {
        while let Some(kind) = news.recv().await {
            outcome.accept(kind);
        }
    };
    let _ = tokio::time::timeout(app.outbound.wait, all).await;
    outcome
}

/// Starts an attempt and the attempts that follow from it. It is not an async function on purpose: the body of an async
/// function is compiled again in every crate that awaits it, and this body contains everything that is ever sent.
pub(crate) fn start_chain(
    app: App,
    job: Job,
    all_arrived: mpsc::UnboundedSender<JobKind>,
    entered: Option<InProgress>,
) -> JoinHandle<()> {
    embudo_trace::spawn(async move {
        run_chain(&app, &job, &all_arrived).await;
        drop(entered);
    })
}

/// One attempt, then attempts at the jobs that it made for this process. Reports each accepted job at once.
async fn run_chain(app: &App, job: &Job, all_arrived: &mpsc::UnboundedSender<JobKind>) {
    let next_ones = run_and_tell(app, job, all_arrived).await;
    if next_ones.is_empty() {
        return;
    }
    let _marks: Vec<InProgress> = next_ones.iter().map(|id| app.attempts.enter(*id)).collect();
    let next_ones = app.store.jobs(next_ones).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "jobs just made cannot be read; they are taken up when their lease runs out");
        Vec::new()
    });
    let next_ones = let_through(app, next_ones).await;
    let deliveries: Vec<_> = next_ones.iter().map(|next| run_and_tell(app, next, all_arrived)).collect();
    futures_util::future::join_all(deliveries).await;
}

/// One attempt. Reports it if it was accepted, and returns the jobs that follow at once.
async fn run_and_tell(app: &App, job: &Job, all_arrived: &mpsc::UnboundedSender<JobKind>) -> Vec<JobId> {
    let (arrived, next_ones) = JobAttempt { app, job }.run().await;
    if arrived {
        // After the request was answered, nobody receives this any more.
        let _ = all_arrived.send(job.kind);
    }
    next_ones
}
