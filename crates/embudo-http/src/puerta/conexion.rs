//! One connection, from accept to close: hyper's state machine, one timer, and the stop.
//!
//! The task polls hyper first and looks at the clock afterwards, so that bytes which arrive
//! together with a deadline win. It must not read or write the socket itself.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use super::Limites;
use super::guardia::{Estado, Guardia};
use super::pool::{Pool, Share};
use super::servicio::Servicio;

/// Largest request head, and the largest piece in which an HTTP/1 body is read.
const BUFFER_BYTES: usize = 64 * 1024;
/// What an HTTP/2 client may send before a handler reads it: little, because a connection can be had for nothing. The
/// connection's is the smallest that the protocol knows.
const H2_STREAM_WINDOW: u32 = 16 * 1024;
const H2_CONNECTION_WINDOW: u32 = 65_535;
/// What an HTTP/2 stream may have ready beyond what the client takes.
const H2_SEND_BYTES: usize = 16 * 1024;
const H2_HEAD_BYTES: u32 = 16 * 1024;

/// How often an idle connection is looked for while a newcomer waits.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// What all connections of one accept loop share.
#[derive(Debug)]
pub(super) struct Comun {
    limites: Limites,
    builder: auto::Builder<TokioExecutor>,
    streams: Pool,
    abiertas: Mutex<HashMap<u64, Abierta>>,
    stopped: OnceLock<Instant>,
    stop: Notify,
}

/// A connection as the others see it.
#[derive(Debug)]
struct Abierta {
    estado: Arc<Estado>,
    task: Option<AbortHandle>,
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
            .max_send_buf_size(H2_SEND_BYTES)
            .max_header_list_size(H2_HEAD_BYTES)
            .max_concurrent_streams(limites.flujos_h2);
        let streams = Pool::new(limites.flujos_total, limites.flujos_total / 2);
        let abiertas = Mutex::default();
        Arc::new(Self { limites, builder, streams, abiertas, stopped: OnceLock::new(), stop: Notify::new() })
    }

    /// One more request at once on an HTTP/2 connection of this address.
    pub(super) fn stream_share(&self, address: IpAddr) -> Option<Share> {
        self.streams.try_enter(Some(address), 1)
    }

    /// Runs a connection's task, known to the others until its end.
    pub(super) fn spawn(
        self: &Arc<Self>,
        id: u64,
        estado: Arc<Estado>,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        self.abiertas().insert(id, Abierta { estado, task: None });
        let listed = Listed { comun: self.clone(), id };
        // Without the lock: a runtime that is shutting down drops the task at once, and with it its entry.
        let task = tokio::spawn(async move {
            let _listed = listed;
            task.await;
        });
        if let Some(abierta) = self.abiertas().get_mut(&id) {
            abierta.task = Some(task.abort_handle());
        }
    }

    /// Closes the connection that has been idle longest, if it has been for long enough; says when to look again.
    pub(super) fn evict_idle(&self, now: Instant) -> Duration {
        let abiertas = self.abiertas();
        let idle = abiertas.values().filter_map(|a| a.estado.idle_since().map(|since| (since, a)));
        let Some((since, oldest)) = idle.min_by_key(|(since, _)| *since) else { return LOOK_AGAIN };
        let allowed = since + self.limites.desalojo;
        if now < allowed {
            return (allowed - now).min(LOOK_AGAIN);
        }
        if let Some(task) = &oldest.task
            && oldest.estado.evict()
        {
            task.abort();
        }
        LOOK_AGAIN
    }

    fn abiertas(&self) -> MutexGuard<'_, HashMap<u64, Abierta>> {
        // Nothing panics while the lock is held.
        self.abiertas.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Strikes a connection off the list when its task ends, however it ends.
struct Listed {
    comun: Arc<Comun>,
    id: u64,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.comun.abiertas().remove(&self.id);
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
        let stalled = self.estado.stalled(limites);
        if stalled.is_some_and(|end| now >= end) {
            return Paso::End(Fin::Normal);
        }
        // While a request is handled no deadline runs; looking again after the idle time is enough
        // because whatever ends the request sets a deadline at least that far away.
        let vence = self.estado.vence(limites);
        let again = now + limites.inactividad.min(limites.estancada);
        let due = vence.unwrap_or(again).max(self.goaway_ends.unwrap_or(now));
        let mut next = stalled.map_or(due, |end| due.min(end));
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
pub(super) async fn attend(
    stream: TcpStream,
    par: SocketAddr,
    app: Router,
    comun: Arc<Comun>,
    estado: Arc<Estado>,
) -> Fin {
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
