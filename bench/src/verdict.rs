//! The promises S1–S4, S6, S8 and those about signals, each with its goal, what was measured, and whether it is met.
//! Pure: looks only at the results.

use crate::point::{Point, Section, Who};
use crate::results::{Memory, Results, Starts};
use crate::stats::{median, millis};
use crate::throughput::{PGBENCH_CLIENTS, PROMISED, SMALL};
use crate::workload::Kind;
use crate::{memory, photos, signals, starts};

/// One line of the table of promises.
pub struct Verdict {
    pub id: &'static str,
    pub what: String,
    pub goal: String,
    pub measured: String,
    /// `None` where the figure is shown without a goal.
    pub met: Option<bool>,
}

/// The verdicts of all that was measured in this run; what was left out has none.
pub fn verdicts(results: &Results) -> Vec<Verdict> {
    let mut all = Vec::new();
    all.extend(conversacion(results));
    all.extend(other_endpoints(results));
    all.extend(photo(results));
    all.extend(results.memory.iter().flat_map(memory_verdicts));
    all.extend(results.starts.iter().map(start_verdict));
    all.extend(signal_verdicts(results));
    all
}

fn at_least(id: &'static str, what: String, goal: f64, ratio: f64) -> Verdict {
    let measured = if ratio.is_nan() { "calls failed".to_owned() } else { format!("{ratio:.2} ×") };
    Verdict { id, what, goal: format!("≥ {goal} ×"), measured, met: Some(ratio >= goal) }
}

fn conversacion(results: &Results) -> Vec<Verdict> {
    let point = |who| Point::new(Section::S1, who, Kind::Conversacion, PROMISED);
    let pgbench = Point { conns: PGBENCH_CLIENTS, ..point(Who::Pgbench) };
    let goals = [
        ("S1", Who::Postgres, pgbench, 1.5, "PostgreSQL against pgbench's bare INSERT"),
        ("S1", Who::Postgres, point(Who::Fastify), 5.0, "PostgreSQL against Fastify + zod + pg"),
        ("S2", Who::Sqlite, pgbench, 2.0, "SQLite against pgbench's bare INSERT"),
    ];
    let mut all: Vec<Verdict> = goals
        .into_iter()
        .filter_map(|(id, who, against, goal, what)| {
            let ratio = results.ratio(point(who), against)?;
            Some(at_least(id, format!("`conversacion`, {PROMISED} connections, {what}"), goal, ratio))
        })
        .collect();
    if let Some(samples) = results.samples.get(&point(Who::Sqlite)) {
        let spread = median(samples.iter().map(|s| s.p99.as_secs_f64() / s.p50.as_secs_f64()));
        all.push(Verdict {
            id: "S2",
            what: format!("`conversacion`, {PROMISED} connections, SQLite: p99 against p50"),
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
            let verdict = at_least("S4", what, 0.5, ratio);
            // The promise sets a goal for the processor's part; with the disk it is the second figure, shown as it is.
            Some(if on_disk { Verdict { met: None, goal: "shown".to_owned(), ..verdict } } else { verdict })
        })
        .collect()
}

fn memory_verdicts(memory: &Memory) -> [Verdict; 2] {
    let mb = |bytes: u64| bytes as f64 / 1e6;
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
            what: format!("peak with {} uploads of 5 MB at once, {}", memory::UPLOADS, memory.who.name()),
            goal: "≤ 512 MB, none lost".to_owned(),
            measured: format!(
                "{:.0} MB, {} lost, {:.1} s",
                mb(memory.peak),
                memory.lost,
                memory.took.as_secs_f64()
            ),
            met: Some(mb(memory.peak) <= 512.0 && memory.lost == 0),
        },
    ]
}

fn start_verdict(starts: &Starts) -> Verdict {
    Verdict {
        id: "S8",
        what: format!("start to ready on existing data, median of {}, {}", starts::STARTS, starts.who.name()),
        goal: "≤ 150 ms".to_owned(),
        measured: format!("{} (slowest {})", millis(starts.median), millis(starts.slowest)),
        met: Some(starts.median.as_millis() <= 150),
    }
}

fn signal_verdicts(results: &Results) -> Vec<Verdict> {
    let mut all = Vec::new();
    for who in [Who::Postgres, Who::Sqlite] {
        for conns in signals::CONNS {
            let point = |who| Point::new(Section::Signals, who, Kind::PerfilComplete, conns);
            let ratio = results.ratio(point(who), point(Who::Bare));
            let what =
                format!("signals delivered against a bare client loop, {conns} connections, {}", who.name());
            all.extend(ratio.map(|ratio| at_least("senales", what, 0.5, ratio)));
        }
    }
    for (hung, quiet) in signals::HUNG_AND_QUIET {
        let point = |who| Point::new(Section::Signals, who, Kind::Conversacion, PROMISED);
        all.extend(results.p99_ratio(point(hung), point(quiet)).map(|ratio| Verdict {
            id: "senales",
            what: format!("p99 of `conversacion` against that without signals, {}", hung.name()),
            goal: "≤ 1.5 ×".to_owned(),
            measured: if ratio.is_nan() { "calls failed".to_owned() } else { format!("{ratio:.2} ×") },
            met: Some(ratio <= 1.5),
        }));
    }
    all
}
