//! The small calls: `conversacion` against pgbench and other services (S1, S2), the other endpoints against
//! `conversacion` (S3), and everything at other numbers of connections.
//!
//! Every round begins with empty databases, so that a later round does not pay for the rows of an earlier one.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::bench::Bench;
use crate::failure::Result;
use crate::load::{self, Plan, create_leads};
use crate::point::{Point, Section, Who};
use crate::postgres::{Pgbench, Postgres};
use crate::server::{Engine, Server};
use crate::workload::{Kind, LeadId, Work};

/// The connections at which promises are measured.
pub const PROMISED: usize = 64;
/// The clients of pgbench when a promise is measured.
pub const PGBENCH_CLIENTS: usize = 16;
/// pgbench once more with more clients, to show whether more clients change its figure.
pub const PGBENCH_MORE: usize = 32;
/// The peers, cheapest call first.
pub const PEERS: [Who; 3] = [Who::AxumSqlx, Who::Fastify, Who::FastApi];
/// The five endpoints with small bodies.
pub const SMALL: [Kind; 5] =
    [Kind::Conversacion, Kind::Perfil, Kind::Calificacion, Kind::Intento, Kind::Ingesta];

struct Member {
    who: Who,
    server: Server,
    leads: Arc<Vec<LeadId>>,
}

/// All servers of one round, alive at the same time; those that are not measured are idle.
struct Fleet {
    members: Vec<Member>,
    pgbench: Pgbench,
    postgres: Postgres,
    data: PathBuf,
}

impl Fleet {
    fn start(bench: &Bench, peers: &[Who]) -> Result<Self> {
        let data = bench.work.join("fleet");
        let mut members = Vec::new();
        for &who in peers {
            let server = match who {
                Who::AxumSqlx => bench.starter.axum_sqlx(&bench.postgres.create_database("axum_sqlx")?)?,
                Who::FastApi => bench.starter.fastapi(&bench.postgres.create_database("fastapi")?)?,
                Who::Fastify => bench.starter.fastify(&bench.postgres.create_database("fastify")?)?,
                Who::Postgres => {
                    let url = bench.postgres.create_database("embudo")?;
                    bench.starter.embudo(&Engine::Postgres { url }, &data.join("postgres"))?
                }
                _ => bench.starter.embudo(&Engine::Sqlite, &data.join("sqlite"))?,
            };
            let leads = create_leads(&server.target(), bench.leads)?;
            if who == Who::Fastify {
                warm_up_compiler(&server, &leads)?;
            }
            members.push(Member { who, server, leads });
        }
        let pgbench = Pgbench::prepare(&bench.postgres, &bench.work)?;
        Ok(Self { members, pgbench, postgres: bench.postgres.clone(), data })
    }

    fn measure(&self, bench: &mut Bench, point: Point) -> Result<()> {
        self.postgres.checkpoint()?;
        if point.who == Who::Pgbench {
            let sample = self.pgbench.measure(point.conns, bench.measured)?;
            bench.note(point, sample);
            return Ok(());
        }
        let member =
            self.members.iter().find(|m| m.who == point.who).ok_or("a server that was not started")?;
        bench.window(point, &member.server, &member.leads)
    }

    fn end(self) -> Result<()> {
        for member in self.members {
            member.server.stop()?;
        }
        for name in ["axum_sqlx", "fastapi", "fastify", "embudo", "yardstick"] {
            self.postgres.drop_database(name)?;
        }
        if self.data.exists() {
            fs::remove_dir_all(&self.data)?;
        }
        Ok(())
    }
}

/// Node compiles its hot code while it runs. The warm-up of a window is too short for that, and a server in Rust, which
/// is compiled already, would have an unfair advantage.
fn warm_up_compiler(server: &Server, leads: &Arc<Vec<LeadId>>) -> Result<()> {
    let target = server.target();
    let plan = Plan {
        work: Work::new(Kind::ConversacionState, &target, leads),
        conns: PROMISED,
        threads: 1,
        warmup: Duration::ZERO,
        measured: Duration::from_secs(3),
        max_requests: u64::MAX,
        others: Vec::new(),
    };
    load::measure(&target, &plan, &[]).map(drop)
}

/// S1 and S2.
pub fn against_peers(bench: &mut Bench) -> Result<()> {
    let point = |who, kind| Point::new(Section::S1, who, kind, PROMISED);
    let mut points = vec![
        Point::new(Section::S1, Who::Pgbench, Kind::Conversacion, PGBENCH_CLIENTS),
        point(Who::Postgres, Kind::Conversacion),
        point(Who::AxumSqlx, Kind::Conversacion),
        point(Who::Fastify, Kind::Conversacion),
        point(Who::FastApi, Kind::Conversacion),
        point(Who::Sqlite, Kind::Conversacion),
        point(Who::Postgres, Kind::ConversacionState),
        point(Who::AxumSqlx, Kind::ConversacionState),
        point(Who::Fastify, Kind::ConversacionState),
        point(Who::Sqlite, Kind::ConversacionState),
        Point::new(Section::S1, Who::Pgbench, Kind::Conversacion, PGBENCH_MORE),
    ];
    for round in 1..=bench.rounds {
        println!("S1, S2: round {round} of {}", bench.rounds);
        let members = [&[Who::Postgres, Who::Sqlite][..], &PEERS[..]].concat();
        let fleet = Fleet::start(bench, &members)?;
        for point in &points {
            fleet.measure(bench, *point)?;
        }
        fleet.end()?;
        // The next round uses another order, so that no server always comes first.
        points.rotate_left(4);
    }
    Ok(())
}

/// S3.
pub fn other_endpoints(bench: &mut Bench) -> Result<()> {
    let mut kinds = SMALL;
    for round in 1..=bench.rounds {
        println!("S3: round {round} of {}", bench.rounds);
        let fleet = Fleet::start(bench, &[Who::Postgres, Who::Sqlite])?;
        for who in [Who::Postgres, Who::Sqlite] {
            for kind in kinds {
                fleet.measure(bench, Point::new(Section::S3, who, kind, PROMISED))?;
            }
        }
        fleet.end()?;
        kinds.rotate_left(2);
    }
    Ok(())
}

/// One round at the numbers of connections that no promise is about.
pub fn matrix(bench: &mut Bench) -> Result<()> {
    for conns in [1, 16, 256] {
        println!("Matrix: {conns} connections");
        let fleet = Fleet::start(bench, &[Who::Postgres, Who::Fastify, Who::Sqlite])?;
        for kind in SMALL {
            for who in [Who::Postgres, Who::Sqlite] {
                fleet.measure(bench, Point::new(Section::Matrix, who, kind, conns))?;
            }
            if kind == Kind::Conversacion {
                fleet.measure(bench, Point::new(Section::Matrix, Who::Fastify, kind, conns))?;
            }
        }
        fleet.end()?;
    }
    Ok(())
}
