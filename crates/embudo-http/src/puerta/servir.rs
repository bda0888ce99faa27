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

use super::Limites;
use super::conexion::{Comun, Fin, attend};
use super::guardia::Estado;

/// Out of descriptors or memory: trying again at once would only burn the processor.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Why [`servir`] could not serve to a clean end.
#[derive(Debug)]
pub enum ServirError {
    /// Requests were still being handled when the time for draining was up.
    Cortadas(usize),
    /// The listening socket could not be handed over for the last accepts.
    Escucha(io::Error),
}

impl std::fmt::Display for ServirError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cortadas(count) => write!(f, "{count} connections were cut with a request in hand"),
            Self::Escucha(error) => write!(f, "the listening socket failed while stopping: {error}"),
        }
    }
}

impl std::error::Error for ServirError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Cortadas(_) => None,
            Self::Escucha(error) => Some(error),
        }
    }
}

/// Serves `app` on `listener` until `parar` completes, then lets every request in hand finish
/// (at most [`Limites::drenaje`]). HTTP/1.1, and HTTP/2 with prior knowledge.
///
/// # Errors
/// [`ServirError::Cortadas`] when the drain's time was not enough.
pub async fn servir(
    listener: TcpListener,
    app: Router,
    limites: Limites,
    parar: impl Future<Output = ()>,
) -> Result<(), ServirError> {
    let casa = Casa::new(app, limites);
    casa.accept_until(&listener, parar).await;
    let late = casa.accept_waiting(listener);
    casa.comun.stop();
    casa.drain().await;
    late.map_err(ServirError::Escucha)?;
    match casa.cut.load(Ordering::Acquire) {
        0 => Ok(()),
        count => Err(ServirError::Cortadas(count)),
    }
}

/// The loop's own things.
struct Casa {
    app: Router,
    comun: Arc<Comun>,
    room: Arc<Semaphore>,
    /// Every connection holds a receiver; the sender sees when the last one is gone.
    open: watch::Sender<()>,
    cut: Arc<AtomicUsize>,
    accepted: AtomicU64,
}

impl Casa {
    fn new(app: Router, limites: Limites) -> Self {
        let room = Arc::new(Semaphore::new(limites.conexiones.clamp(1, Semaphore::MAX_PERMITS)));
        Self {
            app,
            comun: Comun::new(limites),
            room,
            open: watch::Sender::new(()),
            cut: Arc::new(AtomicUsize::new(0)),
            accepted: AtomicU64::new(0),
        }
    }

    async fn accept_until(&self, listener: &TcpListener, parar: impl Future<Output = ()>) {
        tokio::select! {
            biased;
            () = parar => {}
            () = self.accept_forever(listener) => {}
        }
    }

    async fn accept_forever(&self, listener: &TcpListener) {
        loop {
            match listener.accept().await {
                // One newcomer at a time; the others wait in the system's queue, where they cost nothing here.
                Ok((stream, par)) => {
                    let newcomer = Newcomer { casa: self, stream: Some((stream, par)) };
                    let permit = self.room().await;
                    newcomer.enter(permit);
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(target: "puerta", %error, "cannot accept connections, trying again");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Room for one more connection: free, or made by closing one that is idle.
    async fn room(&self) -> Option<OwnedSemaphorePermit> {
        loop {
            if let Ok(permit) = self.room.clone().try_acquire_owned() {
                return Some(permit);
            }
            let pause = self.comun.evict_idle(Instant::now());
            if let Ok(permit) = timeout(pause, self.room.clone().acquire_owned()).await {
                return permit.ok();
            }
        }
    }

    /// Connections that the system has already completed for us are served too; closing the
    /// listening socket would reset them. The standard library's socket is asked because tokio's
    /// may not have heard of them yet.
    fn accept_waiting(&self, listener: TcpListener) -> io::Result<()> {
        let listener = listener.into_std()?;
        loop {
            match listener.accept() {
                Ok((stream, par)) => {
                    stream.set_nonblocking(true)?;
                    self.spawn(TcpStream::from_std(stream)?, par, None);
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    fn spawn(&self, stream: TcpStream, par: SocketAddr, permit: Option<OwnedSemaphorePermit>) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(target: "puerta", %error, "TCP_NODELAY was refused");
        }
        let (app, comun, cut) = (self.app.clone(), self.comun.clone(), self.cut.clone());
        let open = self.open.subscribe();
        let estado = Estado::new();
        let own = estado.clone();
        self.comun.spawn(self.accepted.fetch_add(1, Ordering::Relaxed), estado, async move {
            let _held = (permit, open);
            if attend(stream, par, app, comun, own).await == Fin::Cortada {
                cut.fetch_add(1, Ordering::AcqRel);
            }
        });
    }

    /// Waits for the last connection; each one ends by itself when the drain's time is up.
    async fn drain(&self) {
        self.open.closed().await;
    }
}

/// An accepted connection for which there is no room yet. A stop does not wait for room: it is served all the same.
struct Newcomer<'a> {
    casa: &'a Casa,
    stream: Option<(TcpStream, SocketAddr)>,
}

impl Newcomer<'_> {
    fn enter(mut self, permit: Option<OwnedSemaphorePermit>) {
        if let Some((stream, par)) = self.stream.take() {
            self.casa.spawn(stream, par, permit);
        }
    }
}

impl Drop for Newcomer<'_> {
    fn drop(&mut self) {
        if let Some((stream, par)) = self.stream.take()
            && Handle::try_current().is_ok()
        {
            self.casa.spawn(stream, par, None);
        }
    }
}

/// Errors that concern the connection being accepted, not the listening socket.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}
