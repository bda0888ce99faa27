//! Holds new jobs whose destination was paused by their company, instead of trying them.

use embudo_domain::job::Job;

use crate::App;

/// The jobs of a call that may be tried now. The others are held until their destination is resumed. Claiming does the
/// same for all other due jobs.
pub(crate) async fn let_through(app: &App, jobs: Vec<Job>) -> Vec<Job> {
    // All jobs of a call belong to one lead.
    let Some(empresa) = jobs.iter().find(|job| job.kind.destination().is_some()).map(|job| job.empresa)
    else {
        return jobs;
    };
    let pauses = match app.store.pauses(empresa).await {
        Ok(pauses) => pauses,
        Err(error) => {
            tracing::warn!(%error, "what is paused cannot be read; jobs just made are taken up when their lease runs out");
            return Vec::new();
        }
    };
    let is_paused = |job: &Job| pauses.iter().any(|pause| pause.kind == job.kind);
    let (paused, free): (Vec<Job>, Vec<Job>) = jobs.into_iter().partition(is_paused);
    if !paused.is_empty() {
        let ids = paused.iter().map(|job| job.id).collect();
        if let Err(error) = app.store.hold(ids, app.outbound.process).await {
            tracing::warn!(%error, "paused jobs could not be held; a claim holds them when their lease runs out");
        }
    }
    free
}
