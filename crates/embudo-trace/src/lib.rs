//! Spans for OpenTelemetry: the parent of each span (`traceparent`), a bounded queue, and OTLP's JSON.
//!
//! Nothing is traced until the binary takes the spans ([`switch_on`]); before that, opening a span reads one atomic. A
//! finished span that finds the queue full is dropped and counted, so that no work waits for a collector. Spans carry
//! route patterns, kinds, statuses and outcomes, never a path, a query, an address, the id of a lead or texts of
//! people. This crate sends nothing itself.

mod context;
mod open;
mod otlp;
mod queue;
mod span;

pub use context::{SpanContext, TRACEPARENT, current, entered, spawn, within};
pub use open::OpenSpan;
pub use otlp::body;
pub use queue::{Outgoing, close, switch_on};
pub use span::{Side, Span, Value};
