//! Recognises a repeated `finalizar` without an idempotency key: a workflow that lost our answer must not cause a
//! second mail to the client (contract §2.6).
//!
//! Such a call gets a key that is derived from its bytes. While the first call runs, a second one joins it. For a while
//! after everything of the first call was delivered, a second call gets its outcome. If something of the first call
//! failed, a second call is a new call.

use std::time::{Duration, Instant};

use embudo_domain::job::{Job, JobState};
use embudo_domain::{JobId, LeadId, Timestamp};
use embudo_store::lead_writes::Ingest;
use embudo_store::{CallKey, Done, Outcome};
use jiff::SignedDuration;

use super::Ingestion;
use crate::blobs::PutBlob;
use crate::call_end::{KeySlot, is_untried, with_accepted};
use crate::jobs::try_now;
use crate::{AppError, CallEnd};

/// The pause between two checks whether the first call has ended, while a second call waits for it.
const LOOK: Duration = Duration::from_millis(100);
/// The maximum time that a call can run. Afterwards the same bytes are a new call.
const LIFE: SignedDuration = SignedDuration::from_hours(1);

/// An expiry time in the past: the same bytes are a new call, whenever it came.
const FREE: Timestamp = Timestamp::UNIX_EPOCH;

/// How a repeated call is recognised.
#[derive(Debug, Clone)]
pub enum KnownBy {
    /// By the key that the caller sent.
    Key(CallKey),
    /// The SHA-256 of its bytes.
    Bytes([u8; 32]),
    Nothing,
}

/// The state of the first call.
enum First {
    Runs(Outcome),
    /// Everything was delivered a short while ago.
    Delivered(Outcome),
    /// Something failed, or everything was delivered too long ago.
    Pass(Outcome),
}

impl Ingestion<'_> {
    /// The idempotency key of a `finalizar`, derived from its bytes.
    pub(crate) fn key_of_bytes(lead: LeadId, sha256: [u8; 32]) -> CallKey {
        CallKey {
            // No path begins like this, so no caller's key can collide with this one.
            scope: format!("finalizar {lead}"),
            key: sha256.iter().map(|b| format!("{b:02x}")).collect(),
            cuerpo_sha256: sha256,
            life: LIFE,
        }
    }

    /// Does a call unless it is a repetition.
    pub(crate) async fn finalize_once(
        self,
        command: Ingest,
        placed: &[PutBlob],
        outcome: Outcome,
        own: Vec<JobId>,
        slot: KeySlot,
    ) -> Result<CallEnd, AppError> {
        loop {
            match self.save(command.clone(), placed).await? {
                Done::Before(outcome) => return Ok(CallEnd::replay(outcome)),
                Done::InProgress { outcome, jobs } => match self.join(outcome, &jobs).await? {
                    First::Runs(outcome) | First::Delivered(outcome) => {
                        return Ok(CallEnd::replay(outcome));
                    }
                    First::Pass(outcome) => self.settle(&slot, outcome, FREE).await?,
                },
                Done::Now => {
                    let deciding = command.idempotency.map(|i| i.jobs).unwrap_or_default();
                    let outcome = try_now(self.app, own, outcome).await;
                    self.remember(&slot, &deciding, &outcome).await;
                    return Ok(CallEnd::first(outcome));
                }
            }
        }
    }

    /// Waits for the jobs of the first call, at most as long as a new call waits for its own jobs.
    async fn join(self, outcome: Outcome, jobs: &[JobId]) -> Result<First, AppError> {
        let limit = Instant::now() + self.app.outbound.wait;
        loop {
            let jobs = self.app.store.jobs(jobs.to_vec()).await?;
            if !jobs.iter().any(is_untried) {
                return Ok(match self.free_again(&jobs) {
                    Some(until) if self.app.now() < until => First::Delivered(with_accepted(outcome, &jobs)),
                    _ => First::Pass(outcome),
                });
            }
            if Instant::now() >= limit {
                return Ok(First::Runs(with_accepted(outcome, &jobs)));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Until when the same bytes count as the same call. `None`: not everything was delivered.
    fn free_again(self, jobs: &[Job]) -> Option<Timestamp> {
        let delivered = !jobs.is_empty() && jobs.iter().all(|t| t.state == JobState::Done);
        let last = jobs.iter().filter_map(|t| t.terminado_en).max();
        last.filter(|_| delivered).map(|last| last + self.app.outbound.replay)
    }

    /// Stores how long these bytes get this outcome. While jobs are still running nothing is stored:
    /// a repeated call joins the first. If storing fails, the jobs still have the outcome.
    async fn remember(self, slot: &KeySlot, jobs: &[JobId], outcome: &Outcome) {
        let stored = async {
            let jobs = self.app.store.jobs(jobs.to_vec()).await?;
            if jobs.iter().any(is_untried) {
                return Ok(());
            }
            let until = self.free_again(&jobs).unwrap_or_else(|| self.app.now());
            self.settle(slot, outcome.clone(), until).await
        };
        if let Err(error) = stored.await {
            tracing::warn!(%error, "the outcome of a finalizar was not stored; its jobs tell it");
        }
    }

    async fn settle(self, slot: &KeySlot, outcome: Outcome, until: Timestamp) -> Result<(), AppError> {
        let (scope, key) = (slot.scope.clone(), slot.key.clone());
        self.app.store.complete_outcome(scope, key, outcome, Some(until)).await?;
        Ok(())
    }
}
