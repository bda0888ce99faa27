//! The queue from the places where spans end to the task that sends them: one for the process.

use std::sync::OnceLock;
use std::time::Duration;

use embudo_metrics::{Counter, TRACE_SPANS};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use crate::context::SpanContext;
use crate::span::Span;

/// The maximum of spans that wait to be sent: about 2 MB.
const WAITING: usize = 4096;
/// The maximum of spans in one message.
const BATCH: usize = 512;
/// How long the first span of a message waits for others.
const LINGER: Duration = Duration::from_secs(1);

static QUEUE: OnceLock<Queue> = OnceLock::new();

/// The sending end.
#[derive(Debug)]
pub(crate) struct Queue {
    /// `None` instead of a span means that no more spans are to be sent.
    spans: mpsc::Sender<Option<Span>>,
    /// Which part of the new traces is recorded, from 0 to 1.
    ratio: f64,
    dropped: DroppedCounter,
}

struct DroppedCounter(Counter);

impl std::fmt::Debug for DroppedCounter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DroppedCounter")
    }
}

impl Queue {
    fn new(waiting: usize, ratio: f64) -> (Self, Outgoing) {
        let (sender, spans) = mpsc::channel(waiting);
        let dropped = DroppedCounter(TRACE_SPANS.counter(&["dropped"]));
        (Self { spans: sender, ratio, dropped }, Outgoing { spans, is_ended: false })
    }

    /// The context of a new trace's first span.
    pub(crate) fn root(&self) -> SpanContext {
        SpanContext::root(self.ratio)
    }

    /// Takes a span, or drops it if too many wait.
    pub(crate) fn offer(&self, span: Span) {
        if self.spans.try_send(Some(span)).is_err() {
            self.dropped.0.increment(1);
        }
    }
}

/// The queue, if spans are taken.
pub(crate) fn get() -> Option<&'static Queue> {
    QUEUE.get()
}

/// Begins to take spans, and returns the receiving end. `ratio` is the part of the traces beginning here that is
/// recorded, from 0 to 1. `None` if spans are taken already. The metrics' recorder must be installed before.
pub fn switch_on(ratio: f64) -> Option<Outgoing> {
    let (queue, outgoing) = Queue::new(WAITING, ratio);
    QUEUE.set(queue).ok().map(|()| outgoing)
}

/// Marks the waiting spans as the last ones to be sent. This waits for a place in the queue, so the caller must limit
/// its time.
pub async fn close() {
    if let Some(queue) = QUEUE.get() {
        // An error means that nothing is being sent any more, so nothing has to be marked.
        let _ = queue.spans.send(None).await;
    }
}

/// The receiving end.
#[derive(Debug)]
pub struct Outgoing {
    spans: mpsc::Receiver<Option<Span>>,
    is_ended: bool,
}

impl Outgoing {
    /// Waits for the spans of the next message; `None` after the last one.
    pub async fn next(&mut self) -> Option<Vec<Span>> {
        let mut batch = Vec::new();
        if self.is_ended {
            return None;
        }
        let mut deadline = None;
        while batch.len() < BATCH {
            let received = match deadline {
                None => self.spans.recv().await,
                Some(deadline) => match timeout_at(deadline, self.spans.recv()).await {
                    Ok(received) => received,
                    Err(_) => break,
                },
            };
            let Some(span) = received.flatten() else {
                self.is_ended = true;
                break;
            };
            batch.push(span);
            deadline.get_or_insert_with(|| Instant::now() + LINGER);
        }
        (!batch.is_empty()).then_some(batch)
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::span::Side;

    fn span(queue: &Queue, name: &'static str) -> Span {
        Span {
            context: queue.root(),
            name: name.into(),
            side: Side::Internal,
            start: SystemTime::now(),
            duration: Duration::ZERO,
            is_error: false,
            attributes: Vec::new(),
        }
    }

    #[tokio::test]
    async fn spans_go_together_and_what_waits_at_the_end_goes_too() {
        let (queue, mut outgoing) = Queue::new(2 * BATCH, 1.0);
        (0..BATCH).for_each(|_| queue.offer(span(&queue, "early")));
        queue.offer(span(&queue, "last"));
        queue.spans.send(None).await.expect("somebody listens");
        queue.offer(span(&queue, "late"));
        assert_eq!(outgoing.next().await.map(|batch| batch.len()), Some(BATCH));
        let batch = outgoing.next().await.expect("the last spans");
        assert_eq!((batch.len(), &*batch[0].name), (1, "last"));
        assert!(outgoing.next().await.is_none());
        drop(outgoing);
        queue.offer(span(&queue, "nobody listens"));
    }

    #[tokio::test]
    async fn what_finds_no_room_is_dropped_at_once() {
        let (queue, mut outgoing) = Queue::new(2, 1.0);
        for name in ["first", "second", "third"] {
            queue.offer(span(&queue, name));
        }
        drop(queue);
        let batch = outgoing.next().await.expect("what found room");
        let names: Vec<&str> = batch.iter().map(|span| &*span.name).collect();
        assert_eq!(names, ["first", "second"]);
        assert!(outgoing.next().await.is_none());
    }
}
