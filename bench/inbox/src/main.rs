//! Fills databases with many leads and measures what the panel's inbox asks of a store: lists, counts, searches.
//!
//! Unlike the rest of the harness it knows the stores, because the rows of years are written here in minutes, past the
//! API.
#![allow(clippy::print_stdout, reason = "a command-line tool talks to its user")]

mod cells;
mod data;
mod measure;
mod postgres;
mod report;
mod sqlite;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Parser;
use embudo_store::Store;
use embudo_store::touches::Touch;

use crate::data::Size;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Whatever went wrong, in words.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Parser)]
#[command(about = "Fills databases with leads and measures the inbox", version)]
struct Cli {
    /// A PostgreSQL server without a database, for example postgres://postgres@127.0.0.1:5432; without it only SQLite
    /// is measured.
    #[arg(long)]
    pg: Option<String>,
    /// Where the SQLite files go.
    #[arg(long, default_value = "target/bench")]
    dir: PathBuf,
    /// Leads of each database; the last is compared with the first.
    #[arg(long, value_delimiter = ',', default_value = "1000,100000")]
    leads: Vec<usize>,
    /// Chat turns of each lead.
    #[arg(long, default_value_t = 20)]
    turns: usize,
    /// How often each thing is asked for.
    #[arg(long, default_value_t = 40)]
    times: usize,
    /// Keep the databases, and use those that are there.
    #[arg(long)]
    keep: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let _ = rustls::crypto::ring::default_provider().install_default();
    match run(&Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // What the server says stands behind.
            let why = error.source().map(|source| format!(": {source}")).unwrap_or_default();
            eprintln!("bench: {error}{why}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: &Cli) -> Result<(), Failure> {
    std::fs::create_dir_all(&cli.dir)?;
    let mut columns = Vec::new();
    for leads in &cli.leads {
        let size = Size { leads: *leads, turns: cli.turns };
        let path = cli.dir.join(format!("inbox-{leads}.db"));
        let begun = Instant::now();
        let is_new = sqlite::fill(&path, size, cli.keep)?;
        let store: Arc<dyn Store> = Arc::new(sqlite::open(&path)?);
        made_ready(&store, is_new, begun, "SQLite", size).await?;
        columns.push((format!("SQLite {leads}"), measure::all(&store, size, cli.times).await?));
        drop(store);
        if !cli.keep {
            sqlite::remove(&path);
        }
    }
    if let Some(server) = &cli.pg {
        for leads in &cli.leads {
            let size = Size { leads: *leads, turns: cli.turns };
            let begun = Instant::now();
            let (url, is_new) = postgres::fill(server, size, cli.keep).await?;
            let store: Arc<dyn Store> = Arc::new(postgres::open(&url).await?);
            made_ready(&store, is_new, begun, "PostgreSQL", size).await?;
            postgres::tidy(&url).await?;
            columns.push((format!("PostgreSQL {leads}"), measure::all(&store, size, cli.times).await?));
            drop(store);
            if !cli.keep {
                postgres::remove(server, size).await?;
            }
        }
    }
    report::print(&columns, cli.leads.len());
    Ok(())
}

/// Projects every lead, as the first start after an update does.
async fn made_ready(
    store: &Arc<dyn Store>,
    is_new: bool,
    begun: Instant,
    engine: &str,
    size: Size,
) -> Result<(), Failure> {
    if !is_new {
        return Ok(());
    }
    let filled = begun.elapsed();
    let projecting = Instant::now();
    let mut after = None;
    loop {
        let leads = store.leads_after(after, 100).await?;
        let Some(last) = leads.last() else { break };
        after = Some(*last);
        store.project(leads.into_iter().map(|lead| (lead, Touch::anew())).collect()).await?;
    }
    println!(
        "{engine}: {} leads with {} turns filled in {:.1} s, projected in {:.1} s",
        size.leads,
        size.leads * size.turns,
        filled.as_secs_f64(),
        projecting.elapsed().as_secs_f64()
    );
    Ok(())
}
