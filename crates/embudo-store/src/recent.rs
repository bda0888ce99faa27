//! Jobs that were just made, kept in memory for the worker that tries them first.
//!
//! A request that makes a job tries it at once. The job's payload was decided inside its transaction, so the engine
//! puts the job here after the commit, which saves a read. Nothing depends on it: a job that is not found here is read
//! from the database.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use embudo_domain::JobId;
use embudo_domain::job::Job;

/// The maximum of jobs that are kept. A caller that gave up leaves its job here, so the number must be limited.
const MAX: usize = 512;
/// A job with a longer payload is read from the database instead.
const MAX_PAYLOAD: usize = 32 * 1024;

#[derive(Debug, Default)]
pub struct Recent(Mutex<HashMap<JobId, Job>>);

impl Recent {
    /// Adds jobs that are committed and under a lease of this process.
    pub fn leave(&self, jobs: impl IntoIterator<Item = Job>) {
        let mut jobs = jobs.into_iter().filter(|t| t.payload.len() <= MAX_PAYLOAD).peekable();
        if jobs.peek().is_none() {
            return;
        }
        let mut left = self.left();
        for job in jobs {
            if left.len() >= MAX {
                left.clear();
            }
            left.insert(job.id, job);
        }
    }

    /// Takes these jobs, in the order of `ids`; `None` if one of them is not here.
    pub fn take(&self, ids: &[JobId]) -> Option<Vec<Job>> {
        let mut left = self.left();
        ids.iter().map(|id| left.remove(id)).collect()
    }

    fn left(&self) -> MutexGuard<'_, HashMap<JobId, Job>> {
        // The map is consistent even if a thread panicked while it held the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use embudo_domain::job::{JobKind, JobState};
    use embudo_domain::{EmpresaId, LeadId, Timestamp};
    use uuid::Uuid;

    use super::*;

    fn job(payload: &str) -> Job {
        Job {
            id: JobId(Uuid::new_v4()),
            lead: LeadId(Uuid::new_v4()),
            empresa: EmpresaId(Uuid::new_v4()),
            kind: JobKind::Perfil,
            payload: payload.to_owned(),
            state: JobState::Pending,
            intentos: 0,
            proximo_en: Timestamp::UNIX_EPOCH,
            en_duda: false,
            ultimo_error: None,
            creado_en: Timestamp::UNIX_EPOCH,
            terminado_en: None,
            repeats: None,
        }
    }

    #[test]
    fn a_job_is_taken_once_and_a_stranger_is_read() {
        let recent = Recent::default();
        let (one, two) = (job("1"), job("2"));
        recent.leave([one.clone(), two.clone()]);
        assert_eq!(recent.take(&[two.id, one.id]), Some(vec![two, one.clone()]));
        assert_eq!(recent.take(&[one.id]), None);
    }

    #[test]
    fn it_never_grows_without_end() {
        let recent = Recent::default();
        let length = job(&"x".repeat(MAX_PAYLOAD + 1));
        recent.leave([length.clone()]);
        assert_eq!(recent.take(&[length.id]), None);
        recent.leave((0..3 * MAX).map(|_| job("x")));
        assert!(recent.left().len() <= MAX);
    }
}
