//! How a database is opened.

use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Options {
    /// How long a write waits for another process (a command on the command line while the server runs).
    pub busy_timeout: Duration,
    /// How many reads run at once.
    pub readers: usize,
    /// The size at which the write-ahead log is restarted; under any load it stays near this size.
    pub wal_limit_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { busy_timeout: Duration::from_secs(10), readers: 4, wal_limit_bytes: 32 << 20 }
    }
}
