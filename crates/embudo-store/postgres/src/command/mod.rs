//! Commands. Those that can be run for many callers at once are [`Grouped`] and listed in [`KINDS`]; the others run
//! alone.
//!
//! A grouped command turns its group into arrays, one per column, for statements with `UNNEST`. Rows are sorted by
//! lead, so that all processes lock leads in the same order and cannot deadlock; the rows of one lead keep the order of
//! arrival. Where several commands write the same row, they are merged here, in that order, and the row is written
//! once.

pub(crate) mod alone;
pub(crate) mod blob;
mod calificacion;
mod call;
pub(crate) mod etapa;
pub(crate) mod event;
pub(crate) mod figures;
mod finish;
pub(crate) mod idempotency;
pub(crate) mod ingesta;
mod intento;
pub(crate) mod job;
pub(crate) mod lead;
pub(crate) mod lease;
mod locked_leads;
pub(crate) mod outbox;
pub(crate) mod pause;
mod perfil;
pub(crate) mod projection;
pub(crate) mod rights;
mod texts;
mod turno;
pub(crate) mod watched_loop;

use std::collections::HashSet;

use embudo_store::lead_writes::{AppendTurno, RecordIntento, UpsertCalificacion};
use embudo_store::outbox::JobAttemptEnd;
use embudo_store::{Result, StoreError};
use uuid::Uuid;

use crate::failure::Step;
use crate::statement::{Params, Sql};
use crate::writer::{Grouped, Kind, Session};
pub(crate) use call::{CallWithJobs, JobsMade};
pub(crate) use finish::Finished;
pub(crate) use perfil::Perfil;
pub(crate) use texts::Texts;
pub(crate) use turno::RecordingTurno;

/// Every kind of command that is run in groups.
pub(crate) const KINDS: &[Kind] = &[
    Kind::of::<AppendTurno>(),
    Kind::of::<Perfil>(),
    Kind::of::<UpsertCalificacion>(),
    Kind::of::<RecordIntento>(),
    Kind::of::<Texts>(),
    Kind::of::<CallWithJobs>(),
    Kind::of::<JobAttemptEnd>(),
];

/// The group sorted by lead; the commands of one lead keep the order of arrival.
fn by_lead<'a, K: Grouped>(group: &[&'a K]) -> Vec<&'a K> {
    let mut sorted = group.to_vec();
    sorted.sort_by_key(|command| command.key());
    sorted
}

/// One column of the rows to be written, for `UNNEST`.
fn column<'r, R, T>(rows: &'r [R], value: impl FnMut(&'r R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

/// Runs a statement that returns the leads which do not exist, and returns the result of each command.
async fn run_on_leads<K: Grouped>(
    on: &Session<'_>,
    group: &[&K],
    sql: &'static Sql,
    params: &Params<'_>,
) -> Step<Vec<Result<()>>> {
    let rows = on.query(sql, params).await?;
    let missing = rows.iter().map(|row| row.try_get(0)).collect::<std::result::Result<HashSet<Uuid>, _>>()?;
    let end = |command: &&K| match missing.contains(&command.key()) {
        true => Err(StoreError::LeadNotFound),
        false => Ok(()),
    };
    Ok(group.iter().map(end).collect())
}

/// The length of a text that may be absent.
fn len(text: Option<&String>) -> usize {
    text.map_or(0, String::len)
}
