//! One connection, from accept to close: hyper's state machine, one timer, and the stop.
//!
//! The task polls hyper first and looks at the clock afterwards, so that bytes which arrive
//! together with a deadline win. It must not read or write the socket itself.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::Limites;
use super::guardia::{Estado, Guardia};
use super::servicio::Servicio;

/// Largest request head, and the largest piece in which an HTTP/1 body is read.
const BUFFER_BYTES: usize = 64 * 1024;
const H2_STREAM_WINDOW: u32 = 256 * 1024;
const H2_CONNECTION_WINDOW: u32 = 1024 * 1024;

/// What all connections of one accept loop share.
#[derive(Debug)]
pub(super) struct Comun {
    limites: Limites,
    builder: auto::Builder<TokioExecutor>,
    stopped: OnceLock<Instant>,
    stop: Notify,
}

impl Comun {
    pub(super) fn new(limites: Limites) -> Arc<Self> {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http1().max_buf_size(BUFFER_BYTES).header_read_timeout(None);
        builder
            .http2()
            .timer(TokioTimer::new())
            .initial_stream_window_size(H2_STREAM_WINDOW)
            .initial_connection_window_size(H2_CONNECTION_WINDOW)
            .max_concurrent_streams(limites.flujos_h2);
        Arc::new(Self { limites, builder, stopped: OnceLock::new(), stop: Notify::new() })
    }

    pub(super) fn limites(&self) -> &Limites {
        &self.limites
    }

    /// Tells every connection to finish. Set before notifying: a connection registers for the
    /// notice before it first looks, so none misses both.
    pub(super) fn stop(&self) {
        let _already = self.stopped.set(Instant::now());
        self.stop.notify_waiters();
    }

    pub(super) fn stopped_at(&self) -> Option<Instant> {
        self.stopped.get().copied()
    }
}

/// How a connection ended, as far as the stop is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fin {
    /// Its requests were answered, its client went away, or its time for a step was up.
    Normal,
    /// Requests were in hand when the drain's time was up.
    Cortada,
}

/// What the clock says about a connection at one moment.
enum Paso {
    Wait(Instant),
    Shutdown,
    End(Fin),
}

/// The decisions of a connection that are not hyper's.
struct Plan {
    comun: Arc<Comun>,
    estado: Arc<Estado>,
    /// Set once hyper has been told to take no further requests.
    shutting: bool,
    /// The end of an HTTP/2 connection that was told to go for being idle.
    goaway_ends: Option<Instant>,
}

impl Plan {
    fn step(&mut self, now: Instant) -> Paso {
        let limites = self.comun.limites();
        // While a request is handled no deadline runs; looking again after the idle time is enough
        // because whatever ends the request sets a deadline at least that far away.
        let vence = self.estado.vence(limites);
        let due = vence.unwrap_or(now + limites.inactividad).max(self.goaway_ends.unwrap_or(now));
        let mut next = due;
        if let Some(stopped) = self.comun.stopped_at() {
            let cut = stopped + limites.drenaje;
            if now >= cut {
                return Paso::End(if vence.is_none() { Fin::Cortada } else { Fin::Normal });
            }
            let grace = stopped + limites.gracia;
            if !self.shutting && (self.estado.serving_h2() || now >= grace) {
                self.shutting = true;
                return Paso::Shutdown;
            }
            next = next.min(if self.shutting { cut } else { grace });
        }
        if vence.is_none() || now < due {
            return Paso::Wait(next);
        }
        if self.estado.serving_h2() && self.goaway_ends.is_none() {
            // A request may be on its way: GOAWAY says which ones will be answered.
            self.goaway_ends = Some(now + limites.cabecera);
            self.shutting = true;
            return Paso::Shutdown;
        }
        Paso::End(Fin::Normal)
    }
}

/// Serves one accepted connection to its end.
pub(super) async fn attend(stream: TcpStream, par: SocketAddr, app: Router, comun: Arc<Comun>) -> Fin {
    let estado = Estado::new();
    let io = TokioIo::new(Guardia::new(stream, estado.clone()));
    let service = Servicio { app, par, estado: estado.clone(), comun: comun.clone() };
    let mut conn = pin!(comun.builder.serve_connection(io, service));
    let mut stop = pin!(comun.stop.notified());
    let mut armed = Instant::now() + comun.limites.primera;
    let mut timer = pin!(sleep_until(armed));
    let mut plan = Plan { comun: comun.clone(), estado, shutting: false, goaway_ends: None };
    let mut registered = false;

    poll_fn(|cx| {
        if !registered {
            // One poll leaves this task's waker with both, and the task never changes: no lock
            // and no timer work on later polls.
            let _ = stop.as_mut().poll(cx);
            let _ = timer.as_mut().poll(cx);
            registered = true;
        }
        loop {
            if let Poll::Ready(ended) = conn.as_mut().poll(cx) {
                if let Err(error) = ended {
                    tracing::debug!(target: "puerta", %error, "connection ended early");
                }
                return Poll::Ready(Fin::Normal);
            }
            let now = Instant::now();
            match plan.step(now) {
                Paso::End(fin) => return Poll::Ready(fin),
                Paso::Shutdown => conn.as_mut().graceful_shutdown(),
                Paso::Wait(next) => {
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
