//! The state of the outbox of the whole database, for metrics and for the page about the installation.

use std::time::Duration;

use embudo_domain::Timestamp;
use embudo_domain::job::{JobKind, JobState};
use embudo_metrics::{DATABASE_BYTES, JOBS, JOBS_DUE, JOBS_DUE_AGE};
use tokio::time::MissedTickBehavior;

use super::Housekeeping;
use crate::AppError;

/// The size of the database is queried only once in this number of turns, because it changes slowly.
const SIZE_EACH: u32 = 4;

/// The jobs of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    pub kind: JobKind,
    /// Due now or later, including held jobs.
    pub pending: u64,
    /// Due now.
    pub due: u64,
    /// When the oldest due job became due; `None`: no job is due.
    pub oldest: Option<Timestamp>,
    pub dead: u64,
    pub parked: u64,
    /// Whether jobs of this kind are held: they cannot be sent until a receiver or mail is configured.
    pub is_held: bool,
}

impl Queue {
    /// How long the oldest due job has waited.
    pub fn age(&self, now: Timestamp) -> Duration {
        let waited = self.oldest.map(|oldest| now.duration_since(oldest));
        waited.and_then(|waited| Duration::try_from(waited).ok()).unwrap_or_default()
    }
}

impl Housekeeping<'_> {
    /// The jobs of every kind.
    pub async fn queues(self) -> Result<Vec<Queue>, AppError> {
        let counts = self.app.store.count_jobs().await?;
        let due = self.app.store.due_jobs(self.app.now()).await?;
        let sendable = self.app.sendable().await?;
        let count = |kind, state| {
            counts.iter().filter(|c| c.kind == kind && c.state == state).map(|c| c.count).sum::<u64>()
        };
        let queue = |kind: JobKind| {
            let is_held = !sendable.contains(&kind);
            let due = due.iter().find(|due| due.kind == kind && !is_held);
            Queue {
                kind,
                pending: count(kind, JobState::Pending),
                due: due.map_or(0, |due| due.count),
                oldest: due.map(|due| due.oldest),
                dead: count(kind, JobState::Dead),
                parked: count(kind, JobState::Parked),
                is_held,
            }
        };
        Ok(JobKind::ALL.into_iter().map(queue).collect())
    }

    /// Measures the database, for ever. A failure is logged, and measuring is tried again at its next turn.
    pub(super) async fn keep_measured(self, each: Duration) {
        let mut turn = tokio::time::interval(each);
        turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for n in 0_u32.. {
            turn.tick().await;
            if let Err(error) = self.measure(n.is_multiple_of(SIZE_EACH)).await {
                tracing::warn!(%error, "the outbox could not be measured; it is tried again later");
            }
        }
    }

    async fn measure(self, with_size: bool) -> Result<(), AppError> {
        let now = self.app.now();
        for queue in self.queues().await? {
            let kind = queue.kind.as_str();
            for (state, count) in [("pending", queue.pending), ("dead", queue.dead), ("parked", queue.parked)]
            {
                JOBS.gauge(&[kind, state]).set(count as f64);
            }
            JOBS_DUE.gauge(&[kind]).set(queue.due as f64);
            JOBS_DUE_AGE.gauge(&[kind]).set(queue.age(now).as_secs_f64());
        }
        if with_size {
            DATABASE_BYTES.gauge(&[]).set(self.app.store.database_bytes().await? as f64);
        }
        Ok(())
    }
}
