//! The limits of the server: times, counts and sizes.
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
    /// Between requests, and for an answer that pauses because its handler produces no data.
    pub idle: Duration,
    /// For an answer, or a piece of one, that the client does not take. A slow connection takes a third of the system's
    /// own buffer at a time, so this must be long.
    pub stalled: Duration,
    /// The maximum of open connections. For the next one, the connection that has been idle longest is closed; if none
    /// is idle, the new one waits.
    pub connections: usize,
    /// How long a connection must have been idle before it may be closed for a new one.
    pub eviction: Duration,
    /// Time for running requests after a stop; connections that are open afterwards are cut.
    pub drain: Duration,
    /// After a stop, how long an idle connection may still bring a request. Without this time the connection would be
    /// closed while a request may already be on its way.
    pub grace: Duration,
    /// For how long the rest of a refused body is read and discarded, so that the client sees the answer.
    pub rest_time: Duration,
    /// How many bytes of a refused body are discarded at most.
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
