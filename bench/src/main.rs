//! The performance harness: a small load generator, the order of the measurements and the report.
//!
//! `bench/run` builds everything, starts a throwaway PostgreSQL and then calls the `run` subcommand of this program.
//! It must not depend on any crate of the server: it knows only what a client knows, so that it measures what a
//! client sees.
#![allow(clippy::print_stdout, reason = "a command-line tool talks to its user")]

mod after_work;
mod bare;
mod bench;
mod client;
mod drain;
mod failure;
mod http;
mod load;
mod machine;
mod memory;
mod peers;
mod photos;
mod places;
mod point;
mod postgres;
mod process;
mod processes;
mod profile;
mod receiver;
mod report;
mod results;
mod run;
mod server;
mod signals;
mod starts;
mod stats;
mod throughput;
mod verdict;
mod workload;

use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Result;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(about = "Performance harness of Embudo", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the measurements and write the report (`bench/run` calls this).
    Run(run::RunArgs),
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
        Command::Run(args) => run::run(args),
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
        others: Vec::new(),
    };
    let sample = load::measure(&target, &plan, &[])?;
    println!("{:<20} {:>4} conns  {}", args.workload.name(), args.conns, sample.line());
    Ok(sample.errors == 0)
}
