//! How PostgreSQL is reached: the URL, TLS, and the settings of each kind of connection, in one place.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Connect, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use embudo_store::{Result, StoreError};
use tokio::task::JoinHandle;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, Error, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::failure::unreachable_error;
use crate::tls::{self, Tls};

/// How long a connection may take to come about, and each thing it is asked before it is used, until callers are told that
/// storage is away.
const CONNECT_PATIENCE: Duration = Duration::from_secs(3);
/// How long a caller waits for a connection of the pool.
const POOL_PATIENCE: Duration = Duration::from_secs(3);

/// The pool's connections. A statement gives up well before the client does, so that a stuck one does not hold a connection, and
/// whoever waits for a lock gives its place to others after a moment and asks again.
pub(crate) const POOL_SETTINGS: &str = "SET statement_timeout = '10s'; SET lock_timeout = '2s'; \
     SET idle_in_transaction_session_timeout = '15s'; SET jit = off";

/// The connections for what must not wait. What they do takes no time, or something is wrong.
pub(crate) const VITAL_SETTINGS: &str = "SET statement_timeout = '3s'; SET lock_timeout = '1s'; \
     SET idle_in_transaction_session_timeout = '15s'; SET jit = off";

/// A writer's connection. Its few statements reach every row by key: planned once, and never over a whole table, however
/// small the tables were at the time. Leads and jobs are reached one by one and in
/// order. A batch of the allowed size is sorted in memory. A lead that is held by somebody sends its
/// batch away soon, because others wait behind it: its callers then wait elsewhere.
const WRITER_SETTINGS: &str = "SET statement_timeout = '9s'; SET lock_timeout = '1s'; SET jit = off; SET enable_seqscan = off; \
     SET enable_bitmapscan = off; \
     SET plan_cache_mode = force_generic_plan; SET work_mem = '16MB'";

/// The half of a connection that moves the bytes.
pub(crate) type OpenConnection = Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// Everything needed to open connections.
#[derive(Clone)]
pub(crate) struct Target {
    config: Config,
    tls: MakeRustlsConnect,
}

impl Target {
    /// Reads a `postgres://` URL. Beyond what the driver reads: `sslrootcert` (a PEM file), and `sslmode` with
    /// `verify-ca` and `verify-full`.
    pub(crate) fn parse(url: &str) -> Result<Self> {
        let (rest, own) = tls::own_parameters(url).map_err(bad_url)?;
        let mut config: Config = rest.parse().map_err(|e: Error| bad_url(e.to_string()))?;
        // TLS on a socket in the file system protects nothing, and the driver cannot do it.
        let is_local = config.get_hosts().iter().any(|host| !matches!(host, Host::Tcp(_)));
        let mode = if is_local { Tls::Disable } else { own.mode };
        config.ssl_mode(mode.negotiated());
        if config.get_application_name().is_none() {
            config.application_name("embudo");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_PATIENCE);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(Duration::from_secs(3));
        }
        config.keepalives(true).keepalives_idle(Duration::from_secs(10));
        config.keepalives_interval(Duration::from_secs(2)).keepalives_retries(3);
        let tls = tls::connector(mode, own.root_cert.as_deref()).map_err(bad_url)?;
        Ok(Self { config, tls })
    }

    /// One connection of its own, as the server gives it, and what must be polled for it.
    pub(crate) async fn open(&self) -> Result<(Client, OpenConnection)> {
        promptly(self.dial()).await
    }

    /// Connects; where TLS is only preferred and comes to nothing, without it, as libpq does.
    async fn dial(&self) -> std::result::Result<(Client, OpenConnection), Error> {
        let failure = match self.config.connect(self.tls.clone()).await {
            Err(failure) if self.config.get_ssl_mode() == SslMode::Prefer => failure,
            end => return end,
        };
        // A server that answered over TLS and refused has heard us, unless it refuses TLS itself (28000: no line of pg_hba.conf fits).
        if failure.code().is_some_and(|code| code.code() != "28000") {
            return Err(failure);
        }
        let mut plain = self.config.clone();
        plain.ssl_mode(SslMode::Disable);
        plain.connect(self.tls.clone()).await.map_err(|_| failure)
    }

    /// One connection of its own.
    pub(crate) async fn connect(&self) -> Result<Client> {
        let (client, connection) = self.open().await?;
        // The task ends with the client. Its error is seen by whoever uses the client.
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

    /// A pool of at most so many connections, each set up with these settings.
    pub(crate) fn pool(&self, size: usize, settings: &'static str) -> Result<Pool> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_connect(self.config.clone(), self.clone(), recycling);
        let settings = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
            Box::pin(async move {
                let end = tokio::time::timeout(CONNECT_PATIENCE, client.batch_execute(settings)).await;
                end.map_err(|_| HookError::message(TOO_LONG))?.map_err(HookError::Backend)
            })
        });
        Pool::builder(manager)
            .max_size(size)
            .wait_timeout(Some(POOL_PATIENCE))
            .create_timeout(Some(CONNECT_PATIENCE))
            .recycle_timeout(Some(CONNECT_PATIENCE))
            .runtime(Runtime::Tokio1)
            .post_create(settings)
            .build()
            .map_err(|e| StoreError::Internal(e.to_string()))
    }
}

/// The pools connect as everybody does.
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

/// What an answer that does not come is called.
const TOO_LONG: &str = "connecting took too long";

/// Asks something of a connection that is being made ready. A server may go silent at any moment, also right after the log-in.
pub(crate) async fn promptly<T>(asking: impl Future<Output = std::result::Result<T, Error>>) -> Result<T> {
    match tokio::time::timeout(CONNECT_PATIENCE, Box::pin(asking)).await {
        Ok(end) => end.map_err(|e| unreachable_error(&e)),
        Err(_) => Err(StoreError::Unavailable(TOO_LONG.into())),
    }
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Target").finish_non_exhaustive()
    }
}

/// The words never hold the URL itself: it carries a password.
fn bad_url(why: impl Into<Arc<str>>) -> StoreError {
    StoreError::Internal(format!("the PostgreSQL URL is not usable: {}", why.into()))
}
