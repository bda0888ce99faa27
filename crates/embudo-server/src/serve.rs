//! The accept loop: takes connections while there is room, and stops without dropping one.
//!
//! Plain `axum::serve` has neither time-outs nor a cap, hence a loop of our own. It must not know
//! what the router serves, nor where the stop comes from.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, timeout};

use crate::Limits;
use crate::connection::{End, attend};
use crate::guard::ConnectionState;
use crate::shared::Shared;

/// The pause after an error for want of descriptors or memory: trying again at once would only burn the processor.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Why [`serve`] could not serve to a clean end.
#[derive(Debug)]
pub enum ServeError {
    /// Requests were still being handled when the time for draining was up; with the number of connections cut.
    CutOff(usize),
    /// Connections that waited at the stop could not be accepted.
    Listener(io::Error),
}

impl std::fmt::Display for ServeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::CutOff(count) => write!(f, "{count} connections were cut with a request in hand"),
            Self::Listener(error) => write!(f, "the listening socket failed while stopping: {error}"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::CutOff(_) => None,
            Self::Listener(error) => Some(error),
        }
    }
}

/// Serves `app` on `listener` until `stop` completes, then lets all running requests finish (at most
/// [`Limits::drain`]). HTTP/1.1, and HTTP/2 with prior knowledge.
///
/// # Errors
/// [`ServeError::CutOff`] when the drain's time was not enough, [`ServeError::Listener`] when the last accepts failed.
pub async fn serve(
    listener: TcpListener,
    app: Router,
    limits: Limits,
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let accepting = AcceptLoop::new(app, limits);
    accepting.accept_until(&listener, stop).await;
    let late = accepting.accept_waiting(listener);
    accepting.shared.stop();
    accepting.drain().await;
    late.map_err(ServeError::Listener)?;
    match accepting.cut.load(Ordering::Acquire) {
        0 => Ok(()),
        count => Err(ServeError::CutOff(count)),
    }
}

/// The state of the accept loop.
struct AcceptLoop {
    app: Router,
    shared: Arc<Shared>,
    room: Arc<Semaphore>,
    /// Every connection holds a receiver; the sender sees when the last one is gone.
    open: watch::Sender<()>,
    cut: Arc<AtomicUsize>,
    accepted: AtomicU64,
}

impl AcceptLoop {
    fn new(app: Router, limits: Limits) -> Self {
        let room = Arc::new(Semaphore::new(limits.connections.clamp(1, Semaphore::MAX_PERMITS)));
        Self {
            app,
            shared: Shared::new(limits),
            room,
            open: watch::Sender::new(()),
            cut: Arc::new(AtomicUsize::new(0)),
            accepted: AtomicU64::new(0),
        }
    }

    async fn accept_until(&self, listener: &TcpListener, stop: impl Future<Output = ()>) {
        tokio::select! {
            biased;
            () = stop => {}
            () = self.accept_forever(listener) => {}
        }
    }

    async fn accept_forever(&self, listener: &TcpListener) {
        loop {
            match listener.accept().await {
                // One new connection at a time; the others wait in the system's queue, where they cost us nothing.
                Ok((stream, peer)) => {
                    let newcomer = Newcomer { accepting: self, stream: Some((stream, peer)) };
                    let permit = self.room().await;
                    newcomer.enter(permit);
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(target: "server", %error, "cannot accept connections, trying again");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Waits for a free place for one more connection; to make one, it closes an idle connection.
    async fn room(&self) -> Option<OwnedSemaphorePermit> {
        loop {
            if let Ok(permit) = self.room.clone().try_acquire_owned() {
                return Some(permit);
            }
            let pause = self.shared.evict_idle(Instant::now());
            if let Ok(permit) = timeout(pause, self.room.clone().acquire_owned()).await {
                return permit.ok();
            }
        }
    }

    /// Connections that wait in the system's queue are served too, because closing the listening socket would reset
    /// them. They are accepted with the standard library's socket, because tokio's may not know of them
    /// yet.
    fn accept_waiting(&self, listener: TcpListener) -> io::Result<()> {
        let listener = listener.into_std()?;
        loop {
            match listener.accept() {
                Ok((stream, peer)) => {
                    stream.set_nonblocking(true)?;
                    self.spawn(TcpStream::from_std(stream)?, peer, None);
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    fn spawn(&self, stream: TcpStream, peer: SocketAddr, permit: Option<OwnedSemaphorePermit>) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(target: "server", %error, "TCP_NODELAY was refused");
        }
        let (app, shared, cut) = (self.app.clone(), self.shared.clone(), self.cut.clone());
        let open = self.open.subscribe();
        let state = ConnectionState::new();
        let own = state.clone();
        self.shared.spawn(self.accepted.fetch_add(1, Ordering::Relaxed), state, async move {
            let _held = (permit, open);
            if attend(stream, peer, app, shared, own).await == End::CutOff {
                cut.fetch_add(1, Ordering::AcqRel);
            }
        });
    }

    /// Waits until all connections have ended; each one ends by itself when the drain's time is up.
    async fn drain(&self) {
        self.open.closed().await;
    }
}

/// An accepted connection for which there is no place yet. If the server stops meanwhile, the connection is served
/// without waiting for a place.
struct Newcomer<'a> {
    accepting: &'a AcceptLoop,
    stream: Option<(TcpStream, SocketAddr)>,
}

impl Newcomer<'_> {
    fn enter(mut self, permit: Option<OwnedSemaphorePermit>) {
        if let Some((stream, peer)) = self.stream.take() {
            self.accepting.spawn(stream, peer, permit);
        }
    }
}

impl Drop for Newcomer<'_> {
    fn drop(&mut self) {
        if let Some((stream, peer)) = self.stream.take()
            && Handle::try_current().is_ok()
        {
            self.accepting.spawn(stream, peer, None);
        }
    }
}

/// Errors that concern the connection being accepted, not the listening socket.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}
