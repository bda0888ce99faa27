//! S8: from starting the process to its first 200 on `/readyz`, on a database that holds data.

use std::fs;
use std::time::Duration;

use crate::bench::Bench;
use crate::failure::Result;
use crate::load::{self, Plan, create_leads};
use crate::point::Who;
use crate::results::Starts;
use crate::server::Engine;
use crate::stats::{median, millis};
use crate::workload::{Kind, Work};

/// Starts that are measured.
pub const STARTS: usize = 10;

pub fn on_existing_data(bench: &mut Bench) -> Result<()> {
    let data = bench.work.join("starts");
    for who in [Who::Sqlite, Who::Postgres] {
        let engine = match who {
            Who::Postgres => Engine::Postgres { url: bench.postgres.create_database("starts")? },
            _ => Engine::Sqlite,
        };
        let server = bench.starter.embudo(&engine, &data)?;
        let target = server.target();
        let leads = create_leads(&target, bench.leads)?;
        let plan = Plan {
            work: Work::new(Kind::Conversacion, &target, &leads),
            conns: 64,
            threads: 1,
            warmup: Duration::ZERO,
            measured: Duration::from_secs(3),
            max_requests: u64::MAX,
            others: Vec::new(),
        };
        load::measure(&target, &plan, &[])?;
        server.stop()?;
        let mut times = Vec::new();
        for _ in 0..STARTS {
            let server = bench.starter.embudo(&engine, &data)?;
            times.push(server.start_time);
            server.stop()?;
        }
        let middle = Duration::from_secs_f64(median(times.iter().map(Duration::as_secs_f64)));
        let slowest = times.into_iter().max().unwrap_or_default();
        println!("S8: {:<20} median {} slowest {}", who.name(), millis(middle), millis(slowest));
        bench.results.starts.push(Starts { who, median: middle, slowest });
        fs::remove_dir_all(&data)?;
        bench.postgres.drop_database("starts")?;
    }
    Ok(())
}
