//! The performance harness: a small load generator, the order of the measurements and the report.
//!
//! `bench/run` builds everything, starts a throwaway PostgreSQL and then calls the `run` subcommand of this program.
//! It must not depend on any crate of the server: it knows only what a client knows, so that it measures what a
//! client sees.
#![allow(clippy::print_stdout, reason = "a command-line tool talks to its user")]

mod bare;
mod client;
mod drain;
mod http;
mod load;
mod machine;
mod memory;
mod photos;
mod postgres;
mod process;
mod profile;
mod receiver;
mod report;
mod senales;
mod server;
mod session;
mod starts;
mod stats;
mod throughput;
mod verdict;
mod workload;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What goes wrong in a harness is told to a person and ends the run, so a text is all it needs.
pub type Result<T, E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;

#[derive(Parser)]
#[command(about = "Performance harness of Embudo", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the measurements and write the report (`bench/run` calls this).
    Run(session::RunArgs),
    /// Load a server that is already running and print one line.
    Load(LoadArgs),
    /// Serve a handler that only drains the body: the upper bound for the photo figures.
    Drain {
        /// Address to listen on.
        #[arg(long, default_value = "127.0.0.1:8091")]
        bind: SocketAddr,
    },
    /// Receive signals: count them by their `webhook-id` and answer 200 at once, or never.
    Receive {
        /// Address to listen on.
        #[arg(long, default_value = "127.0.0.1:8092")]
        bind: SocketAddr,
        /// Take every signal and never answer it.
        #[arg(long)]
        hang: bool,
    },
    /// Start Embudo under load and print where the time goes, with perf (`bench/profile` calls this).
    Profile(profile::ProfileArgs),
}

#[derive(clap::Args)]
struct LoadArgs {
    /// Address of the server, for example 127.0.0.1:8080.
    #[arg(long)]
    addr: SocketAddr,
    /// Value of FUNNEL_API_KEY.
    #[arg(long, env = "FUNNEL_API_KEY", hide_env_values = true)]
    key: String,
    /// What to call: conversacion, conversacion-estado, perfil, calificacion, intento, ingesta,
    /// perfil-completo, foto-1mb, foto-5mb.
    #[arg(long, default_value = "conversacion")]
    workload: workload::Kind,
    /// Connections, each with one call under way at any time.
    #[arg(long, default_value_t = 64)]
    conns: usize,
    /// Measured seconds, after one second of warm-up.
    #[arg(long, default_value_t = 5.0)]
    secs: f64,
    /// Leads to create and choose from.
    #[arg(long, default_value_t = 2000)]
    leads: usize,
    /// Threads of the client; one is enough for small bodies.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(args) => session::run(args),
        Command::Load(args) => load_once(&args),
        Command::Drain { bind } => drain::serve(bind).map(|()| true),
        Command::Receive { bind, hang } => {
            let manners = if hang { receiver::Manners::Hangs } else { receiver::Manners::Answers };
            receiver::serve(bind, manners).map(|()| true)
        }
        Command::Profile(args) => profile::run(args),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn load_once(args: &LoadArgs) -> Result<bool> {
    let target = client::Target { addr: args.addr, key: args.key.clone() };
    let leads = load::create_leads(&target, args.leads)?;
    let plan = load::Plan {
        work: workload::Work::new(args.workload, &target, &leads),
        conns: args.conns,
        threads: args.threads,
        warmup: std::time::Duration::from_secs(1),
        measured: std::time::Duration::from_secs_f64(args.secs),
        max_requests: u64::MAX,
    };
    let sample = load::measure(&target, &plan, &[])?;
    println!("{:<20} {:>4} conns  {}", args.workload.name(), args.conns, sample.line());
    Ok(sample.errors == 0)
}

/// Where programs and temporary data are, shared by the subcommands that start servers.
#[derive(clap::Args, Clone)]
pub struct Places {
    /// The server to measure.
    #[arg(long, default_value = "target/release/embudo")]
    pub embudo: PathBuf,
    /// Empty folder for databases, blobs and logs; on the disk that is to be measured, not on tmpfs.
    #[arg(long)]
    pub work: PathBuf,
    /// PostgreSQL to use, without a database name: postgres://postgres@127.0.0.1:5433
    #[arg(long)]
    pub pg: String,
    /// Process id of that PostgreSQL, to account for its processor time.
    #[arg(long, default_value_t = 0)]
    pub pg_pid: u32,
}
