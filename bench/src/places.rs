//! Where programs and data are.

use std::path::PathBuf;

/// Where programs and temporary data are, shared by the subcommands that start servers.
#[derive(clap::Args, Clone)]
pub struct Places {
    /// The server to measure.
    #[arg(long, default_value = "target/release/embudo")]
    pub embudo: PathBuf,
    /// Empty folder for databases, blobs and logs; on the disk that is to be measured, not on tmpfs.
    #[arg(long)]
    pub work: PathBuf,
    /// PostgreSQL to use, without a database name: postgres://postgres@127.0.0.1:5433
    #[arg(long)]
    pub pg: String,
    /// Process id of that PostgreSQL, to account for its processor time.
    #[arg(long, default_value_t = 0)]
    pub pg_pid: u32,
}
