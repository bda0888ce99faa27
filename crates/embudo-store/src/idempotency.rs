//! The same call twice has one effect (contract §2.6).

use async_trait::async_trait;
use embudo_domain::{JobId, Timestamp};
use jiff::SignedDuration;

use crate::{Outcome, Result};

/// The data by which a call is recognised as the same as an earlier one.
#[derive(Debug, Clone)]
pub struct CallKey {
    /// Method and full path, or the name of something that a use case does once.
    pub scope: String,
    pub key: String,
    pub cuerpo_sha256: [u8; 32],
    pub life: SignedDuration,
}

impl CallKey {
    /// The row that is stored with the work of the call. If the outcome waits for the first attempt of jobs, it is
    /// provisional.
    pub fn with(self, outcome: Outcome, jobs: Vec<JobId>, now: Timestamp) -> Idempotency {
        let Self { scope, key, cuerpo_sha256, life } = self;
        let expira_en = now + life;
        Idempotency { scope, key, cuerpo_sha256, outcome, jobs, creada_en: now, expira_en }
    }
}

/// The row that is stored with the work of a call that has a key.
#[derive(Debug, Clone)]
pub struct Idempotency {
    pub scope: String,
    pub key: String,
    pub cuerpo_sha256: [u8; 32],
    /// If jobs decide the outcome, this is what is known so far.
    pub outcome: Outcome,
    /// The jobs whose first attempt the outcome waits for; empty means that it is final.
    pub jobs: Vec<JobId>,
    pub creada_en: Timestamp,
    /// From this time on the key is free again.
    pub expira_en: Timestamp,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Done {
    /// It was done now.
    Now,
    /// It was done before under the same key, with this outcome.
    Before(Outcome),
    /// It was done before under the same key, and its outcome waits for these jobs, or waited when its process died.
    InProgress {
        /// The outcome as it was known when the work was committed.
        outcome: Outcome,
        jobs: Vec<JobId>,
    },
}

/// A stored key, as an engine reads it.
#[derive(Debug)]
pub struct KeyRow {
    pub cuerpo_sha256: Vec<u8>,
    pub status: i32,
    pub body: String,
    pub jobs: String,
    pub expira_en: Timestamp,
}

/// The result of a stored key for a call with the same key.
///
/// Engines find the row; this decides, so that both engines decide alike. `None`: the row has expired and the key is
/// free.
pub fn decide(row: &KeyRow, key: &Idempotency) -> Option<Result<Done>> {
    if row.expira_en <= key.creada_en {
        return None;
    }
    if row.cuerpo_sha256 != key.cuerpo_sha256 {
        return Some(Err(crate::StoreError::KeyReused));
    }
    let jobs = read_jobs(&row.jobs);
    let outcome = Outcome::read(&key.scope, &row.body);
    Some(outcome.map(|outcome| match jobs.is_empty() {
        true => Done::Before(outcome),
        false => Done::InProgress { outcome, jobs },
    }))
}

/// The job ids of a provisional outcome as one text, for the engines' column; empty for none.
pub fn write_jobs(jobs: &[JobId]) -> String {
    jobs.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn read_jobs(text: &str) -> Vec<JobId> {
    text.split_whitespace().filter_map(embudo_domain::ids::parse_uuid).map(JobId).collect()
}

/// Keys of calls, once their work is done.
#[async_trait]
pub trait IdempotencyStore: Send + Sync + 'static {
    /// Stores the final outcome of a call whose key was stored with a provisional one. The key is free again at
    /// `expira_en`, or at the stored time if that is `None`. An outcome that is final already stays as it is, and so
    /// does its expiry.
    async fn complete_outcome(
        &self,
        scope: String,
        key: String,
        outcome: Outcome,
        expira_en: Option<Timestamp>,
    ) -> Result<()>;
    /// Deletes at most `max` idempotency rows that expired before `at`; returns how many.
    async fn purge_idempotency(&self, at: Timestamp, max: u32) -> Result<u64>;
}
