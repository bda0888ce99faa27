//! What is measured: a part of the run, a call, how many connections, and who answers.

use crate::workload::Kind;

/// A part of the run. Each holds all that its ratios need, so that it can be run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Section {
    /// conversacion against pgbench and other services (S1 and S2).
    S1,
    /// The same as s1, which measures both engines side by side.
    S2,
    /// The other endpoints against conversacion (S3).
    S3,
    /// Every endpoint at 1, 16 and 256 connections.
    Matrix,
    /// Photos against draining (S4).
    S4,
    /// The quote's PDF; `bench/pdf` measures it.
    S5,
    /// Memory (S6).
    S6,
    /// What a call costs with few rows and with many; `bench/inbox/run` measures it, and S12.
    S7,
    /// Start to ready (S8).
    S8,
    /// One, two and three processes on one PostgreSQL.
    S9,
    /// The panel's pages; `bench/inbox/run` measures it, and S7.
    S12,
    /// Signals against pg-boss and a bare HTTP client (S10), and with a receiver that hangs.
    #[value(name = "senales", alias = "s10")]
    Signals,
}

/// Who answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    Pgbench,
    AxumSqlx,
    Fastify,
    FastApi,
    Postgres,
    Sqlite,
    Drain,
    PostgresShm,
    SqliteShm,
    Bare,
    PgBoss,
    PostgresTwo,
    PostgresThree,
    PostgresHung,
    SqliteHung,
}

impl Who {
    pub fn name(self) -> &'static str {
        match self {
            Who::Pgbench => "pgbench",
            Who::AxumSqlx => "axum + sqlx",
            Who::FastApi => "FastAPI + asyncpg",
            Who::Fastify => "Fastify + zod + pg",
            Who::Postgres => "embudo, PostgreSQL",
            Who::Sqlite => "embudo, SQLite",
            Who::Drain => "drain only",
            Who::PostgresShm => "embudo, PostgreSQL, photos on tmpfs",
            Who::SqliteShm => "embudo, SQLite, all on tmpfs",
            Who::Bare => "bare HTTP client",
            Who::PgBoss => "pg-boss",
            Who::PostgresTwo => "embudo, PostgreSQL, 2 processes",
            Who::PostgresThree => "embudo, PostgreSQL, 3 processes",
            Who::PostgresHung => "embudo, PostgreSQL, receiver hangs",
            Who::SqliteHung => "embudo, SQLite, receiver hangs",
        }
    }
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    pub section: Section,
    pub kind: Kind,
    pub conns: usize,
    pub who: Who,
}

impl Point {
    pub fn new(section: Section, who: Who, kind: Kind, conns: usize) -> Self {
        Self { section, kind, conns, who }
    }
}
