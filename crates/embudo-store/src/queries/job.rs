//! The outbox from a person's side.

use embudo_domain::job::{Delivery, Job, JobKind, JobStanding, JobState};
use embudo_domain::{EmpresaId, JobId, LeadId, ProcessId, Timestamp};

use super::{Query, unindexed};
use crate::outbox_admin::{
    DueJobs, JobCount, JobFilter, ListedJob, MOST_CLOSED, MOST_STOPPED, OutboxFilter, StandingCount,
};
use crate::pauses::Pause;
use crate::rows;

/// A job, once for each entry of its delivery log, in order: both as of one moment.
pub fn get(id: JobId) -> Query<(Job, Option<Delivery>)> {
    Query::new(include_str!("../../sql/trabajo/get.sql"), rows::job_with_delivery).bind("id", id.0)
}

/// The jobs with these ids (at least one) that exist, in no order.
pub fn several(ids: &[JobId]) -> Query<Job> {
    let text = include_str!("../../sql/trabajo/list.sql");
    Query::new(text, rows::job).only_in("id", ids.iter().map(|id| id.0))
}

/// The lead of a job, if this process holds it.
pub fn lead_of_held(id: JobId, who: ProcessId) -> Query<LeadId> {
    let text = "SELECT lead_id FROM trabajo WHERE id = :id AND arrendado_por = :quien AND estado || '' = 'pendiente'";
    Query::new(text, |c| c.get("lead_id").map(LeadId)).bind("id", id.0).bind("quien", who.0)
}

/// Whether a lead has a newer job of a kind than this one; `order` is the column that numbers jobs in the order in
/// which they are made.
pub fn newer(lead: LeadId, kind: JobKind, id: JobId, order: &str) -> Query<bool> {
    let text = format!(
        "SELECT EXISTS (SELECT 1 FROM trabajo WHERE lead_id = :lead AND tipo = :tipo
        AND {order} > (SELECT own.{order} FROM trabajo AS own WHERE own.id = :id)) AS found"
    );
    Query::of(text, |c| c.get("found")).bind("lead", lead.0).bind("tipo", kind.as_str()).bind("id", id.0)
}

/// One page of jobs, newest first.
pub fn list(filter: &JobFilter, after: Option<(Timestamp, JobId)>, limit: u32) -> Query<Job> {
    // A lead has few jobs: they are found by the lead and then sorted.
    let (creado_en, id) = match filter.lead {
        None => ("creado_en".to_owned(), "id".to_owned()),
        Some(_) => (unindexed("creado_en"), unindexed("id")),
    };
    // Jobs that wait for a person have an index of their own, which is used only if the state is in the statement as a
    // literal.
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

/// The jobs that are due, not leased and not paused.
pub fn count_due(now: Timestamp) -> Query<DueJobs> {
    Query::new(include_str!("../../sql/trabajo/count_due.sql"), rows::due_jobs).bind("now", now)
}

fn listed(now: Timestamp) -> Query<ListedJob> {
    Query::new(include_str!("../../sql/trabajo/list_outbox.sql"), rows::listed_job).bind("now", now)
}

/// One job as lists show it.
pub fn one_listed(id: JobId, now: Timestamp) -> Query<ListedJob> {
    listed(now).only("t.id = :id").bind("id", id.0)
}

/// One page of a company's jobs, newest first.
pub fn list_outbox(
    filter: &OutboxFilter,
    now: Timestamp,
    after: Option<(Timestamp, JobId)>,
    limit: u32,
) -> Query<ListedJob> {
    // Few jobs are pending at any moment: they are found by their state and then sorted, however many jobs the company
    // has.
    let column = |name: &str| match filter.standing {
        Some(standing) if standing.is_pending() => unindexed(name),
        _ => name.to_owned(),
    };
    let (creado_en, id) = (column("t.creado_en"), column("t.id"));
    let mut page = listed(now)
        .only(&format!("{} = :empresa", column("t.empresa_id")))
        .bind("empresa", filter.empresa.0)
        .only_if("t.tipo = :tipo", "tipo", filter.kind.map(JobKind::as_str));
    if let Some(standing) = filter.standing {
        page = page.only(&condition(standing));
    }
    if let Some((moment, last)) = after {
        page = page
            .only(&format!("({creado_en}, {id}) < (:after, :after_id)"))
            .bind("after", moment)
            .bind("after_id", last.0);
    }
    page.then(&format!("ORDER BY {creado_en} DESC, {id} DESC LIMIT :limit")).bind("limit", limit)
}

/// The condition for a standing, written so that partial indexes are used.
fn condition(standing: JobStanding) -> String {
    const FREE: &str = "(t.arrendado_hasta IS NULL OR t.arrendado_hasta <= :now)";
    match standing {
        JobStanding::Running => "t.estado = 'pendiente' AND t.arrendado_hasta > :now".to_owned(),
        JobStanding::Paused => format!("t.estado = 'pendiente' AND {FREE} AND p.tipo IS NOT NULL"),
        JobStanding::Failing => {
            format!("t.estado = 'pendiente' AND {FREE} AND p.tipo IS NULL AND t.intentos > 0")
        }
        JobStanding::Waiting => {
            format!("t.estado = 'pendiente' AND {FREE} AND p.tipo IS NULL AND t.intentos = 0")
        }
        ended => format!("t.estado = '{ended}'"),
    }
}

/// How many jobs of a company have each standing.
pub fn count_outbox(empresa: EmpresaId, now: Timestamp) -> Query<StandingCount> {
    Query::new(include_str!("../../sql/trabajo/count_outbox.sql"), rows::standing_count)
        .bind("empresa", empresa.0)
        .bind("now", now)
        .bind("most", MOST_CLOSED)
}

/// How many jobs of a company wait for a person.
pub fn count_stopped(empresa: EmpresaId) -> Query<u64> {
    Query::new(include_str!("../../sql/trabajo/count_stopped.sql"), |c| c.get("how_many"))
        .bind("empresa", empresa.0)
        .bind("most", MOST_STOPPED)
}

/// What is paused, of all companies.
pub fn paused_kinds() -> Query<(EmpresaId, Option<JobKind>)> {
    Query::new("SELECT empresa_id, tipo FROM pausa", rows::paused_kind)
}

/// The pauses of a company.
pub fn pauses(empresa: EmpresaId) -> Query<Pause> {
    Query::new(include_str!("../../sql/pausa/list.sql"), rows::pause).bind("empresa", empresa.0)
}
