//! The figures of the server: how long, how many, how much.
//!
//! Only data. Every duration is a field so that tests run in milliseconds; nothing here decides.

use std::time::Duration;

/// How long a connection may take for each step, and how many there may be.
#[derive(Debug, Clone)]
pub struct Limits {
    /// From accepting the connection to the end of its first request's head.
    pub first_head: Duration,
    /// From the first byte of a later request's head to its last, on HTTP/1.
    pub head: Duration,
    /// Between requests, and for an answer that stands still because its producer brings nothing.
    pub idle: Duration,
    /// For an answer, or a piece of one, that the client does not take. A slow line takes a third of the system's own
    /// buffer at a time, which is why it is this long.
    pub stalled: Duration,
    /// Connections open at once. For the next one, the one that has been idle longest is closed; while none is, it
    /// waits.
    pub connections: usize,
    /// How long a connection must have been idle to be closed for a newcomer.
    pub eviction: Duration,
    /// Time for the requests in hand after a stop; whatever is open then is cut.
    pub drain: Duration,
    /// After a stop, how long a quiet connection may still bring a request. It would otherwise be
    /// closed under a request that is already on its way.
    pub grace: Duration,
    /// How long the rest of a refused body is swallowed, so that the client sees the answer.
    pub rest_time: Duration,
    /// How many bytes of a refused body are swallowed at most.
    pub rest_bytes: u64,
    /// Requests at once on one HTTP/2 connection.
    pub h2_streams: u32,
    /// Requests at once beyond the first of each connection, on all HTTP/2 connections together; one address may have
    /// half.
    pub total_streams: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            first_head: Duration::from_secs(10),
            head: Duration::from_secs(10),
            idle: Duration::from_secs(75),
            stalled: Duration::from_secs(60),
            connections: 8192,
            eviction: Duration::from_secs(1),
            drain: Duration::from_secs(30),
            grace: Duration::from_millis(500),
            rest_time: Duration::from_secs(2),
            rest_bytes: 256 * 1024 * 1024,
            h2_streams: 64,
            total_streams: 1024,
        }
    }
}
