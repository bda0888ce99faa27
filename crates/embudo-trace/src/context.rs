//! The position of a span in its trace: W3C's `traceparent`, and the span of the running task.

use std::fmt;
use std::future::Future;

use tokio::task::JoinHandle;
use tokio::task::futures::TaskLocalFuture;
use uuid::Uuid;

/// The header, in and out: <https://www.w3.org/TR/trace-context/>.
pub const TRACEPARENT: &str = "traceparent";

/// The longest header that is read. Version 00 has 55 bytes, and later ones may add to it.
const MAX_HEADER: usize = 256;

tokio::task_local! {
    static CURRENT: Option<SpanContext>;
}

/// The position of a span in its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanContext {
    pub(crate) trace: u128,
    pub(crate) span: u64,
    pub(crate) parent: Option<u64>,
    /// Whether the span is recorded. The first span of a trace decides for all of them.
    pub(crate) is_sampled: bool,
}

impl SpanContext {
    /// The first span of a new trace; it is recorded with this probability.
    pub(crate) fn root(ratio: f64) -> Self {
        let trace = Uuid::new_v4().as_u128();
        // The last 62 bits of such an id are random, and a float holds 53 bits exactly.
        let drawn = (trace as u64 & ((1 << 53) - 1)) as f64 / (1_u64 << 53) as f64;
        Self { trace, span: new_span_id(), parent: None, is_sampled: drawn < ratio }
    }

    /// A span under this one.
    pub(crate) fn child(self) -> Self {
        Self { span: new_span_id(), parent: Some(self.span), ..self }
    }

    /// The caller's span from the header: `00-<32 hexadecimal digits>-<16>-<2>` in lower case. A later version may have
    /// further fields.
    pub(crate) fn parse(header: &[u8]) -> Option<Self> {
        let header = std::str::from_utf8(header).ok().filter(|header| header.len() <= MAX_HEADER)?;
        let mut parts = header.split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_hex = |text: &str, digits| {
            text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_sound = is_hex(version, 2) && is_hex(trace, 32) && is_hex(span, 16) && is_hex(flags, 2);
        if !is_sound || version == "ff" || (version == "00" && parts.next().is_some()) {
            return None;
        }
        let trace = u128::from_str_radix(trace, 16).ok().filter(|trace| *trace != 0)?;
        let span = u64::from_str_radix(span, 16).ok().filter(|span| *span != 0)?;
        let is_sampled = u8::from_str_radix(flags, 16).ok()? & 1 == 1;
        Some(Self { trace, span, parent: None, is_sampled })
    }
}

/// The value of the header.
impl fmt::Display for SpanContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace, self.span, u8::from(self.is_sampled))
    }
}

/// A new id. It is never 0, which would mean none, because it contains the two bits of the UUID's variant.
fn new_span_id() -> u64 {
    let (_, low) = Uuid::new_v4().as_u64_pair();
    low
}

/// The span to which the running task belongs.
pub fn current() -> Option<SpanContext> {
    CURRENT.try_with(|current| *current).ok().flatten()
}

/// Runs work that belongs to a span.
pub fn within<F: Future>(context: Option<SpanContext>, work: F) -> TaskLocalFuture<Option<SpanContext>, F> {
    CURRENT.scope(context, work)
}

/// Runs one step of work that belongs to a span.
pub fn entered<T>(context: Option<SpanContext>, step: impl FnOnce() -> T) -> T {
    match context {
        Some(_) => CURRENT.sync_scope(context, step),
        None => step(),
    }
}

/// Starts a task that belongs to the same span as the current task.
pub fn spawn<F>(work: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    tokio::spawn(within(current(), work))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn the_callers_span_is_read_and_written() {
        let caller = SpanContext::parse(HEADER.as_bytes()).expect("a sound header");
        assert_eq!(caller.trace, 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
        assert_eq!((caller.span, caller.is_sampled), (0x00f0_67aa_0ba9_02b7, true));
        assert_eq!(caller.to_string(), HEADER);
        let child = caller.child();
        assert_eq!((child.trace, child.parent, child.is_sampled), (caller.trace, Some(caller.span), true));
        assert_ne!(child.span, caller.span);
        let unsampled = SpanContext::parse(HEADER.replace("-01", "-00").as_bytes()).expect("a sound header");
        assert!(!unsampled.child().is_sampled);
        assert!(SpanContext::parse(format!("01{}-more", &HEADER[2..]).as_bytes()).is_some());
    }

    #[test]
    fn malformed_headers_name_nobody() {
        for bad in [
            "",
            "00",
            &HEADER[1..],
            &HEADER.to_uppercase(),
            &HEADER.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            &HEADER.replace("00f067aa0ba902b7", &"0".repeat(16)),
            &HEADER.replace("00f067aa0ba902b7", "+0f067aa0ba902b7"),
            &HEADER.replacen("00", "ff", 1),
            &format!("{HEADER}-more"),
            &format!(" {HEADER}"),
            &HEADER.replace('-', "_"),
            &format!("01{}-{}", &HEADER[2..], "x".repeat(1000)),
        ] {
            assert_eq!(SpanContext::parse(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(SpanContext::parse(b"\xff\xfe"), None);
    }

    #[test]
    fn new_traces_are_recorded_by_the_ratio() {
        assert!((0..100).all(|_| SpanContext::root(1.0).is_sampled));
        assert!((0..100).all(|_| !SpanContext::root(0.0).is_sampled));
        // Either limit is 50 standard deviations from the mean.
        let recorded = (0..10_000).filter(|_| SpanContext::root(0.5).is_sampled).count();
        assert!((2_500..7_500).contains(&recorded), "{recorded}");
        assert_ne!(SpanContext::root(1.0).trace, SpanContext::root(1.0).trace);
    }

    #[tokio::test]
    async fn a_task_works_for_the_span_of_the_task_that_started_it() {
        assert_eq!(current(), None);
        let context = Some(SpanContext::root(1.0));
        let seen = within(context, async { spawn(async { current() }).await }).await;
        assert_eq!(seen.expect("no panic"), context);
        assert_eq!(spawn(async { current() }).await.expect("no panic"), None);
        assert_eq!(entered(context, current), context);
        assert_eq!(current(), None);
    }
}
