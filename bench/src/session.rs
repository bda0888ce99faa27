//! One run of the harness: which sections, in which order, and what they yielded. The sections themselves measure; this
//! module only holds their common ground.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::client::Target;
use crate::load::{self, Plan};
use crate::postgres::Postgres;
use crate::server::{Server, Starter};
use crate::stats::{Sample, median, middle};
use crate::workload::{Kind, LeadId, Work};
use crate::{Places, Result, machine, memory, photos, report, senales, starts, throughput};

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
    /// Folder of the Fastify peer, with its packages installed.
    #[arg(long, default_value = "bench/peers/fastify")]
    peer: PathBuf,
    /// A folder on tmpfs, for the photo figures without the disk.
    #[arg(long, default_value = "/dev/shm")]
    shm: PathBuf,
    /// Where to write the report.
    #[arg(long)]
    out: PathBuf,
}

/// A part of the run. Each holds all that its ratios need, so that it can be run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Section {
    /// conversacion against pgbench and Fastify (S1 and S2).
    S1,
    /// The same as s1, which measures both engines side by side.
    S2,
    /// The other endpoints against conversacion (S3).
    S3,
    /// Every endpoint at 1, 16 and 256 connections.
    Matrix,
    /// Photos against draining (S4).
    S4,
    /// Memory (S6).
    S6,
    /// Start to ready (S8).
    S8,
    /// Signals against a bare HTTP client, and with a receiver that hangs.
    Senales,
}

/// Who answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    Pgbench,
    Fastify,
    Postgres,
    Sqlite,
    Drain,
    PostgresShm,
    SqliteShm,
    Bare,
    PostgresHung,
    SqliteHung,
}

impl Who {
    pub fn name(self) -> &'static str {
        match self {
            Who::Pgbench => "pgbench",
            Who::Fastify => "Fastify + zod + pg",
            Who::Postgres => "embudo, PostgreSQL",
            Who::Sqlite => "embudo, SQLite",
            Who::Drain => "drain only",
            Who::PostgresShm => "embudo, PostgreSQL, photos on tmpfs",
            Who::SqliteShm => "embudo, SQLite, all on tmpfs",
            Who::Bare => "bare HTTP client",
            Who::PostgresHung => "embudo, PostgreSQL, receiver hangs",
            Who::SqliteHung => "embudo, SQLite, receiver hangs",
        }
    }
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    pub section: Section,
    pub kind: Kind,
    pub conns: usize,
    pub who: Who,
}

impl Point {
    pub fn new(section: Section, who: Who, kind: Kind, conns: usize) -> Self {
        Self { section, kind, conns, who }
    }
}

/// Everything a run has found out.
#[derive(Default)]
pub struct Results {
    pub samples: BTreeMap<Point, Vec<Sample>>,
    pub memory: Vec<memory::Memory>,
    pub starts: Vec<starts::Starts>,
}

impl Results {
    /// The median of the rounds' ratios; windows of one round are neighbours in time, so noise hits both alike. NaN when
    /// a call failed: there is no ratio to be proud of then, and it meets no goal.
    pub fn ratio(&self, a: Point, b: Point) -> Option<f64> {
        let (a, b) = (self.samples.get(&a)?, self.samples.get(&b)?);
        let clean = a.iter().chain(b).all(|sample| sample.errors == 0);
        Some(if clean { median(a.iter().zip(b).map(|(a, b)| a.rate / b.rate)) } else { f64::NAN })
    }

    /// The median of the rounds' ratios of the 99th percentile; NaN when a call failed.
    pub fn p99_ratio(&self, a: Point, b: Point) -> Option<f64> {
        let (a, b) = (self.samples.get(&a)?, self.samples.get(&b)?);
        let clean = a.iter().chain(b).all(|sample| sample.errors == 0);
        let ratio = |(a, b): (&Sample, &Sample)| a.p99.as_secs_f64() / b.p99.as_secs_f64();
        Some(if clean { median(a.iter().zip(b).map(ratio)) } else { f64::NAN })
    }

    pub fn middle(&self, point: Point) -> Option<Sample> {
        self.samples.get(&point).map(|samples| middle(samples))
    }

    pub fn errors(&self) -> u64 {
        let lost: u64 = self.memory.iter().map(|memory| memory.lost as u64).sum();
        lost + self.samples.values().flatten().map(|sample| sample.errors).sum::<u64>()
    }
}

/// The common ground of the sections.
pub struct Bench {
    pub starter: Starter,
    pub postgres: Postgres,
    pub work: PathBuf,
    pub shm: PathBuf,
    pub measured: Duration,
    pub rounds: usize,
    pub leads: usize,
    pub results: Results,
}

impl Bench {
    /// Measures one window against a server, notes and prints it.
    pub fn window(
        &mut self,
        point: Point,
        server: &Server,
        leads: &std::sync::Arc<Vec<LeadId>>,
    ) -> Result<()> {
        let target = server.target();
        let plan = self.plan(point, &target, leads);
        let sample = load::measure(&target, &plan, &[server.pid(), self.postgres.pid])?;
        self.note(point, sample);
        Ok(())
    }

    /// How a window of this point is loaded.
    pub fn plan(&self, point: Point, target: &Target, leads: &std::sync::Arc<Vec<LeadId>>) -> Plan {
        let photo = point.kind.photo_bytes() > 0;
        Plan {
            work: Work::new(point.kind, target, leads),
            conns: point.conns,
            threads: if photo { 2 } else { 1 },
            warmup: if photo { Duration::from_millis(500) } else { Duration::from_secs(1) },
            measured: self.measured,
            max_requests: self.max_requests(point),
        }
    }

    pub fn note(&mut self, point: Point, sample: Sample) {
        println!(
            "  {:<36} {:<20} {:>3} conns {}",
            point.who.name(),
            point.kind.name(),
            point.conns,
            sample.line()
        );
        self.results.samples.entry(point).or_default().push(sample);
    }

    /// Photos may take at most a quarter of what is free, and never more than 16 GB in one window.
    fn max_requests(&self, point: Point) -> u64 {
        let place = match point.who {
            Who::PostgresShm | Who::SqliteShm => &self.shm,
            Who::Drain => return u64::MAX,
            _ => &self.work,
        };
        match point.kind.photo_bytes() {
            0 => u64::MAX,
            size => (machine::free_bytes(place) / 4).min(16_000_000_000) / size,
        }
    }
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
        starter: Starter { embudo: args.places.embudo, peer: args.peer, logs },
        postgres,
        work,
        shm,
        measured: Duration::from_secs_f64(args.secs),
        rounds: args.rounds.max(1),
        leads: args.leads.max(1),
        results: Results::default(),
    };
    let outcome = sections(&mut bench, &args.only);
    std::fs::remove_dir_all(&bench.shm)?;
    // What was measured before a failure is worth keeping; the report then says less, and the run still fails.
    let markdown = report::markdown(&facts, &bench);
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
    }
    if wanted(Section::S8) {
        starts::on_existing_data(bench)?;
    }
    if wanted(Section::Senales) {
        senales::delivery_rate(bench)?;
        senales::hanging_receiver(bench)?;
    }
    Ok(())
}
