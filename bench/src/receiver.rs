//! A receiver of signals: counts them by their `webhook-id` and answers 200 at once, or never. It does as little else
//! as possible, because it shares the machine with the programs that call it.
//!
//! Also has the functions by which the harness asks a running receiver for its counts and for the last body.

use std::collections::HashSet;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::client::{Target, call_once};
use crate::failure::Result;

/// What the receiver does after it has read a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manners {
    Answers,
    Hangs,
}

struct Receiver {
    manners: Manners,
    begin: Instant,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    received: u64,
    ids: HashSet<Box<str>>,
    last: Bytes,
}

/// Serves until the process is ended.
pub fn serve(bind: SocketAddr, manners: Manners) -> Result<()> {
    let receiver = Arc::new(Receiver { manners, begin: Instant::now(), seen: Mutex::default() });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(bind).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let receiver = Arc::clone(&receiver);
            tokio::spawn(async move {
                let service = service_fn(move |request| Arc::clone(&receiver).answer(request));
                let connection = hyper::server::conn::http1::Builder::new();
                // A caller that disconnects is not an error here; what it has sent is counted.
                let _ = connection.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    })
}

impl Receiver {
    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>> {
        if request.method() == Method::POST {
            let id = request.headers().get("webhook-id").and_then(|id| id.to_str().ok()).map(Box::from);
            let body = request.into_body().collect().await?.to_bytes();
            self.note(id, body);
            if self.manners == Manners::Hangs {
                pending::<()>().await;
            }
            return Ok(Response::new(Full::from("{}")));
        }
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let body = match request.uri().path() {
            "/last" => seen.last.clone(),
            _ => json!({
                "received": seen.received,
                "distinct": seen.ids.len(),
                "us": self.begin.elapsed().as_micros() as u64,
            })
            .to_string()
            .into(),
        };
        Ok(Response::new(Full::from(body)))
    }

    /// A signal without an id counts as received, but not as one of the distinct ids, so that the difference is
    /// noticed.
    fn note(&self, id: Option<Box<str>>, body: Bytes) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.received += 1;
        seen.ids.extend(id);
        seen.last = body;
    }
}

/// A receiver's counts up to a moment of its own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    pub received: u64,
    pub distinct: u64,
    us: u64,
}

impl Count {
    /// Asks a receiver for its counts.
    pub fn of(target: &Target) -> Result<Self> {
        let (_, body) = call_once(target, "GET", "/count", b"")?;
        let count: Value = serde_json::from_slice(&body)?;
        let number = |name: &str| count[name].as_u64().ok_or("the receiver does not tell what it counted");
        Ok(Self { received: number("received")?, distinct: number("distinct")?, us: number("us")? })
    }

    /// Signals per second since an earlier count, by the receiver's clock.
    pub fn rate_since(self, earlier: Self) -> f64 {
        let secs = self.us.saturating_sub(earlier.us).max(1) as f64 / 1e6;
        self.received.saturating_sub(earlier.received) as f64 / secs
    }

    /// How many signals are missing or too many, if the receiver should have got `sent` signals since an earlier count,
    /// each exactly once.
    pub fn misses(self, earlier: Self, sent: u64) -> u64 {
        let (received, distinct) = (self.received - earlier.received, self.distinct - earlier.distinct);
        received.abs_diff(sent).max(distinct.abs_diff(sent))
    }
}

/// The body of the last signal that a receiver got.
pub fn last_body(target: &Target) -> Result<Bytes> {
    Ok(call_once(target, "GET", "/last", b"")?.1.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_and_a_doubled_signal_are_both_seen() {
        let before = Count { received: 10, distinct: 10, us: 0 };
        let after = |received, distinct| Count { received, distinct, us: 2_000_000 };
        assert_eq!(after(110, 110).misses(before, 100), 0);
        assert_eq!(after(109, 109).misses(before, 100), 1, "one lost");
        assert_eq!(after(111, 110).misses(before, 100), 1, "one sent twice");
        assert_eq!(after(110, 109).misses(before, 100), 1, "one lost and another sent twice");
        assert_eq!(after(110, 110).rate_since(before), 50.0);
    }
}
