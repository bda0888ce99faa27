//! The figures of the door: how long, how many, how much.
//!
//! Only data. Every duration is a field so that tests run in milliseconds; nothing here decides.

use std::time::Duration;

/// How long a connection may take for each step, and how many there may be.
#[derive(Debug, Clone)]
pub struct Limites {
    /// From accepting the connection to the end of its first request's head.
    pub primera: Duration,
    /// From the first byte of a later request's head to its last, on HTTP/1.
    pub cabecera: Duration,
    /// Between requests, and for an answer that stands still because its producer brings nothing.
    pub inactividad: Duration,
    /// For an answer, or a piece of one, that the client does not take. A slow line takes a third of the system's own buffer
    /// at a time, which is why it is this long.
    pub estancada: Duration,
    /// Connections open at once. For the next one, the one that has been idle longest is closed; while none is, it waits.
    pub conexiones: usize,
    /// How long a connection must have been idle to be closed for a newcomer.
    pub desalojo: Duration,
    /// Time for the requests in hand after a stop; whatever is open then is cut.
    pub drenaje: Duration,
    /// After a stop, how long a quiet connection may still bring a request. It would otherwise be
    /// closed under a request that is already on its way.
    pub gracia: Duration,
    /// How long the rest of a refused body is swallowed, so that the client sees the answer.
    pub resto_tiempo: Duration,
    /// How many bytes of a refused body are swallowed at most.
    pub resto_bytes: u64,
    /// Requests at once on one HTTP/2 connection.
    pub flujos_h2: u32,
    /// Requests at once beyond the first of each connection, on all HTTP/2 connections together; one address may have half.
    pub flujos_total: u64,
}

impl Default for Limites {
    fn default() -> Self {
        Self {
            primera: Duration::from_secs(10),
            cabecera: Duration::from_secs(10),
            inactividad: Duration::from_secs(75),
            estancada: Duration::from_secs(60),
            conexiones: 8192,
            desalojo: Duration::from_secs(1),
            drenaje: Duration::from_secs(30),
            gracia: Duration::from_millis(500),
            resto_tiempo: Duration::from_secs(2),
            resto_bytes: 256 * 1024 * 1024,
            flujos_h2: 64,
            flujos_total: 1024,
        }
    }
}
