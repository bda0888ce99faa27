//! Measures how many chat turns a second this engine takes, with 64 callers at once (promise S2).
//!
//! `cargo run --release -p embudo-store-sqlite --example writing -- [seconds] [callers] [folder]`

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use embudo_domain::LeadId;
use embudo_store::prelude::*;
use embudo_store_conformance::data::{empresa, new_lead, t, turno};
use embudo_store_sqlite::{Options, SqliteStore};

const LEADS: usize = 2_000;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let mut args = std::env::args().skip(1);
    let seconds = args.next().map_or(5, |a| a.parse().expect("seconds"));
    let callers = args.next().map_or(64, |a| a.parse().expect("callers"));
    let folder = args.next().unwrap_or_else(|| ".".into());
    let dir = tempfile::tempdir_in(folder).expect("a folder");
    let path = dir.path().join("embudo.db");
    let store = Arc::new(SqliteStore::open(&path, &Options::default()).expect("opened"));
    store.ensure_default_empresa(empresa("Reformas"), t(0)).await.expect("ensured");
    let mut leads = Vec::new();
    for _ in 0..LEADS {
        let lead = new_lead("Ana");
        leads.push(lead.id);
        store.create_lead(lead).await.expect("created");
    }
    let leads: Arc<[LeadId]> = leads.into();

    let before = store.stats();
    let start = Instant::now();
    let end = start + Duration::from_secs(seconds);
    let tasks: Vec<_> = (0..callers)
        .map(|n| tokio::spawn(append_until(Arc::clone(&store), Arc::clone(&leads), n, end)))
        .collect();
    let mut micros = Vec::new();
    for task in tasks {
        micros.extend(task.await.expect("no panic"));
    }
    let elapsed = start.elapsed().as_secs_f64();
    micros.sort_unstable();
    let after = store.stats();
    let (count, commits) = (micros.len(), after.commits - before.commits);
    let at = |percent: usize| micros[(count - 1) * percent / 100] as f64 / 1e3;
    let wal = std::fs::metadata(path.with_extension("db-wal")).map_or(0, |m| m.len() >> 20);
    writeln!(
        std::io::stdout(),
        "{callers} callers: {:.0} turns/s, {:.1} per commit, p50 {:.2} ms, p99 {:.2} ms, max {:.2} ms, log {wal} MiB",
        count as f64 / elapsed,
        count as f64 / commits as f64,
        at(50),
        at(99),
        at(100),
    )
    .expect("printed");
}

/// Appends turns until `end`; returns how long each took, in microseconds.
async fn append_until(store: Arc<SqliteStore>, leads: Arc<[LeadId]>, n: usize, end: Instant) -> Vec<u32> {
    let mensaje = "Hola, quiero reformar la cocina y el baño. ".repeat(6);
    let mut micros = Vec::new();
    let mut k = n * 7919;
    while Instant::now() < end {
        k += 31;
        let start = Instant::now();
        store.append_turno(turno(leads[k % leads.len()], &mensaje, t(1))).await.expect("appended");
        micros.push(u32::try_from(start.elapsed().as_micros()).unwrap_or(u32::MAX));
    }
    micros
}
