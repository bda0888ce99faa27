//! How PostgreSQL is reached: the URL, TLS, and the settings of each kind of connection, in one place.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use deadpool_postgres::{Connect, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use embudo_metrics::{PG_POOL_IDLE, PG_POOL_SIZE, PG_POOL_WAITING};
use embudo_store::{Result, StoreError};
use embudo_supervisor::Supervisor;
use futures_util::FutureExt;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::failure::unreachable_error;
use crate::hosts::{HEAD_START, Host, LIMIT, Open, first, most_telling};
use crate::tls;

/// How long each query may take that makes a connection ready for use.
const ASK_PATIENCE: Duration = Duration::from_secs(3);
/// How often the pools are measured, and what the metrics call them.
const LOOK: Duration = Duration::from_secs(5);
const POOLS: [&str; 2] = ["main", "vital"];
/// How long a caller waits for a connection of the pool.
const POOL_PATIENCE: Duration = Duration::from_secs(3);

/// The settings of the pool's connections. A statement times out well before the client does, so that a stuck one does
/// not hold a connection. A command that waits for a lock gives up its connection after a moment and tries again later.
/// The planner may reorder at most four joined tables: to plan the inbox's nine it needed five times as long as to read
/// them. So a query names first the tables that leave out most rows.
pub(crate) const POOL_SETTINGS: &str = "SET statement_timeout = '10s'; SET lock_timeout = '2s'; \
     SET idle_in_transaction_session_timeout = '15s'; SET jit = off; SET join_collapse_limit = 4";

/// The settings of connections for work that must not wait. Their statements take no time, unless something is wrong.
pub(crate) const VITAL_SETTINGS: &str = "SET statement_timeout = '3s'; SET lock_timeout = '1s'; \
     SET idle_in_transaction_session_timeout = '15s'; SET jit = off";

/// The settings of a writer's connection. Its few statements reach every row by key: they are planned once, and never
/// with a scan of a whole table, however small the tables were at that time. Leads and jobs are reached one by one and
/// in order. A batch of the allowed size is sorted in memory. If a lead is locked by another transaction, its batch
/// fails soon, because others wait behind it: the callers of that lead then wait elsewhere.
const WRITER_SETTINGS: &str = "SET statement_timeout = '9s'; SET lock_timeout = '1s'; SET jit = off; SET enable_seqscan = off; \
     SET enable_bitmapscan = off; \
     SET plan_cache_mode = force_generic_plan; SET work_mem = '16MB'";

/// The least time between two times at which all connections are left.
const PAUSE: Duration = Duration::from_secs(1);

/// Everything needed to open connections, and which of the open ones may still be used. Clones share it.
#[derive(Clone)]
pub(crate) struct Target {
    hosts: Arc<[Host]>,
    tls: MakeRustlsConnect,
    /// The host that answered last.
    good: Arc<AtomicUsize>,
    /// Connections that were opened before this time are not used any more: their server went silent, or no longer
    /// writes.
    left: watch::Sender<Option<Instant>>,
}

impl Target {
    /// Reads a `postgres://` URL. Beyond what the driver reads: `sslrootcert` (a PEM file), and `sslmode` with
    /// `verify-ca` and `verify-full`. If the URL has several hosts, the one that accepts writes is used.
    pub(crate) fn parse(url: &str) -> Result<Self> {
        let (rest, own) = tls::own_parameters(url).map_err(bad_url)?;
        let mut config: Config = rest.parse().map_err(|e: Error| bad_url(e.to_string()))?;
        config.ssl_mode(own.mode.negotiated());
        if config.get_hosts().len().max(config.get_hostaddrs().len()) > 1 {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let hosts = Host::all(&config).map_err(bad_url)?.into();
        let tls = tls::connector(own.mode, own.root_cert.as_deref()).map_err(bad_url)?;
        Ok(Self { hosts, tls, good: Arc::default(), left: watch::Sender::new(None) })
    }

    /// Leaves every connection that is open now: its holders check [`Self::is_left`] before they use it again.
    pub(crate) fn leave(&self) {
        let now = Instant::now();
        self.left.send_if_modified(|left| {
            // Several users notice the same problem within a moment; connections that were opened since are good.
            let is_time = left.is_none_or(|last| now.saturating_duration_since(last) >= PAUSE);
            if is_time {
                *left = Some(now);
            }
            is_time
        });
    }

    /// Whether a connection that was opened at this moment has been left.
    pub(crate) fn is_left(&self, opened: Instant) -> bool {
        self.left.borrow().is_some_and(|left| opened <= left)
    }

    /// A receiver that is notified when connections are left.
    pub(crate) fn leaving(&self) -> watch::Receiver<Option<Instant>> {
        self.left.subscribe()
    }

    /// Opens one connection, without settings, and the part of it that must be polled.
    pub(crate) async fn open(&self) -> Result<Open> {
        self.dial().await.map_err(|e| unreachable_error(&e))
    }

    /// Connects to the host that answered last, else to another.
    async fn dial(&self) -> std::result::Result<Open, Error> {
        let (good, many) = (self.good.load(Ordering::Relaxed), self.hosts.len());
        let attempt = |n: usize| async move { Ok((n, self.hosts[n].dial(&self.tls).await?)) }.boxed();
        let attempts = (0..many).map(|n| attempt((good + n) % many)).collect();
        let (n, open) = first(attempts).await.map_err(most_telling)?;
        if self.good.swap(n, Ordering::Relaxed) != n {
            tracing::info!(host = n + 1, "PostgreSQL is reached at another host of the URL");
            // Connections to the previous host wait for a server that is frozen or no longer accepts writes.
            self.leave();
        }
        Ok(open)
    }

    /// Opens one connection outside of the pool.
    pub(crate) async fn connect(&self) -> Result<Client> {
        let (client, connection) = self.open().await?;
        // The task ends with the client. Users of the client see its error.
        tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(client)
    }

    /// A connection for a writer.
    pub(crate) async fn connect_writer(&self) -> Result<Client> {
        let client = self.connect().await?;
        promptly(client.batch_execute(WRITER_SETTINGS)).await?;
        Ok(client)
    }

    /// A pool of at most `size` connections, each with these settings.
    pub(crate) fn pool(&self, size: usize, settings: &'static str) -> Result<Pool> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_connect(Config::new(), self.clone(), recycling);
        let settings = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
            Box::pin(async move {
                let end = tokio::time::timeout(ASK_PATIENCE, client.batch_execute(settings)).await;
                end.map_err(|_| HookError::message(TOO_LONG))?.map_err(HookError::Backend)
            })
        });
        let target = self.clone();
        let still_good = Hook::sync_fn(move |_, metrics| match target.is_left(metrics.created) {
            true => Err(HookError::message("its server was left")),
            false => Ok(()),
        });
        Pool::builder(manager)
            .max_size(size)
            .wait_timeout(Some(POOL_PATIENCE))
            .create_timeout(Some(self.patience()))
            .recycle_timeout(Some(ASK_PATIENCE))
            .runtime(Runtime::Tokio1)
            .pre_recycle(still_good)
            .post_create(settings)
            .build()
            .map_err(|e| StoreError::Internal(e.to_string()))
    }
}

impl Target {
    /// How long connecting may take in all: every host has its own limit, and the hosts are tried one after the other.
    fn patience(&self) -> Duration {
        LIMIT + HEAD_START * u32::try_from(self.hosts.len()).unwrap_or(u32::MAX)
    }
}

/// Closes idle connections of the pools when connections are left, and measures the pools.
#[derive(Debug)]
pub(crate) struct Sweeper(JoinHandle<()>);

impl Sweeper {
    pub(crate) fn spawn(supervisor: &Supervisor, target: &Target, pools: [Pool; 2]) -> Self {
        let state = (target.clone(), target.leaving(), pools);
        Self(supervisor.spawn("closing connections that were left", state, |(target, leaving, pools), _| {
            Box::pin(sweep(target, leaving, pools))
        }))
    }
}

async fn sweep(target: &Target, leaving: &mut watch::Receiver<Option<Instant>>, pools: &[Pool; 2]) {
    let gauges =
        POOLS.map(|name| [PG_POOL_SIZE, PG_POOL_IDLE, PG_POOL_WAITING].map(|metric| metric.gauge(&[name])));
    let mut look = tokio::time::interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            left = leaving.changed() => match left {
                Ok(()) => pools.iter().for_each(|pool| {
                    drop(pool.retain(|_, metrics| !target.is_left(metrics.created)));
                }),
                Err(_) => return,
            },
            _ = look.tick() => {
                for (pool, [size, idle, waiting]) in pools.iter().zip(&gauges) {
                    let status = pool.status();
                    size.set(status.size as f64);
                    idle.set(status.available as f64);
                    waiting.set(status.waiting as f64);
                }
            }
        }
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The pools use the same way to connect.
impl Connect for Target {
    fn connect(
        &self,
        _: &Config,
    ) -> Pin<Box<dyn Future<Output = std::result::Result<(Client, JoinHandle<()>), Error>> + Send + '_>> {
        Box::pin(async move {
            let (client, connection) = self.dial().await?;
            let moving = tokio::spawn(async move {
                let _ = connection.await;
            });
            Ok((client, moving))
        })
    }
}

/// The error text if there is no answer.
const TOO_LONG: &str = "connecting took too long";

/// Runs a query on a connection that is being made ready. A server may go silent at any moment, even right after the
/// log-in.
pub(crate) async fn promptly<T>(asking: impl Future<Output = std::result::Result<T, Error>>) -> Result<T> {
    match tokio::time::timeout(ASK_PATIENCE, Box::pin(asking)).await {
        Ok(end) => end.map_err(|e| unreachable_error(&e)),
        Err(_) => Err(StoreError::Unavailable(TOO_LONG.into())),
    }
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Target").finish_non_exhaustive()
    }
}

/// The text never contains the URL itself, because it has a password.
fn bad_url(why: impl Into<Arc<str>>) -> StoreError {
    StoreError::Internal(format!("the PostgreSQL URL is not usable: {}", why.into()))
}
