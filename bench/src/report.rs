//! The report: Markdown tables from the results. Says nothing that the results do not hold.

use std::fmt::Write;

use crate::bench::Bench;
use crate::point::{Point, Section, Who};
use crate::results::Results;
use crate::stats::{Sample, millis, rate};
use crate::throughput::{PEERS, PGBENCH_CLIENTS, PGBENCH_MORE, PROMISED, SMALL};
use crate::verdict::verdicts;
use crate::workload::Kind;
use crate::{photos, processes, signals};

pub fn markdown(facts: &[(&str, String)], bench: &Bench, beside: &[String]) -> String {
    let results = &bench.results;
    let mut out = String::from("# What was measured\n\n");
    out.push_str("Written by `bench/run`; `bench/README.md` says how to read it. Client, server and PostgreSQL share the ");
    out.push_str("cores of one machine, so the ratios matter, not the absolute figures. ");
    out.push_str(
        "The quote's PDF (S5) is in `RESULTS-pdf.md`, growth and the panel (S7, S12) in `RESULTS-inbox.md`; ",
    );
    out.push_str("their promises are listed here as well.\n\n");
    for (name, value) in facts {
        let _ = writeln!(out, "- {name}: {value}");
    }
    let _ = writeln!(
        out,
        "- windows of {} s after a warm-up, {} rounds for the promises (medians), {} leads",
        bench.measured.as_secs_f64(),
        bench.rounds,
        bench.leads
    );
    promises(&mut out, results, beside);
    peers(&mut out, results);
    endpoints(&mut out, results);
    photo_tables(&mut out, results);
    process_table(&mut out, results);
    signal_tables(&mut out, results);
    failures(&mut out, results);
    out
}

fn promises(out: &mut String, results: &Results, beside: &[String]) {
    let verdicts = verdicts(results);
    if verdicts.is_empty() && beside.is_empty() {
        return;
    }
    out.push_str("\n## Promises\n\n| # | what | goal | measured | |\n|---|---|---|---|---|\n");
    for v in verdicts {
        let met = match v.met {
            Some(true) => "met",
            Some(false) => "**missed**",
            None => "",
        };
        let _ = writeln!(out, "| {} | {} | {} | {} | {met} |", v.id, v.what, v.goal, v.measured);
    }
    for line in beside {
        let _ = writeln!(out, "{line}");
    }
}

const HEAD: &str = "| | | conns | req/s | p50 | p99 | CPU per call: server | PostgreSQL | client | cores busy | ratio |\n\
                    |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";

fn row(out: &mut String, point: Point, sample: &Sample, ratio: Option<f64>) {
    let us = |value: f64| if value > 0.0 { format!("{value:.0} µs") } else { "–".to_owned() };
    let ms = |value: std::time::Duration| if value.is_zero() { "–".to_owned() } else { millis(value) };
    let note = match sample.errors {
        0 if sample.client_bound => " (client-bound)".to_owned(),
        0 => String::new(),
        errors => format!(" **{errors} FAILED**"),
    };
    let _ = writeln!(
        out,
        "| {} | {} | {} | {}{note} | {} | {} | {} | {} | {} | {:.1} | {} |",
        point.kind.name(),
        point.who.name(),
        point.conns,
        rate(sample.rate),
        ms(sample.p50),
        ms(sample.p99),
        us(sample.cpu.server),
        us(sample.cpu.postgres),
        us(sample.cpu.client),
        sample.cores_busy(),
        ratio.filter(|ratio| !ratio.is_nan()).map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}")),
    );
}

fn has(results: &Results, section: Section) -> bool {
    results.samples.keys().any(|point| point.section == section)
}

fn peers(out: &mut String, results: &Results) {
    if !has(results, Section::S1) {
        return;
    }
    let _ = write!(
        out,
        "\n## `conversacion` against its peers\n\nRatio: to pgbench with {PGBENCH_CLIENTS} clients (its p50 is a mean). "
    );
    out.push_str("`conversacion-estado`: every fourth turn also updates the lead.\n\n");
    out.push_str(HEAD);
    let yardstick = Point::new(Section::S1, Who::Pgbench, Kind::Conversacion, PGBENCH_CLIENTS);
    let mut points = vec![yardstick, Point { conns: PGBENCH_MORE, ..yardstick }];
    for kind in [Kind::Conversacion, Kind::ConversacionState] {
        for who in PEERS.into_iter().chain([Who::Postgres, Who::Sqlite]) {
            points.push(Point::new(Section::S1, who, kind, PROMISED));
        }
    }
    for point in points {
        if let Some(sample) = results.middle(point) {
            row(out, point, &sample, results.ratio(point, yardstick));
        }
    }
}

fn endpoints(out: &mut String, results: &Results) {
    if !has(results, Section::S3) && !has(results, Section::Matrix) {
        return;
    }
    out.push_str(
        "\n## Every endpoint\n\nRatio: to `conversacion` of the same server at the same connections.\n\n",
    );
    out.push_str(HEAD);
    for who in [Who::Postgres, Who::Sqlite, Who::Fastify] {
        for kind in SMALL {
            for conns in [1, 16, PROMISED, 256] {
                let section = if conns == PROMISED { Section::S3 } else { Section::Matrix };
                let point = Point::new(section, who, kind, conns);
                if let Some(sample) = results.middle(point) {
                    let base = Point { kind: Kind::Conversacion, ..point };
                    row(out, point, &sample, results.ratio(point, base));
                }
            }
        }
    }
}

fn photo_tables(out: &mut String, results: &Results) {
    if !has(results, Section::S4) {
        return;
    }
    out.push_str(
        "\n## `ingesta` with one photo\n\nRatio: to draining. Every photo differs from all others.\n\n",
    );
    out.push_str(HEAD);
    for kind in photos::KINDS {
        for conns in photos::CONNS {
            for who in photos::SERVERS {
                let point = Point::new(Section::S4, who, kind, conns);
                if let Some(sample) = results.middle(point) {
                    row(out, point, &sample, results.ratio(point, Point { who: Who::Drain, ..point }));
                }
            }
        }
    }
}

fn process_table(out: &mut String, results: &Results) {
    if !has(results, Section::S9) {
        return;
    }
    out.push_str("\n## Processes on one PostgreSQL\n\n`conversacion`, its connections spread over the processes. Ratio: to one ");
    out.push_str("process. Where *cores busy* is near the machine's number for one process, more of them can only share.\n\n");
    out.push_str(HEAD);
    for who in processes::FLEETS {
        let point = Point::new(Section::S9, who, Kind::Conversacion, processes::CONNS);
        if let Some(sample) = results.middle(point) {
            row(out, point, &sample, results.ratio(point, Point { who: Who::Postgres, ..point }));
        }
    }
}

fn signal_tables(out: &mut String, results: &Results) {
    if !has(results, Section::Signals) {
        return;
    }
    out.push_str("\n## Signals\n\nSignals per second as the receiver counted them, each exactly once. Ratio: to pg-boss. ");
    out.push_str("The receiver's own processor time is not in the columns.\n\n");
    out.push_str(HEAD);
    for conns in signals::CONNS {
        for who in [Who::Bare, Who::PgBoss, Who::Postgres, Who::Sqlite] {
            let point = Point::new(Section::Signals, who, Kind::PerfilComplete, conns);
            if let Some(sample) = results.middle(point) {
                row(out, point, &sample, results.ratio(point, Point { who: Who::PgBoss, ..point }));
            }
        }
    }
    let _ = write!(
        out,
        "\n`conversacion` while {} leads fire signals at a receiver that takes them and never answers. ",
        signals::FIRING
    );
    out.push_str("Ratio: of the p99, to that of the same engine without signals.\n\n");
    out.push_str(HEAD);
    for (hung, quiet) in signals::HUNG_AND_QUIET {
        for who in [quiet, hung] {
            let point = Point::new(Section::Signals, who, Kind::Conversacion, PROMISED);
            if let Some(sample) = results.middle(point) {
                row(out, point, &sample, results.p99_ratio(point, Point { who: quiet, ..point }));
            }
        }
    }
}

fn failures(out: &mut String, results: &Results) {
    if results.errors() == 0 {
        return;
    }
    out.push_str(
        "\n## FAILED CALLS\n\nA measurement with a failed call is none; here is the first of each.\n\n",
    );
    for (point, samples) in &results.samples {
        if let Some(first) = samples.iter().find_map(|sample| sample.first_error.as_deref()) {
            let _ = writeln!(
                out,
                "- {}, {}, {} connections: {first}",
                point.kind.name(),
                point.who.name(),
                point.conns
            );
        }
    }
    for memory in results.memory.iter().filter(|memory| memory.lost > 0) {
        let first = memory.first_error.as_deref().unwrap_or_default();
        let _ = writeln!(out, "- {} lost uploads, {}: {first}", memory.lost, memory.who.name());
    }
}
