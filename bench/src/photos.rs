//! S4: `ingesta` with one photo, against a handler that only drains the body.
//!
//! Every window has a server and a data folder of its own, deleted afterwards: photos come at a gigabyte a second.
//! Each is measured with the photos on the disk (fsync included) and on tmpfs, which shows what the processor pays.

use std::fs;

use crate::bench::Bench;
use crate::failure::Result;
use crate::load::create_leads;
use crate::point::{Point, Section, Who};
use crate::server::Engine;
use crate::workload::Kind;

/// The photo size and the number of connections that the promise is about.
pub const PROMISED: (Kind, usize) = (Kind::Foto5Mb, 4);
pub const CONNS: [usize; 3] = [1, 4, 16];
pub const KINDS: [Kind; 2] = [Kind::Foto1Mb, Kind::Foto5Mb];
/// `Drain` comes first: the report shows the other servers as ratios to it.
pub const SERVERS: [Who; 5] = [Who::Drain, Who::SqliteShm, Who::PostgresShm, Who::Sqlite, Who::Postgres];

pub fn against_draining(bench: &mut Bench) -> Result<()> {
    for round in 1..=bench.rounds {
        println!("S4: round {round} of {}", bench.rounds);
        for kind in KINDS {
            for conns in CONNS {
                // The promised point is measured in every round, its neighbours once.
                if round == 1 || (kind, conns) == PROMISED {
                    for who in SERVERS {
                        measure(bench, Point::new(Section::S4, who, kind, conns))?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn measure(bench: &mut Bench, point: Point) -> Result<()> {
    let data = match point.who {
        Who::SqliteShm | Who::PostgresShm => bench.shm.join("photos"),
        _ => bench.work.join("photos"),
    };
    let server = match point.who {
        Who::Drain => bench.starter.drain()?,
        Who::Postgres | Who::PostgresShm => {
            let url = bench.postgres.create_database("photos")?;
            bench.starter.embudo(&Engine::Postgres { url }, &data)?
        }
        _ => bench.starter.embudo(&Engine::Sqlite, &data)?,
    };
    let leads = create_leads(&server.target(), bench.leads)?;
    bench.postgres.checkpoint()?;
    let measured = bench.window(point, &server, &leads);
    server.stop()?;
    if data.exists() {
        fs::remove_dir_all(&data)?;
    }
    bench.postgres.drop_database("photos")?;
    measured
}
