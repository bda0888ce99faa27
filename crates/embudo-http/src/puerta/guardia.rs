//! What a connection is doing, and until when it may go on doing it.
//!
//! [`Guardia`] watches the bytes, the service reports when a request starts and ends, and
//! [`Estado::vence`] turns both into one deadline. It must not own a timer: the connection's task
//! has a single one and moves it only when a deadline comes nearer, so that a busy connection
//! costs no timer work at all. hyper's own header time-out is not used because it also closes idle
//! keep-alive connections, and does not run before the protocol is known.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Duration, Instant};

use super::Limites;

/// Frames of pure housekeeping on HTTP/2 (PING, SETTINGS, WINDOW_UPDATE answers) are smaller than
/// this; writing them does not make an idle connection a busy one.
const RUIDO_H2_BYTES: usize = 64;

/// The shared picture of one connection. HTTP/2 requests run in tasks of their own, hence atomics.
#[derive(Debug)]
pub(super) struct Estado {
    nacida: Instant,
    /// Requests being handled, and request bodies not yet read to their end.
    manejando: AtomicU32,
    /// Whether any request has been seen.
    atendida: AtomicBool,
    h2: AtomicBool,
    /// When the head now coming in sent its first byte, in µs after `nacida`; 0 = none.
    cabeza_us: AtomicU64,
    /// The last sign of life towards the client, in µs after `nacida`.
    ultima_us: AtomicU64,
    /// Whether the answer to the current HTTP/1 request must say `connection: close`.
    cerrar: AtomicBool,
}

impl Estado {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            nacida: Instant::now(),
            manejando: AtomicU32::new(0),
            atendida: AtomicBool::new(false),
            h2: AtomicBool::new(false),
            cabeza_us: AtomicU64::new(0),
            ultima_us: AtomicU64::new(0),
            cerrar: AtomicBool::new(false),
        })
    }

    /// A request head is complete. The returned mark says "handled" when it is dropped.
    pub(super) fn request_started(self: &Arc<Self>, h2: bool) -> EnCurso {
        let mark = self.busy();
        self.cabeza_us.store(0, Ordering::Relaxed);
        self.cerrar.store(false, Ordering::Relaxed);
        if !self.atendida.load(Ordering::Relaxed) {
            self.h2.store(h2, Ordering::Relaxed);
            self.atendida.store(true, Ordering::Release);
        }
        mark
    }

    /// Keeps the timers quiet until the returned mark is dropped.
    pub(super) fn busy(self: &Arc<Self>) -> EnCurso {
        self.manejando.fetch_add(1, Ordering::Relaxed);
        EnCurso(self.clone())
    }

    /// Asks for `connection: close` on the answer to the current request.
    pub(super) fn close_after_answer(&self) {
        self.cerrar.store(true, Ordering::Relaxed);
    }

    pub(super) fn must_close(&self) -> bool {
        self.cerrar.load(Ordering::Relaxed)
    }

    /// HTTP/2, and its first request has been seen.
    pub(super) fn serving_h2(&self) -> bool {
        self.atendida.load(Ordering::Acquire) && self.h2.load(Ordering::Relaxed)
    }

    /// The moment at which the connection has had its time, or `None` while a request is handled.
    pub(super) fn vence(&self, limites: &Limites) -> Option<Instant> {
        if self.manejando.load(Ordering::Acquire) > 0 {
            return None;
        }
        // The first head has its time from the accept on, so that a drip cannot add one wait to the other.
        if !self.atendida.load(Ordering::Acquire) {
            return Some(self.nacida + limites.primera);
        }
        let cabeza = self.cabeza_us.load(Ordering::Relaxed);
        if cabeza > 0 && !self.serving_h2() {
            return Some(self.at(cabeza) + limites.cabecera);
        }
        Some(self.at(self.ultima_us.load(Ordering::Relaxed)) + limites.inactividad)
    }

    fn bytes_read(&self) {
        if self.cabeza_us.load(Ordering::Relaxed) == 0 && self.manejando.load(Ordering::Relaxed) == 0 {
            self.cabeza_us.store(self.now_us(), Ordering::Relaxed);
        }
    }

    fn bytes_written(&self, bytes: usize) {
        if bytes > RUIDO_H2_BYTES || (bytes > 0 && !self.h2.load(Ordering::Relaxed)) {
            self.ultima_us.store(self.now_us(), Ordering::Relaxed);
        }
    }

    fn at(&self, us: u64) -> Instant {
        self.nacida + Duration::from_micros(us)
    }

    fn now_us(&self) -> u64 {
        // 584,000 years fit; 0 is kept for "none".
        u64::try_from(self.nacida.elapsed().as_micros()).unwrap_or(u64::MAX).max(1)
    }
}

/// A mark that something is being handled on a connection; its drop is the end of it.
#[derive(Debug)]
pub(super) struct EnCurso(Arc<Estado>);

impl EnCurso {
    pub(super) fn estado(&self) -> &Arc<Estado> {
        &self.0
    }
}

impl Drop for EnCurso {
    fn drop(&mut self) {
        // The time first: whoever sees the counter at zero must see this moment too.
        self.0.ultima_us.store(self.0.now_us(), Ordering::Relaxed);
        self.0.manejando.fetch_sub(1, Ordering::Release);
    }
}

/// A socket that tells [`Estado`] about the bytes that pass.
#[derive(Debug)]
pub(super) struct Guardia<I> {
    io: I,
    estado: Arc<Estado>,
}

impl<I> Guardia<I> {
    pub(super) fn new(io: I, estado: Arc<Estado>) -> Self {
        Self { io, estado }
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Guardia<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.io).poll_read(cx, buf);
        if buf.filled().len() > before {
            self.estado.bytes_read();
        }
        polled
    }
}

impl<I: AsyncWrite + Unpin> Guardia<I> {
    fn note(&self, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = polled {
            self.estado.bytes_written(bytes);
        }
        polled
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Guardia<I> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.io).poll_write(cx, buf);
        self.note(polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.io).poll_write_vectored(cx, bufs);
        self.note(polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
