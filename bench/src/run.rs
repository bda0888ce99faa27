//! One run of the harness: which parts, in which order, and the report at the end.

use std::path::PathBuf;
use std::time::Duration;

use crate::bench::Bench;
use crate::failure::Result;
use crate::peers::Peers;
use crate::places::Places;
use crate::point::Section;
use crate::postgres::Postgres;
use crate::results::Results;
use crate::server::Starter;
use crate::{after_work, machine, memory, photos, processes, report, signals, starts, throughput};

#[derive(clap::Args)]
pub struct RunArgs {
    #[command(flatten)]
    places: Places,
    /// Only these parts, separated by commas; all without it.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Section>,
    /// Measured seconds of each window.
    #[arg(long, default_value_t = 5.0)]
    secs: f64,
    /// Rounds of the measurements behind a promise; their median counts.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Leads that the calls are spread over.
    #[arg(long, default_value_t = 2000)]
    leads: usize,
    #[command(flatten)]
    peers: Peers,
    /// Photos that are sent before memory is looked at a minute later; the promise is made for 10,000.
    #[arg(long, default_value_t = 10_000)]
    photos: usize,
    /// Quotes that are drawn before memory is looked at a minute later; the promise is made for 500.
    #[arg(long, default_value_t = 500)]
    quotes: usize,
    /// A folder on tmpfs, for the photo figures without the disk.
    #[arg(long, default_value = "/dev/shm")]
    shm: PathBuf,
    /// Reports of `bench/pdf` and `bench/inbox/run`: their promises are listed with ours.
    #[arg(long)]
    beside: Vec<PathBuf>,
    /// Where to write the report.
    #[arg(long)]
    out: PathBuf,
}

/// Runs the sections and writes the report; false when any call failed.
pub fn run(args: RunArgs) -> Result<bool> {
    let postgres = Postgres { url: args.places.pg, pid: args.places.pg_pid };
    let work = std::path::absolute(&args.places.work)?;
    let logs = work.join("logs");
    std::fs::create_dir_all(&logs)?;
    let shm = args.shm.join(format!("embudo-bench-{}", std::process::id()));
    std::fs::create_dir_all(&shm)?;
    let facts = machine::facts(&work, &postgres.version());
    let mut bench = Bench {
        starter: Starter { embudo: args.places.embudo, peers: args.peers, logs },
        postgres,
        work,
        shm,
        measured: Duration::from_secs_f64(args.secs),
        rounds: args.rounds.max(1),
        leads: args.leads.max(1),
        photos: args.photos,
        quotes: args.quotes,
        results: Results::default(),
    };
    let outcome = sections(&mut bench, &args.only);
    std::fs::remove_dir_all(&bench.shm)?;
    // What was measured before a failure is worth keeping; the report then says less, and the run still fails.
    let markdown = report::markdown(&facts, &bench, &beside(&args.beside));
    std::fs::write(&args.out, &markdown)?;
    println!("\n{markdown}\nWritten to {}.", args.out.display());
    outcome?;
    let errors = bench.results.errors();
    if errors > 0 {
        eprintln!(
            "bench: {errors} CALLS FAILED; the figures beside them are not to be trusted. Logs: {}",
            bench.starter.logs.display()
        );
    }
    Ok(errors == 0)
}

/// The promises that other reports measured, as lines of a table. A report that was not written adds none.
fn beside(reports: &[PathBuf]) -> Vec<String> {
    let promises = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let table = text.lines().skip_while(|line| *line != "## Promises").skip(1);
        let lines = table.take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with("| S"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    reports.iter().flat_map(promises).collect()
}

fn sections(bench: &mut Bench, only: &[Section]) -> Result<()> {
    let wanted = |section| only.is_empty() || only.contains(&section);
    if wanted(Section::S1) || wanted(Section::S2) {
        throughput::against_peers(bench)?;
    }
    if wanted(Section::S3) {
        throughput::other_endpoints(bench)?;
    }
    if wanted(Section::Matrix) {
        throughput::matrix(bench)?;
    }
    if wanted(Section::S4) {
        photos::against_draining(bench)?;
    }
    if wanted(Section::S6) {
        memory::under_uploads(bench)?;
        after_work::a_minute_later(bench)?;
    }
    if wanted(Section::S8) {
        starts::on_existing_data(bench)?;
    }
    if wanted(Section::S9) {
        processes::on_one_postgres(bench)?;
    }
    if wanted(Section::Signals) {
        signals::delivery_rate(bench)?;
        signals::hanging_receiver(bench)?;
    }
    Ok(())
}
