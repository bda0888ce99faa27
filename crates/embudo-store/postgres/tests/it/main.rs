//! What only this engine does, against a real server; what both engines do is in the conformance suite.

mod changes;
mod common;
mod conformance;
mod faults;
mod grouped_outbox;
mod groups;
mod keys;
mod opening;
mod outbox;
mod rights;
mod silence;
mod tls;
mod waits;
