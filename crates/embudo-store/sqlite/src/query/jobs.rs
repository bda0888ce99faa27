//! The outbox as it is read: one job, lists of them, what is due next, and leads whose step is overdue.

use embudo_domain::job::{Delivery, Job, JobKind, JobState};
use embudo_domain::{JobId, Timestamp};
use embudo_store::StoreError;
use embudo_store::outbox::{JobCount, JobFilter, OverdueLoop};
use rusqlite::types::Value;
use rusqlite::{Connection, Params, params_from_iter};

use super::{all, first};
use crate::failure::Step;
use crate::rows;

/// One job with its delivery log.
pub(crate) fn job(connection: &Connection, id: JobId) -> Step<(Job, Vec<Delivery>)> {
    let job = get(connection, id)?.ok_or(StoreError::JobNotFound)?;
    let deliveries = all(connection, include_str!("../../sql/entrega/list.sql"), (id.0,), rows::delivery)?;
    Ok((job, deliveries))
}

/// Those of these jobs that there are, in the order asked.
pub(crate) fn jobs(connection: &Connection, ids: &[JobId]) -> Step<Vec<Job>> {
    ids.iter().filter_map(|id| get(connection, *id).transpose()).collect()
}

fn get(connection: &Connection, id: JobId) -> Step<Option<Job>> {
    first(connection, include_str!("../../sql/trabajo/get.sql"), (id.0,), rows::job)
}

/// One page of jobs, newest first.
pub(crate) fn list(
    connection: &Connection,
    filter: &JobFilter,
    after: Option<(Timestamp, JobId)>,
    limit: u32,
) -> Step<Vec<Job>> {
    let (sql, values) = page(filter, after, limit);
    all(connection, &sql, params_from_iter(values), rows::job)
}

/// The SQL of a page and the values for its parameters; only the conditions that are set stand in it.
pub(crate) fn page(
    filter: &JobFilter,
    after: Option<(Timestamp, JobId)>,
    limit: u32,
) -> (String, Vec<Value>) {
    let uuid = |id: uuid::Uuid| Value::Blob(id.as_bytes().to_vec());
    let word = |w: &str| Value::Text(w.to_owned());
    // A lead has few jobs: they are found by the lead and sorted, rather than all jobs walked in order.
    let (creado_en, id) = match filter.lead {
        None => ("creado_en", "id"),
        Some(_) => ("+creado_en", "+id"),
    };
    // Jobs that wait for a person have an index of their own, which SQLite takes only where it reads the word itself.
    let stopped = |e: &JobState| matches!(e, JobState::Dead | JobState::Parked);
    let stopped = filter.state.filter(|e| filter.lead.is_none() && stopped(e));
    let other_state = filter.state.filter(|_| stopped.is_none());
    let conditions = [
        ("lead_id = ?", filter.lead.map(|l| uuid(l.0))),
        ("tipo = ?", filter.kind.map(|t| word(t.as_str()))),
        ("+estado = ?", other_state.map(|e| word(e.as_str()))),
    ];
    let mut sql = String::from(include_str!("../../sql/trabajo/list.sql"));
    let mut values = Vec::new();
    let mut joint = "WHERE ";
    for (condition, value) in conditions {
        if let Some(value) = value {
            sql.push_str(joint);
            sql.push_str(condition);
            values.push(value);
            joint = " AND ";
        }
    }
    if let Some(state) = stopped {
        sql.push_str(&format!("{joint}estado = '{state}'"));
        joint = " AND ";
    }
    if let Some((when, last)) = after {
        sql.push_str(&format!("{joint}({creado_en}, {id}) < (?, ?)"));
        values.push(Value::Integer(when.as_microsecond()));
        values.push(uuid(last.0));
    }
    sql.push_str(&format!(" ORDER BY {creado_en} DESC, {id} DESC LIMIT ?"));
    values.push(Value::Integer(i64::from(limit)));
    (sql, values)
}

/// When there is next something to take: a job that nobody holds is due, or a lease runs out.
pub(crate) fn next_due(connection: &Connection, kinds: &[JobKind]) -> Step<Option<Timestamp>> {
    let mut next = moment(connection, include_str!("../../sql/trabajo/next_lapse.sql"), ())?;
    for kind in kinds {
        // One look per kind, because the index starts with it.
        let free = moment(connection, include_str!("../../sql/trabajo/next_free.sql"), (kind.as_str(),))?;
        let lapsed = moment(connection, include_str!("../../sql/trabajo/next_lapsed.sql"), (kind.as_str(),))?;
        next = [next, free, lapsed].into_iter().flatten().min();
    }
    next.map(Timestamp::from_microsecond).transpose().map_err(|_| {
        StoreError::Internal("trabajo holds a time that nothing could have written".into()).into()
    })
}

/// How many jobs are pending, dead and parked.
pub(crate) fn count(connection: &Connection) -> Step<Vec<JobCount>> {
    all(connection, include_str!("../../sql/trabajo/count.sql"), (), rows::job_count)
}

fn moment(connection: &Connection, sql: &str, params: impl Params) -> Step<Option<i64>> {
    Ok(connection.prepare_cached(sql)?.query_row(params, |row| row.get(0))?)
}

/// Leads whose step is overdue and not yet marked so, the longest overdue first.
pub(crate) fn overdue_loops(connection: &Connection, now: Timestamp, max: u32) -> Step<Vec<OverdueLoop>> {
    let sql = include_str!("../../sql/bucle/overdue.sql");
    all(connection, sql, (now.as_microsecond(), max), rows::bucle_vencido)
}
