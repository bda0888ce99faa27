//! What all connections of one accept loop share: hyper's settings, the list of open connections, and the stop.
//!
//! This module does not know how a connection is served.

use std::collections::HashMap;
use std::future::Future;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::Limits;
use crate::guard::ConnectionState;
use crate::pool::{Pool, Share};

/// Largest request head, and the largest piece in which an HTTP/1 body is read.
const BUFFER_BYTES: usize = 64 * 1024;
/// How many bytes an HTTP/2 client may send before a handler reads them. The number is small, because anybody can open
/// a connection. The window of the connection is the smallest that the protocol allows.
const H2_STREAM_WINDOW: u32 = 16 * 1024;
const H2_CONNECTION_WINDOW: u32 = 65_535;
/// How many bytes an HTTP/2 stream may have ready beyond what the client takes.
const H2_SEND_BYTES: usize = 16 * 1024;
const H2_HEAD_BYTES: u32 = 16 * 1024;

/// How often an idle connection is looked for while a new connection waits.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// What all connections of one accept loop share.
#[derive(Debug)]
pub(crate) struct Shared {
    limits: Limits,
    builder: auto::Builder<TokioExecutor>,
    streams: Pool,
    open: Mutex<HashMap<u64, OpenConnection>>,
    stopped: OnceLock<Instant>,
    stop: Notify,
}

/// What other connections need to know of a connection.
#[derive(Debug)]
struct OpenConnection {
    state: Arc<ConnectionState>,
    task: Option<AbortHandle>,
}

impl Shared {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http1().max_buf_size(BUFFER_BYTES).header_read_timeout(None);
        builder
            .http2()
            .timer(TokioTimer::new())
            .initial_stream_window_size(H2_STREAM_WINDOW)
            .initial_connection_window_size(H2_CONNECTION_WINDOW)
            .max_send_buf_size(H2_SEND_BYTES)
            .max_header_list_size(H2_HEAD_BYTES)
            .max_concurrent_streams(limits.h2_streams);
        let streams = Pool::new(limits.total_streams, limits.total_streams / 2);
        let open = Mutex::default();
        Arc::new(Self { limits, builder, streams, open, stopped: OnceLock::new(), stop: Notify::new() })
    }

    /// Takes a share for one more concurrent request on a connection of this address; `None` beyond the limit.
    pub(crate) fn stream_share(&self, address: IpAddr) -> Option<Share> {
        self.streams.try_enter(Some(address), 1)
    }

    /// Spawns the task of a connection. The connection is in the list of open connections until the task ends.
    pub(crate) fn spawn(
        self: &Arc<Self>,
        id: u64,
        state: Arc<ConnectionState>,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        self.open().insert(id, OpenConnection { state, task: None });
        let listed = Listed { shared: self.clone(), id };
        // Not while the lock is held: a runtime that is shutting down drops the task at once, and the drop of its entry
        // takes the lock.
        let task = tokio::spawn(async move {
            let _listed = listed;
            task.await;
        });
        if let Some(connection) = self.open().get_mut(&id) {
            connection.task = Some(task.abort_handle());
        }
    }

    /// Closes the connection that has been idle longest, if it has been idle for long enough. Returns how long to wait
    /// before the next look.
    pub(crate) fn evict_idle(&self, now: Instant) -> Duration {
        let open = self.open();
        let idle = open.values().filter_map(|a| a.state.idle_since().map(|since| (since, a)));
        let Some((since, oldest)) = idle.min_by_key(|(since, _)| *since) else { return LOOK_AGAIN };
        let allowed = since + self.limits.eviction;
        if now < allowed {
            return (allowed - now).min(LOOK_AGAIN);
        }
        if let Some(task) = &oldest.task
            && oldest.state.evict()
        {
            task.abort();
        }
        LOOK_AGAIN
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u64, OpenConnection>> {
        // The list is consistent even after a panic: nothing panics while the lock is held.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn builder(&self) -> &auto::Builder<TokioExecutor> {
        &self.builder
    }

    /// Completes when the stop is signalled. A waiter reads [`Self::stopped_at`] only after the first poll.
    pub(crate) fn stopping(&self) -> Notified<'_> {
        self.stop.notified()
    }

    /// Tells every connection to finish. The value is set before the notification, and a connection registers for the
    /// notification before it first reads the value, so none misses both.
    pub(crate) fn stop(&self) {
        let _already = self.stopped.set(Instant::now());
        self.stop.notify_waiters();
    }

    pub(crate) fn stopped_at(&self) -> Option<Instant> {
        self.stopped.get().copied()
    }
}

/// Removes a connection from the list when its task ends, however it ends.
struct Listed {
    shared: Arc<Shared>,
    id: u64,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.shared.open().remove(&self.id);
    }
}
