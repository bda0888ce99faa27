//! What a connection is doing, and until when it may go on doing it.
//!
//! [`WatchedIo`] watches the bytes, the service reports when a request starts and ends, and
//! [`ConnectionState::deadline`] turns both into one deadline. This module has no timer: the connection's task has a
//! single one and moves it only when a deadline comes nearer, so that a busy connection costs no timer work at all.
//! hyper's own header time-out is not used because it also closes idle keep-alive connections, and does not run before
//! the protocol is known.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Duration, Instant};

use crate::Limits;
use crate::pool::Share;

/// Frames of pure housekeeping on HTTP/2 (PING, SETTINGS, WINDOW_UPDATE answers) are smaller than
/// this; writing them does not make an idle connection a busy one.
const H2_NOISE_BYTES: usize = 64;
/// In [`ConnectionState::handling`]: the connection is being closed and begins no request any more.
const EVICTED: u32 = 1 << 31;

/// The shared state of one connection. HTTP/2 requests run in tasks of their own, hence atomics.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    born: Instant,
    /// Requests being handled, and request bodies not yet read to their end.
    handling: AtomicU32,
    /// Whether any request has been seen.
    served: AtomicBool,
    h2: AtomicBool,
    /// When the first byte of the head that is arriving came, in µs after `born`; 0 = none.
    head_us: AtomicU64,
    /// When bytes were last sent or a request last ended, in µs after `born`.
    last_us: AtomicU64,
    /// Whether the answer to the current HTTP/1 request must say `connection: close`.
    close: AtomicBool,
    /// Since when the socket accepts no bytes, in µs after `born`; 0 = it accepts them.
    blocked_us: AtomicU64,
    /// Requests whose answer is not completely sent yet: all on HTTP/2, the long ones on HTTP/1.
    streams: AtomicU32,
    /// For each piece of an HTTP/2 answer that is not sent yet, when it was made, oldest first, in µs after `born`.
    pieces: Mutex<VecDeque<u64>>,
}

impl ConnectionState {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            born: Instant::now(),
            handling: AtomicU32::new(0),
            served: AtomicBool::new(false),
            h2: AtomicBool::new(false),
            head_us: AtomicU64::new(0),
            last_us: AtomicU64::new(0),
            close: AtomicBool::new(false),
            blocked_us: AtomicU64::new(0),
            streams: AtomicU32::new(0),
            pieces: Mutex::default(),
        })
    }

    /// A request head is complete. The request counts as being handled until the returned guard is dropped.
    pub(crate) fn request_started(self: &Arc<Self>, h2: bool) -> Busy {
        let busy = self.busy();
        self.head_us.store(0, Ordering::Relaxed);
        self.close.store(false, Ordering::Relaxed);
        if !self.served.load(Ordering::Relaxed) {
            self.h2.store(h2, Ordering::Relaxed);
            self.served.store(true, Ordering::Release);
        }
        busy
    }

    /// Stops the deadline of the connection until the returned guard is dropped.
    pub(crate) fn busy(self: &Arc<Self>) -> Busy {
        self.handling.fetch_add(1, Ordering::Relaxed);
        Busy(self.clone())
    }

    /// Asks for `connection: close` on the answer to the current request.
    pub(crate) fn close_after_answer(&self) {
        self.close.store(true, Ordering::Relaxed);
    }

    pub(crate) fn must_close(&self) -> bool {
        self.close.load(Ordering::Relaxed)
    }

    /// HTTP/2, and its first request has been seen.
    pub(crate) fn serving_h2(&self) -> bool {
        self.served.load(Ordering::Acquire) && self.h2.load(Ordering::Relaxed)
    }

    /// The moment at which the connection must be closed, or `None` while a request is handled.
    pub(crate) fn deadline(&self, limits: &Limits) -> Option<Instant> {
        if self.handling.load(Ordering::Acquire) > 0 {
            return None;
        }
        // The time for the first head begins at the accept and not at the first byte: otherwise a client could first
        // wait and then send byte by byte.
        if !self.served.load(Ordering::Acquire) {
            return Some(self.born + limits.first_head);
        }
        let head = self.head_us.load(Ordering::Relaxed);
        if head > 0 && !self.serving_h2() {
            return Some(self.at(head) + limits.head);
        }
        Some(self.at(self.last_us.load(Ordering::Relaxed)) + limits.idle)
    }

    /// The moment at which an answer has waited too long for its client to take it, if an answer waits.
    pub(crate) fn stalled(&self, limits: &Limits) -> Option<Instant> {
        let blocked = Some(self.blocked_us.load(Ordering::Relaxed)).filter(|us| *us > 0);
        let piece = if self.serving_h2() { self.pieces().front().copied() } else { None };
        let since = blocked.into_iter().chain(piece).min()?;
        Some(self.at(since) + limits.stalled)
    }

    /// Since when the connection is idle: no request, and no answer being sent.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let busy = self.handling.load(Ordering::Acquire) > 0
            || self.streams.load(Ordering::Acquire) > 0
            || self.blocked_us.load(Ordering::Relaxed) > 0;
        (!busy).then(|| self.at(self.last_us.load(Ordering::Relaxed)))
    }

    /// Marks the connection as closing, so that no further request begins. Returns false, and
    /// changes nothing, while a request is being handled.
    pub(crate) fn evict(&self) -> bool {
        self.handling.compare_exchange(0, EVICTED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    pub(crate) fn evicted(&self) -> bool {
        self.handling.load(Ordering::Acquire) & EVICTED != 0
    }

    /// Reserves the place of a request. A request that is alone on its connection always gets one; a further one needs
    /// a share of the limit for all connections together, and gets `None` without it.
    pub(crate) fn place(self: &Arc<Self>, share: impl FnOnce() -> Option<Share>) -> Option<Arc<StreamPlace>> {
        let first = self.streams.fetch_add(1, Ordering::AcqRel) == 0;
        let mut place = StreamPlace { state: self.clone(), _share: None };
        if !first {
            place._share = Some(share()?);
        }
        Some(Arc::new(place))
    }

    /// Notes that a piece of an answer is handed to hyper. Returns the time, which identifies the piece.
    pub(crate) fn piece_made(&self) -> u64 {
        let now = self.now_us();
        self.pieces().push_back(now);
        now
    }

    /// Notes that a piece has been sent or discarded.
    pub(crate) fn piece_gone(&self, made: u64) {
        let mut pieces = self.pieces();
        if let Some(n) = pieces.iter().position(|us| *us == made) {
            pieces.remove(n);
        }
    }

    fn pieces(&self) -> MutexGuard<'_, VecDeque<u64>> {
        // The state is consistent even after a panic: nothing panics while the lock is held.
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bytes_read(&self) {
        if self.head_us.load(Ordering::Relaxed) == 0 && self.handling.load(Ordering::Relaxed) == 0 {
            self.head_us.store(self.now_us(), Ordering::Relaxed);
        }
    }

    fn socket_full(&self) {
        if self.blocked_us.load(Ordering::Relaxed) == 0 {
            self.blocked_us.store(self.now_us(), Ordering::Relaxed);
        }
    }

    fn bytes_written(&self, bytes: usize) {
        if self.blocked_us.load(Ordering::Relaxed) > 0 {
            self.blocked_us.store(0, Ordering::Relaxed);
        }
        if bytes > H2_NOISE_BYTES || (bytes > 0 && !self.h2.load(Ordering::Relaxed)) {
            self.last_us.store(self.now_us(), Ordering::Relaxed);
        }
    }

    fn at(&self, us: u64) -> Instant {
        self.born + Duration::from_micros(us)
    }

    fn now_us(&self) -> u64 {
        // 584,000 years fit; 0 is kept for "none".
        u64::try_from(self.born.elapsed().as_micros()).unwrap_or(u64::MAX).max(1)
    }
}

/// A guard: while it exists, the connection counts as busy.
#[derive(Debug)]
pub(crate) struct Busy(Arc<ConnectionState>);

impl Busy {
    pub(crate) fn state(&self) -> &Arc<ConnectionState> {
        &self.0
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        // The time is stored first: a reader that sees the counter at zero must see this time too.
        self.0.last_us.store(self.0.now_us(), Ordering::Relaxed);
        self.0.handling.fetch_sub(1, Ordering::Release);
    }
}

/// The place of one request among those of its connection, from its head to the last byte of its answer.
#[derive(Debug)]
pub(crate) struct StreamPlace {
    state: Arc<ConnectionState>,
    _share: Option<Share>,
}

impl StreamPlace {
    pub(crate) fn state(&self) -> &ConnectionState {
        &self.state
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        self.state.last_us.store(self.state.now_us(), Ordering::Relaxed);
        self.state.streams.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A socket that tells [`ConnectionState`] about the bytes that pass.
#[derive(Debug)]
pub(crate) struct WatchedIo<I> {
    io: I,
    state: Arc<ConnectionState>,
}

impl<I> WatchedIo<I> {
    pub(crate) fn new(io: I, state: Arc<ConnectionState>) -> Self {
        Self { io, state }
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for WatchedIo<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.io).poll_read(cx, buf);
        if buf.filled().len() > before {
            self.state.bytes_read();
        }
        polled
    }
}

impl<I: AsyncWrite + Unpin> WatchedIo<I> {
    fn note(&self, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match polled {
            Poll::Ready(Ok(bytes)) => self.state.bytes_written(bytes),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.state.socket_full(),
        }
        polled
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for WatchedIo<I> {
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
