//! The outbox of a company, listed without contents.

use async_trait::async_trait;
use embudo_domain::job::JobKind;
use embudo_domain::{EmpresaId, JobId, Timestamp};

use super::{Reader, first};
use crate::outbox_admin::{ListedJob, OutboxFilter, StandingCount};
use crate::pauses::Pause;
use crate::queries::job;
use crate::{Result, StoreError};

#[async_trait]
pub trait OutboxLists: Send + Sync + 'static {
    /// One page of a company's jobs, newest first (`creado_en`, `id`), after the given one. `now` decides which leases
    /// are alive.
    async fn list_outbox(
        &self,
        filter: OutboxFilter,
        now: Timestamp,
        after: Option<(Timestamp, JobId)>,
        limit: u32,
    ) -> Result<Vec<ListedJob>>;
    /// One job as lists show it. [`crate::StoreError::JobNotFound`].
    async fn listed_job(&self, id: JobId, now: Timestamp) -> Result<ListedJob>;
    /// How many jobs of a company have each standing ([`crate::outbox_admin::MOST_CLOSED`]); standings without jobs are
    /// left out.
    async fn count_outbox(&self, empresa: EmpresaId, now: Timestamp) -> Result<Vec<StandingCount>>;
    /// How many jobs of a company are dead or parked, up to [`crate::outbox_admin::MOST_STOPPED`].
    async fn count_stopped(&self, empresa: EmpresaId) -> Result<u64>;
    /// The pauses of a company, in no order.
    async fn pauses(&self, empresa: EmpresaId) -> Result<Vec<Pause>>;
    /// The kinds of jobs that are paused, of all companies, in no order. Kinds that this version does not know are left
    /// out.
    async fn paused_kinds(&self) -> Result<Vec<(EmpresaId, JobKind)>>;
}

#[async_trait]
impl<R: Reader> OutboxLists for R {
    async fn list_outbox(
        &self,
        filter: OutboxFilter,
        now: Timestamp,
        after: Option<(Timestamp, JobId)>,
        limit: u32,
    ) -> Result<Vec<ListedJob>> {
        self.read(job::list_outbox(&filter, now, after, limit)).await
    }

    async fn listed_job(&self, id: JobId, now: Timestamp) -> Result<ListedJob> {
        first(self, job::one_listed(id, now)).await?.ok_or(StoreError::JobNotFound)
    }

    async fn count_outbox(&self, empresa: EmpresaId, now: Timestamp) -> Result<Vec<StandingCount>> {
        self.read(job::count_outbox(empresa, now)).await
    }

    async fn count_stopped(&self, empresa: EmpresaId) -> Result<u64> {
        Ok(first(self, job::count_stopped(empresa)).await?.unwrap_or_default())
    }

    async fn pauses(&self, empresa: EmpresaId) -> Result<Vec<Pause>> {
        self.read(job::pauses(empresa)).await
    }

    async fn paused_kinds(&self) -> Result<Vec<(EmpresaId, JobKind)>> {
        let kinds = self.read(job::paused_kinds()).await?;
        Ok(kinds.into_iter().filter_map(|(empresa, kind)| Some((empresa, kind?))).collect())
    }
}
