//! Jobs of the outbox.

use std::collections::HashMap;

use async_trait::async_trait;
use embudo_domain::job::{Delivery, Job};
use embudo_domain::{JobId, Timestamp};

use super::Reader;
use crate::outbox_admin::{DueJobs, JobCount, JobFilter};
use crate::queries::job;
use crate::{Result, StoreError};

#[async_trait]
pub trait JobReads: Send + Sync + 'static {
    /// One job and its delivery log, oldest attempt first. [`StoreError::JobNotFound`].
    async fn job(&self, id: JobId) -> Result<(Job, Vec<Delivery>)>;
    /// Several jobs in the order of `ids`; unknown ones are left out.
    async fn jobs(&self, ids: Vec<JobId>) -> Result<Vec<Job>>;
    /// Jobs, newest first (`creado_en`, `id`), at most `limit`, after the given one.
    async fn list_jobs(
        &self,
        filter: JobFilter,
        after: Option<(Timestamp, JobId)>,
        limit: u32,
    ) -> Result<Vec<Job>>;
    /// How many jobs are pending, dead and parked, by kind; kinds without any are left out.
    async fn count_jobs(&self) -> Result<Vec<JobCount>>;
    /// The jobs that are due at `now`, not leased and not paused, by kind; kinds without any are left out.
    async fn due_jobs(&self, now: Timestamp) -> Result<Vec<DueJobs>>;
}

#[async_trait]
impl<R: Reader> JobReads for R {
    async fn job(&self, id: JobId) -> Result<(Job, Vec<Delivery>)> {
        let mut lines = self.read(job::get(id)).await?.into_iter();
        let (job, line) = lines.next().ok_or(StoreError::JobNotFound)?;
        Ok((job, line.into_iter().chain(lines.filter_map(|(_, line)| line)).collect()))
    }

    async fn jobs(&self, ids: Vec<JobId>) -> Result<Vec<Job>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.read(job::several(&ids)).await?;
        let mut found: HashMap<JobId, Job> = found.into_iter().map(|job| (job.id, job)).collect();
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    async fn list_jobs(
        &self,
        filter: JobFilter,
        after: Option<(Timestamp, JobId)>,
        limit: u32,
    ) -> Result<Vec<Job>> {
        self.read(job::list(&filter, after, limit)).await
    }

    async fn count_jobs(&self) -> Result<Vec<JobCount>> {
        self.read(job::count()).await
    }

    async fn due_jobs(&self, now: Timestamp) -> Result<Vec<DueJobs>> {
        self.read(job::count_due(now)).await
    }
}
