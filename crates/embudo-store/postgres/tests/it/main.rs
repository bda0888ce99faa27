//! What only this engine does, on a real server; what both engines do is in the conformance suite.

mod changes;
mod commits;
mod common;
mod conformance;
mod failover;
mod faults;
mod grouped_outbox;
mod groups;
mod keys;
mod node;
mod opening;
mod outbox;
mod rights;
mod silence;
mod tls;
mod waits;
