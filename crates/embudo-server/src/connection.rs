//! One connection, from accept to close: hyper's state machine, one timer, and the stop.
//!
//! The task polls hyper first and looks at the clock afterwards, so that bytes which arrive
//! together with a deadline win. It must not read or write the socket itself.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use axum::Router;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

use crate::guard::{ConnectionState, WatchedIo};
use crate::service::ConnectionService;
use crate::shared::Shared;

/// How a connection ended, as far as the stop is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Its requests were answered, its client went away, or a time limit was reached.
    Normal,
    /// Requests were still being handled when the drain's time was up.
    CutOff,
}

/// What a connection must do next, decided from its deadlines and the time.
enum Step {
    Wait(Instant),
    Shutdown,
    End(End),
}

/// The decisions about a connection that hyper does not make.
struct Plan {
    shared: Arc<Shared>,
    state: Arc<ConnectionState>,
    /// Set once hyper was asked to accept no further requests.
    shutting: bool,
    /// When to close an HTTP/2 connection that got a GOAWAY for being idle.
    goaway_ends: Option<Instant>,
}

impl Plan {
    fn step(&mut self, now: Instant) -> Step {
        let limits = self.shared.limits();
        let stalled = self.state.stalled(limits);
        if stalled.is_some_and(|end| now >= end) {
            return Step::End(End::Normal);
        }
        // While a request is handled no deadline runs. It is enough to look again after the idle time (or the stall
        // time, if shorter), because the end of any request sets a deadline at least that far away.
        let deadline = self.state.deadline(limits);
        let again = now + limits.idle.min(limits.stalled);
        let due = deadline.unwrap_or(again).max(self.goaway_ends.unwrap_or(now));
        let mut next = stalled.map_or(due, |end| due.min(end));
        if let Some(stopped) = self.shared.stopped_at() {
            let cut = stopped + limits.drain;
            if now >= cut {
                return Step::End(if deadline.is_none() { End::CutOff } else { End::Normal });
            }
            let grace = stopped + limits.grace;
            if !self.shutting && (self.state.serving_h2() || now >= grace) {
                self.shutting = true;
                return Step::Shutdown;
            }
            next = next.min(if self.shutting { cut } else { grace });
        }
        if deadline.is_none() || now < due {
            return Step::Wait(next);
        }
        if self.state.serving_h2() && self.goaway_ends.is_none() {
            // A request may be on its way: GOAWAY says which ones will be answered.
            self.goaway_ends = Some(now + limits.head);
            self.shutting = true;
            return Step::Shutdown;
        }
        Step::End(End::Normal)
    }
}

/// Serves one accepted connection to its end.
pub(crate) async fn attend(
    stream: TcpStream,
    peer: SocketAddr,
    app: Router,
    shared: Arc<Shared>,
    state: Arc<ConnectionState>,
) -> End {
    let io = TokioIo::new(WatchedIo::new(stream, state.clone()));
    let service = ConnectionService { app, peer, state: state.clone(), shared: shared.clone() };
    let mut conn = pin!(shared.builder().serve_connection(io, service));
    let mut stop = pin!(shared.stopping());
    let mut armed = Instant::now() + shared.limits().first_head;
    let mut timer = pin!(sleep_until(armed));
    let mut plan = Plan { shared: shared.clone(), state, shutting: false, goaway_ends: None };
    let mut registered = false;

    poll_fn(|cx| {
        if !registered {
            // One poll registers this task's waker with the stop and the timer, and the task never changes: later polls
            // need no lock and no timer work.
            let _ = stop.as_mut().poll(cx);
            let _ = timer.as_mut().poll(cx);
            registered = true;
        }
        loop {
            if let Poll::Ready(ended) = conn.as_mut().poll(cx) {
                if let Err(error) = ended {
                    tracing::debug!(target: "server", %error, "connection ended early");
                }
                return Poll::Ready(End::Normal);
            }
            let now = Instant::now();
            match plan.step(now) {
                Step::End(end) => return Poll::Ready(end),
                Step::Shutdown => conn.as_mut().graceful_shutdown(),
                Step::Wait(next) => {
                    if next < armed || now >= armed {
                        armed = next;
                        timer.as_mut().reset(next);
                        if timer.as_mut().poll(cx).is_ready() {
                            continue;
                        }
                    }
                    return Poll::Pending;
                }
            }
        }
    })
    .await
}
