//! The outcome of a call whose jobs decide part of it, also when the call is repeated under its idempotency key.

use embudo_domain::JobId;
use embudo_domain::job::{Job, JobKind, JobState};
use embudo_store::{Done, Idempotency, Outcome, StoreError};

use crate::jobs::try_now;
use crate::{App, AppError};

/// The outcome of a call.
#[derive(Debug, Clone)]
pub struct CallEnd {
    pub outcome: Outcome,
    /// The outcome comes from an earlier call with the same key.
    pub is_replay: bool,
}

impl CallEnd {
    /// The end of a command without jobs to wait for. `now` is its outcome unless the command was already done before.
    pub fn of(done: Done, now: Outcome) -> Self {
        match done {
            Done::Now => Self::first(now),
            Done::Before(outcome) | Done::InProgress { outcome, .. } => Self::replay(outcome),
        }
    }

    pub(crate) fn first(outcome: Outcome) -> Self {
        Self { outcome, is_replay: false }
    }

    pub(crate) fn replay(outcome: Outcome) -> Self {
        Self { outcome, is_replay: true }
    }
}

/// Where the final outcome of a call is stored.
pub(crate) struct KeySlot {
    pub scope: String,
    pub key: String,
}

impl KeySlot {
    /// `None` if the call has no key, or no job decides its outcome.
    pub fn of(idempotency: Option<&Idempotency>) -> Option<Self> {
        let provisional = idempotency.filter(|i| !i.jobs.is_empty())?;
        Some(Self { scope: provisional.scope.clone(), key: provisional.key.clone() })
    }
}

/// Waits for the first attempt of the call's jobs. For a repeated call, finds out the result of its jobs.
pub(crate) async fn end_call(
    app: &App,
    done: Done,
    outcome: Outcome,
    jobs: Vec<JobId>,
    slot: Option<KeySlot>,
) -> Result<CallEnd, AppError> {
    let end = match done {
        Done::Before(outcome) => return Ok(CallEnd::replay(outcome)),
        Done::Now => CallEnd::first(try_now(app, jobs, outcome).await),
        Done::InProgress { outcome, jobs } => {
            let jobs = app.store.jobs(jobs).await?;
            if jobs.iter().any(is_untried) {
                return Err(StoreError::KeyInProgress.into());
            }
            CallEnd::replay(with_accepted(outcome, &jobs))
        }
    };
    if let Some(slot) = slot {
        store_outcome(app, slot, end.outcome.clone()).await;
    }
    Ok(end)
}

/// Stores the final outcome. If this fails, the outcome can still be rebuilt from the jobs.
async fn store_outcome(app: &App, slot: KeySlot, outcome: Outcome) {
    if let Err(error) = app.store.complete_outcome(slot.scope, slot.key, outcome, None).await {
        tracing::warn!(%error, "the outcome of a call was not stored under its key");
    }
}

/// The known outcome, completed with the results of the jobs.
pub(crate) fn with_accepted(mut outcome: Outcome, jobs: &[Job]) -> Outcome {
    // A profile signal is also done if its attempt failed but the workflow has called back already. That is not an
    // acceptance. A profile signal that was accepted after a failed attempt does not count either: the first answer of
    // the call waited only for the first attempt, and a repeated call gets the same answer.
    let is_accepted = |t: &&Job| {
        let failed = t.kind == JobKind::Perfil && t.ultimo_error.is_some();
        t.state == JobState::Done && !failed
    };
    jobs.iter().filter(is_accepted).for_each(|t| outcome.accept(t.kind));
    outcome
}

/// Whether the first attempt of a job is still to come or is running. A held job does not count: nobody waits for it.
pub(crate) fn is_untried(job: &Job) -> bool {
    job.state == JobState::Pending && job.intentos == 0 && !job.is_held()
}
