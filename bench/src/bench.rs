//! What the parts of a run share: where to start servers, how to load them, and where results go.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::client::Target;
use crate::failure::Result;
use crate::load::{self, Plan};
use crate::machine;
use crate::point::{Point, Who};
use crate::postgres::Postgres;
use crate::results::Results;
use crate::server::{Server, Starter};
use crate::stats::Sample;
use crate::workload::{LeadId, Work};

/// What all sections of a run share.
pub struct Bench {
    pub starter: Starter,
    pub postgres: Postgres,
    pub work: PathBuf,
    pub shm: PathBuf,
    pub measured: Duration,
    pub rounds: usize,
    pub leads: usize,
    pub photos: usize,
    pub quotes: usize,
    pub results: Results,
}

impl Bench {
    /// Measures one window against a server, notes and prints it.
    pub fn window(&mut self, point: Point, server: &Server, leads: &Arc<Vec<LeadId>>) -> Result<()> {
        let target = server.target();
        let plan = self.plan(point, &target, leads);
        let sample = load::measure(&target, &plan, &[server.pid(), self.postgres.pid])?;
        self.note(point, sample);
        Ok(())
    }

    /// How a window of this point is loaded.
    pub fn plan(&self, point: Point, target: &Target, leads: &Arc<Vec<LeadId>>) -> Plan {
        let photo = point.kind.photo_bytes() > 0;
        Plan {
            work: Work::new(point.kind, target, leads),
            conns: point.conns,
            threads: if photo { 2 } else { 1 },
            warmup: if photo { Duration::from_millis(500) } else { Duration::from_secs(1) },
            measured: self.measured,
            max_requests: self.max_requests(point),
            others: Vec::new(),
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

    /// Photos may take at most a quarter of the free space, and never more than 16 GB in one window.
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
