//! Everything between the socket and a handler.
//!
//! It accepts connections, bounds what a slow, greedy or guessing client can take, reads bodies within a byte budget,
//! checks keys, finds out who is calling, and writes one line per request. It does not know the business: no domain
//! types, no rows, no wording of errors. Refusals leave it as plain enums; the API words them as problem documents, the
//! pages as pages.

mod access_log;
mod api_keys;
mod blob_body;
mod body_budget;
mod callers;
mod client_address;
mod compression;
mod connection;
mod guard;
mod incoming;
mod key_limits;
mod limits;

mod outgoing;
mod pool;
mod rate_limit;
mod request_body;
mod request_metrics;
mod serve;
mod service;
mod shared;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use access_log::{AccessLog, RequestId};
pub use api_keys::{ApiKeys, EmptyKey, WhichKey, presented_key};
pub use blob_body::{blob, blob_between};
pub use body_budget::{BodyBudget, BodyPermit, BodySettings};
pub use callers::Callers;
pub use client_address::{Peer, parse_trusted_proxies, subscriber};
pub use compression::{accepts_gzip, compress, pack_well};
pub use key_limits::KeyLimit;
pub use limits::Limits;
pub use rate_limit::{Limited, RateLimit};
pub use request_body::{
    BodyRefusal, EARNEST_BYTES, Intake, ReadBody, Room, Whole, read_body, read_body_into,
};
pub use serve::{ServeError, serve};
