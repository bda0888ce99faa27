//! How a database is opened.

use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Options {
    /// How long a write waits for another process (the command line beside the server).
    pub busy_timeout: Duration,
    /// How many reads run at once.
    pub readers: usize,
    /// The size at which the write-ahead log is started over; it stays near it under any load.
    pub wal_limit_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { busy_timeout: Duration::from_secs(10), readers: 4, wal_limit_bytes: 32 << 20 }
    }
}
