//! The outbox, as people look at it.

use embudo_domain::job::{Delivery, Job, JobKind, JobState};
use embudo_domain::{JobId, Timestamp};

use super::{Query, unindexed};
use crate::outbox_admin::JobCount;
use crate::outbox_admin::JobFilter;
use crate::rows;

/// A job, once for each line of its delivery log, in order: both as they were at one moment.
pub fn get(id: JobId) -> Query<(Job, Option<Delivery>)> {
    Query::new(include_str!("../../sql/trabajo/get.sql"), rows::job_with_delivery).bind("id", id.0)
}

/// Those of these jobs (at least one) that there are, in no order.
pub fn several(ids: &[JobId]) -> Query<Job> {
    let text = include_str!("../../sql/trabajo/list.sql");
    Query::new(text, rows::job).only_in("id", ids.iter().map(|id| id.0))
}

/// One page of jobs, newest first.
pub fn list(filter: &JobFilter, after: Option<(Timestamp, JobId)>, limit: u32) -> Query<Job> {
    // A lead has few jobs: they are found by the lead and sorted.
    let (creado_en, id) = match filter.lead {
        None => ("creado_en".to_owned(), "id".to_owned()),
        Some(_) => (unindexed("creado_en"), unindexed("id")),
    };
    // Jobs that wait for a person have an index of their own, which is taken only where the word itself stands.
    let (stopped, other) = match filter.state {
        Some(state @ (JobState::Dead | JobState::Parked)) if filter.lead.is_none() => (Some(state), None),
        other => (None, other),
    };
    let mut page = Query::new(include_str!("../../sql/trabajo/list.sql"), rows::job)
        .only_if("lead_id = :lead", "lead", filter.lead.map(|lead| lead.0))
        .only_if("tipo = :tipo", "tipo", filter.kind.map(JobKind::as_str))
        .only_if("estado = :estado", "estado", other.map(JobState::as_str));
    if let Some(state) = stopped {
        page = page.only(&format!("estado = '{state}'"));
    }
    if let Some((moment, last)) = after {
        page = page
            .only(&format!("({creado_en}, {id}) < (:after, :after_id)"))
            .bind("after", moment)
            .bind("after_id", last.0);
    }
    page.then(&format!("ORDER BY {creado_en} DESC, {id} DESC LIMIT :limit")).bind("limit", limit)
}

/// How many jobs are pending, dead and parked.
pub fn count() -> Query<JobCount> {
    Query::new(include_str!("../../sql/trabajo/count.sql"), rows::job_count)
}
