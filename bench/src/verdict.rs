//! The promises S1–S4, S6, S8–S10 and the one about a receiver that hangs, each with its goal, what was measured, and
//! whether it is met. (S5 is judged by `bench/pdf`, S7 and S12 by `bench/inbox`.) Pure: looks only at the results.

use crate::point::{Point, Section, Who};
use crate::results::{AfterWork, Memory, Results, Starts};
use crate::stats::{median, millis};
use crate::throughput::{PGBENCH_CLIENTS, PROMISED, SMALL};
use crate::workload::Kind;
use crate::{memory, photos, processes, signals, starts};

/// One line of the table of promises.
pub struct Verdict {
    pub id: &'static str,
    pub what: String,
    pub goal: String,
    pub measured: String,
    /// `None` where the figure is shown without a goal.
    pub met: Option<bool>,
}

/// The verdicts of everything that was measured in this run; sections that did not run have none.
pub fn verdicts(results: &Results) -> Vec<Verdict> {
    let mut all = Vec::new();
    all.extend(conversacion(results));
    all.extend(other_endpoints(results));
    all.extend(photo(results));
    all.extend(results.memory.iter().flat_map(memory_verdicts));
    all.extend(results.after_work.iter().map(after_work_verdict));
    all.extend(results.starts.iter().map(start_verdict));
    all.extend(process_verdicts(results));
    all.extend(signal_verdicts(results));
    all
}

fn at_least(id: &'static str, what: String, goal: f64, ratio: f64) -> Verdict {
    let measured = if ratio.is_nan() { "calls failed".to_owned() } else { format!("{ratio:.2} ×") };
    Verdict { id, what, goal: format!("≥ {goal} ×"), measured, met: Some(ratio >= goal) }
}

/// A figure that no goal was set for.
fn shown(verdict: Verdict) -> Verdict {
    Verdict { goal: "shown".to_owned(), met: None, ..verdict }
}

fn conversacion(results: &Results) -> Vec<Verdict> {
    let point = |who| Point::new(Section::S1, who, Kind::Conversacion, PROMISED);
    let pgbench = Point { conns: PGBENCH_CLIENTS, ..point(Who::Pgbench) };
    let goals = [
        ("S1", Who::Postgres, pgbench, 2.5, "PostgreSQL against pgbench's bare INSERT"),
        ("S1", Who::Postgres, point(Who::Fastify), 10.0, "PostgreSQL against Fastify + zod + pg"),
        ("S2", Who::Sqlite, pgbench, 3.0, "SQLite against pgbench's bare INSERT"),
    ];
    let mut all: Vec<Verdict> = goals
        .into_iter()
        .filter_map(|(id, who, against, goal, what)| {
            let ratio = results.ratio(point(who), against)?;
            Some(at_least(id, format!("`conversacion`, {PROMISED} connections, {what}"), goal, ratio))
        })
        .collect();
    for who in [Who::AxumSqlx, Who::FastApi] {
        let ratio = results.ratio(point(Who::Postgres), point(who));
        let what = format!("`conversacion`, {PROMISED} connections, PostgreSQL against {}", who.name());
        all.extend(ratio.map(|ratio| shown(at_least("S1", what, 0.0, ratio))));
    }
    for who in [Who::Postgres, Who::Sqlite] {
        let Some(samples) = results.samples.get(&point(who)) else { continue };
        let spread = median(samples.iter().map(|s| s.p99.as_secs_f64() / s.p50.as_secs_f64()));
        all.push(Verdict {
            id: "S2",
            what: format!("`conversacion`, {PROMISED} connections, {}: p99 against p50", who.name()),
            goal: "≤ 3 ×".to_owned(),
            measured: format!("{spread:.2} ×"),
            met: Some(spread <= 3.0),
        });
    }
    all
}

fn other_endpoints(results: &Results) -> Vec<Verdict> {
    let mut all = Vec::new();
    for who in [Who::Postgres, Who::Sqlite] {
        let point = |kind| Point::new(Section::S3, who, kind, PROMISED);
        for kind in SMALL.into_iter().filter(|kind| *kind != Kind::Conversacion) {
            let ratio = results.ratio(point(kind), point(Kind::Conversacion));
            let what = format!("`{}` against `conversacion`, {}", kind.name(), who.name());
            all.extend(ratio.map(|ratio| at_least("S3", what, 0.75, ratio)));
        }
    }
    all
}

fn photo(results: &Results) -> Vec<Verdict> {
    let (kind, conns) = photos::PROMISED;
    let point = |who| Point::new(Section::S4, who, kind, conns);
    let servers = [Who::SqliteShm, Who::PostgresShm, Who::Sqlite, Who::Postgres];
    servers
        .into_iter()
        .filter_map(|who| {
            let ratio = results.ratio(point(who), point(Who::Drain))?;
            let on_disk = matches!(who, Who::Sqlite | Who::Postgres);
            let place = if on_disk { ", photos on the disk with fsync" } else { "" };
            let what = format!("5 MB photo against draining, {conns} connections, {}{place}", who.name());
            Some(at_least("S4", what, if on_disk { 0.35 } else { 0.5 }, ratio))
        })
        .collect()
}

/// How much more memory many uploads at once may need than a server at rest has.
const UPLOADS_MB: f64 = 150.0;

fn memory_verdicts(memory: &Memory) -> [Verdict; 2] {
    let mb = |bytes: u64| bytes as f64 / 1e6;
    let above = mb(memory.peak.saturating_sub(memory.idle));
    [
        Verdict {
            id: "S6",
            what: format!("memory at rest, {}", memory.who.name()),
            goal: "≤ 40 MB".to_owned(),
            measured: format!("{:.1} MB", mb(memory.idle)),
            met: Some(mb(memory.idle) <= 40.0),
        },
        Verdict {
            id: "S6",
            what: format!("{} uploads of 5 MB at once above rest, {}", memory::UPLOADS, memory.who.name()),
            goal: format!("≤ {UPLOADS_MB} MB, none lost"),
            measured: format!("{above:.0} MB, {} lost, {:.1} s", memory.lost, memory.took.as_secs_f64()),
            met: Some(above <= UPLOADS_MB && memory.lost == 0),
        },
    ]
}

fn after_work_verdict(after: &AfterWork) -> Verdict {
    let (rest, peak) = (after.rest as f64 / 1e6, after.peak as f64 / 1e6);
    let AfterWork { photos, quotes, .. } = *after;
    Verdict {
        id: "S6",
        what: format!(
            "memory a minute after {quotes} quotes and {photos} photos (promise: 500 and 10,000), {}",
            after.who.name()
        ),
        goal: "≤ 70 MB".to_owned(),
        measured: format!("{rest:.1} MB (peak {peak:.0} MB)"),
        met: Some(rest <= 70.0),
    }
}

fn start_verdict(starts: &Starts) -> Verdict {
    Verdict {
        id: "S8",
        what: format!("start to ready on existing data, median of {}, {}", starts::STARTS, starts.who.name()),
        goal: "≤ 50 ms".to_owned(),
        measured: format!("{} (slowest {})", millis(starts.median), millis(starts.slowest)),
        met: Some(starts.median.as_millis() <= 50),
    }
}

fn process_verdicts(results: &Results) -> Vec<Verdict> {
    let point = |who| Point::new(Section::S9, who, Kind::Conversacion, processes::CONNS);
    [Who::PostgresTwo, Who::PostgresThree]
        .into_iter()
        .filter_map(|who| {
            let ratio = results.ratio(point(who), point(Who::Postgres))?;
            let what =
                format!("`conversacion`, {} connections, {}, against one", processes::CONNS, who.name());
            Some(shown(at_least("S9", what, 0.0, ratio)))
        })
        .collect()
}

fn signal_verdicts(results: &Results) -> Vec<Verdict> {
    let mut all = Vec::new();
    for conns in signals::CONNS {
        let point = |who| Point::new(Section::Signals, who, Kind::PerfilComplete, conns);
        let pairs = [
            (Who::Postgres, Who::PgBoss, "pg-boss on the same PostgreSQL"),
            (Who::Sqlite, Who::PgBoss, "pg-boss on PostgreSQL"),
            (Who::Postgres, Who::Bare, "a bare client loop, which keeps nothing"),
            (Who::Sqlite, Who::Bare, "a bare client loop, which keeps nothing"),
        ];
        for (who, against, words) in pairs {
            let Some(ratio) = results.ratio(point(who), point(against)) else { continue };
            let what = format!("signals delivered, {conns} connections, {}, against {words}", who.name());
            let verdict = at_least("S10", what, 5.0, ratio);
            all.push(if against == Who::PgBoss { verdict } else { shown(verdict) });
        }
    }
    for (hung, quiet) in signals::HUNG_AND_QUIET {
        let point = |who| Point::new(Section::Signals, who, Kind::Conversacion, PROMISED);
        all.extend(results.p99_ratio(point(hung), point(quiet)).map(|ratio| Verdict {
            id: "S10",
            what: format!("p99 of `conversacion` against that without signals, {}", hung.name()),
            goal: "≤ 1.5 ×".to_owned(),
            measured: if ratio.is_nan() { "calls failed".to_owned() } else { format!("{ratio:.2} ×") },
            met: Some(ratio <= 1.5),
        }));
    }
    all
}
