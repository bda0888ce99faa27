//! S9: one, two and three processes on one PostgreSQL, each with a data folder of its own.

use std::fs;

use crate::bench::Bench;
use crate::failure::Result;
use crate::load::{self, create_leads};
use crate::point::{Point, Section, Who};
use crate::server::{Engine, Server};
use crate::workload::Kind;

/// Connections, spread over the processes.
pub const CONNS: usize = 96;
/// One process, two, three.
pub const FLEETS: [Who; 3] = [Who::Postgres, Who::PostgresTwo, Who::PostgresThree];

pub fn on_one_postgres(bench: &mut Bench) -> Result<()> {
    let mut fleets: Vec<(usize, Who)> = FLEETS.into_iter().enumerate().map(|(i, who)| (i + 1, who)).collect();
    for round in 1..=bench.rounds {
        println!("S9: round {round} of {}", bench.rounds);
        for &(many, who) in &fleets {
            measure(bench, many, Point::new(Section::S9, who, Kind::Conversacion, CONNS))?;
        }
        fleets.rotate_left(1);
    }
    Ok(())
}

fn measure(bench: &mut Bench, many: usize, point: Point) -> Result<()> {
    let data = bench.work.join("processes");
    let engine = Engine::Postgres { url: bench.postgres.create_database("processes")? };
    let servers: Vec<Server> =
        (0..many).map(|i| bench.starter.embudo(&engine, &data.join(i.to_string()))).collect::<Result<_>>()?;
    let target = servers[0].target();
    let leads = create_leads(&target, bench.leads)?;
    bench.postgres.checkpoint()?;
    let others = servers[1..].iter().map(|server| server.target().addr).collect();
    let plan = load::Plan { others, ..bench.plan(point, &target, &leads) };
    let mut pids = vec![servers[0].pid(), bench.postgres.pid];
    pids.extend(servers[1..].iter().map(Server::pid));
    let sample = load::measure(&target, &plan, &pids)?;
    bench.note(point, sample);
    for server in servers {
        server.stop()?;
    }
    fs::remove_dir_all(&data)?;
    bench.postgres.drop_database("processes")
}
