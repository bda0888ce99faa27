//! Fills databases with few leads and with many, and measures what a chat turn costs there and what the panel and the
//! API ask of a store: lists, counts, searches (S7, S12).
//!
//! Unlike the rest of the harness it knows the stores, because the rows of years are written here in minutes, past the
//! API.
#![allow(clippy::print_stdout, reason = "a command-line tool talks to its user")]

mod cells;
mod data;
mod growth;
mod measure;
mod postgres;
mod report;
mod sqlite;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use embudo_store::Store;
use embudo_store::touches::Touch;

use crate::data::Size;
use crate::report::Engine;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Any error of this program; its text is shown to a person.
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
    /// Measured seconds of a window of chat turns; each database has three, in turns with the others.
    #[arg(long, default_value_t = 3.0)]
    secs: f64,
    /// Where to write the report.
    #[arg(long)]
    out: Option<PathBuf>,
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
            // The server's own message is in the source of the error.
            let why = error.source().map(|source| format!(": {source}")).unwrap_or_default();
            eprintln!("bench: {error}{why}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: &Cli) -> Result<(), Failure> {
    std::fs::create_dir_all(&cli.dir)?;
    let facts = report::facts();
    let sizes: Vec<Size> = cli.leads.iter().map(|&leads| Size { leads, turns: cli.turns }).collect();
    let mut engines = Vec::new();
    let mut stores = Vec::new();
    for size in &sizes {
        let path = sqlite_file(cli, *size);
        let begun = Instant::now();
        let is_new = sqlite::fill(&path, *size, cli.keep)?;
        let store: Arc<dyn Store> = Arc::new(sqlite::open(&path)?);
        made_ready(&store, is_new, begun, "SQLite", *size).await?;
        stores.push(store);
    }
    engines.push(measured("SQLite", &sizes, stores, cli).await?);
    if !cli.keep {
        sizes.iter().for_each(|size| sqlite::remove(&sqlite_file(cli, *size)));
    }
    if let Some(server) = &cli.pg {
        let mut stores = Vec::new();
        for size in &sizes {
            let begun = Instant::now();
            let (url, is_new) = postgres::fill(server, *size, cli.keep).await?;
            let store: Arc<dyn Store> = Arc::new(postgres::open(&url).await?);
            made_ready(&store, is_new, begun, "PostgreSQL", *size).await?;
            postgres::tidy(&url).await?;
            stores.push(store);
        }
        engines.push(measured("PostgreSQL", &sizes, stores, cli).await?);
        if !cli.keep {
            for size in &sizes {
                postgres::remove(server, *size).await?;
            }
        }
    }
    let text = report::markdown(&facts, &engines, &sizes);
    println!("\n{text}");
    if let Some(path) = &cli.out {
        std::fs::write(path, text)?;
    }
    Ok(())
}

fn sqlite_file(cli: &Cli, size: Size) -> PathBuf {
    cli.dir.join(format!("inbox-{}.db", size.leads))
}

/// Measures the reads of each database by itself, then the writes of all databases in turns.
async fn measured(
    engine: &'static str,
    sizes: &[Size],
    stores: Vec<Arc<dyn Store>>,
    cli: &Cli,
) -> Result<Engine, Failure> {
    let mut columns = Vec::new();
    for (store, size) in stores.iter().zip(sizes) {
        columns.push(measure::all(store, *size, cli.times).await?);
    }
    let turns = growth::turns(&stores, sizes, Duration::from_secs_f64(cli.secs)).await?;
    Ok(Engine { name: engine, columns, turns })
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
