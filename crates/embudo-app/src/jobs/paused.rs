//! Holds new jobs whose destination was paused by their company, instead of trying them.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use embudo_domain::EmpresaId;
use embudo_domain::job::{Job, JobKind};

use crate::App;

type Paused = Arc<HashSet<(EmpresaId, JobKind)>>;

/// Reads what is paused, of all companies, for all calls that wait for it at that moment. Every call gets what was read
/// after it asked, so that a pause that was committed before is always seen.
#[derive(Default)]
pub(crate) struct Pauses {
    asked: AtomicU64,
    last: tokio::sync::Mutex<LastRead>,
}

#[derive(Default)]
struct LastRead {
    /// How many calls had asked when this was read.
    asked: u64,
    /// `None`: it could not be read.
    paused: Option<Paused>,
}

impl Pauses {
    /// What is paused. `None`: it cannot be read.
    async fn read(&self, app: &App) -> Option<Paused> {
        let own = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let mut last = self.last.lock().await;
        if last.asked >= own {
            return last.paused.clone();
        }
        let asked = self.asked.load(Ordering::SeqCst);
        let kinds = app.store.paused_kinds().await.inspect_err(|error| {
            tracing::warn!(%error, "what is paused cannot be read; jobs just made are taken up when their lease runs out");
        });
        *last = LastRead { asked, paused: kinds.ok().map(|kinds| Arc::new(kinds.into_iter().collect())) };
        last.paused.clone()
    }
}

/// The jobs of a call that may be tried now. The others are held until their destination is resumed. Claiming does the
/// same for all other due jobs.
pub(crate) async fn let_through(app: &App, jobs: Vec<Job>) -> Vec<Job> {
    if !jobs.iter().any(|job| job.kind.destination().is_some()) {
        return jobs;
    }
    let Some(pauses) = app.pauses.read(app).await else { return Vec::new() };
    let is_paused = |job: &Job| pauses.contains(&(job.empresa, job.kind));
    let (paused, free): (Vec<Job>, Vec<Job>) = jobs.into_iter().partition(is_paused);
    if !paused.is_empty() {
        let ids = paused.iter().map(|job| job.id).collect();
        if let Err(error) = app.store.hold(ids, app.outbound.process).await {
            tracing::warn!(%error, "paused jobs could not be held; a claim holds them when their lease runs out");
        }
    }
    free
}
