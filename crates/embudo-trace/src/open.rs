//! A span whose work has not ended yet.

use std::time::{Duration, Instant, SystemTime};

use crate::context::{SpanContext, current};
use crate::queue;
use crate::span::{Side, Span};

/// Work that has begun. Its span ends when this is dropped, or earlier by `finish`. Without a collector it is empty.
#[derive(Debug, Default)]
pub struct OpenSpan {
    context: Option<SpanContext>,
    /// The data to be recorded, if the trace is sampled.
    recorded: Option<Box<(Span, Instant)>>,
}

impl OpenSpan {
    /// Begins the span of a request. `traceparent` returns the caller's header, if there is one; it is called only if
    /// spans are taken.
    pub fn of_request<'h>(traceparent: impl FnOnce() -> Option<&'h [u8]>) -> Self {
        let Some(queue) = queue::get() else { return Self::default() };
        let caller = traceparent().and_then(SpanContext::parse);
        Self::begin(caller.map_or_else(|| queue.root(), SpanContext::child), "request", Side::Server)
    }

    /// Begins a span under the current one, or the first span of a new trace.
    pub fn start(name: &'static str, side: Side) -> Self {
        let Some(queue) = queue::get() else { return Self::default() };
        Self::begin(current().map_or_else(|| queue.root(), SpanContext::child), name, side)
    }

    /// Begins the span of a command or query under the current one; `system` names the database. Without a current span
    /// nothing is recorded, because background tasks query the database all the time.
    pub fn of_store(name: &'static str, system: &'static str) -> Self {
        let Some(context) = current() else { return Self::default() };
        let mut span = Self::begin(context.child(), name, Side::Client);
        span.record(|span| span.set("db.system.name", system));
        span
    }

    fn begin(context: SpanContext, name: &'static str, side: Side) -> Self {
        let recorded = context.is_sampled.then(|| {
            let span = Span {
                context,
                name: name.into(),
                side,
                start: SystemTime::now(),
                duration: Duration::ZERO,
                is_error: false,
                attributes: Vec::new(),
            };
            Box::new((span, Instant::now()))
        });
        Self { context: Some(context), recorded }
    }

    /// The context for work under this span.
    pub fn context(&self) -> Option<SpanContext> {
        self.context
    }

    /// Adds data to the span, if it is recorded.
    pub fn record(&mut self, say: impl FnOnce(&mut Span)) {
        if let Some(recorded) = &mut self.recorded {
            say(&mut recorded.0);
        }
    }

    /// Ends the span now. Further calls do nothing.
    pub fn finish(&mut self) {
        let (Some(recorded), Some(queue)) = (self.recorded.take(), queue::get()) else { return };
        let (mut span, clock) = *recorded;
        span.duration = clock.elapsed();
        queue.offer(span);
    }
}

impl Drop for OpenSpan {
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_recorded_until_spans_are_taken() {
        let mut spans = [
            OpenSpan::of_request(|| panic!("nobody asks for the header")),
            OpenSpan::start("work", Side::Internal),
            OpenSpan::of_store("store read", "sqlite"),
        ];
        for span in &mut spans {
            assert_eq!(span.context(), None);
            span.record(|_| panic!("nothing is recorded"));
        }
    }

    #[test]
    fn what_is_not_sampled_is_passed_on_and_not_recorded() {
        let context = SpanContext::root(0.0);
        let mut span = OpenSpan::begin(context, "work", Side::Client);
        assert_eq!(span.context(), Some(context));
        span.record(|_| panic!("nothing is recorded"));
        let mut span = OpenSpan::begin(SpanContext::root(1.0), "work", Side::Client);
        let mut said = false;
        span.record(|_| said = true);
        assert!(said);
    }
}
