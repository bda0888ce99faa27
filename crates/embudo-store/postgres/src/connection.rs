//! How PostgreSQL is reached: the URL, TLS, and the settings of each kind of connection, in one place.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use embudo_store::{Result, StoreError};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::Opciones;
use crate::failure::unreachable_error;
use crate::tls;

/// How long a connection may take to come about before callers are told that storage is away.
const CONNECT_PATIENCE: Duration = Duration::from_secs(3);
/// How long a caller waits for a connection of the pool.
const POOL_PATIENCE: Duration = Duration::from_secs(3);

/// The pool's connections. A statement gives up well before the client does, so that a stuck one does not hold a connection.
const POOL_SETTINGS: &str =
    "SET statement_timeout = '10s'; SET idle_in_transaction_session_timeout = '15s'; SET jit = off";

/// A writer's connection. Its few statements reach every row by key: planned once, and never over a whole table, however
/// small the tables were at the time. A batch of the allowed size is sorted in memory. A lead that is held for long fails its
/// own commands alone, and soon, because others wait behind them.
const WRITER_SETTINGS: &str = "SET statement_timeout = '9s'; SET lock_timeout = '2s'; SET jit = off; SET enable_seqscan = off; \
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
    /// `verify-ca` and `verify-full`, which are what `require` does here anyway.
    pub(crate) fn parse(url: &str) -> Result<Self> {
        let (rest, own) = tls::own_parameters(url).map_err(bad_url)?;
        let mut config: Config = rest.parse().map_err(|e: tokio_postgres::Error| bad_url(e.to_string()))?;
        if let Some(mode) = own.mode {
            config.ssl_mode(mode);
        }
        // TLS on a socket in the file system protects nothing, and the driver cannot do it.
        if config.get_hosts().iter().any(|host| !matches!(host, Host::Tcp(_))) {
            config.ssl_mode(SslMode::Disable);
        }
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
        let tls = tls::connector(config.get_ssl_mode(), own.root_cert.as_deref()).map_err(bad_url)?;
        Ok(Self { config, tls })
    }

    /// One connection of its own, as the server gives it, and what must be polled for it.
    pub(crate) async fn open(&self) -> Result<(Client, OpenConnection)> {
        let connecting = self.config.connect(self.tls.clone());
        let late = |_| StoreError::Unavailable("connecting took too long".into());
        tokio::time::timeout(CONNECT_PATIENCE, connecting)
            .await
            .map_err(late)?
            .map_err(|e| unreachable_error(&e))
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
        client.batch_execute(WRITER_SETTINGS).await.map_err(|e| unreachable_error(&e))?;
        Ok(client)
    }

    /// The pool for reads and for commands that run alone.
    pub(crate) fn pool(&self, opciones: &Opciones) -> Result<Pool> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(self.config.clone(), self.tls.clone(), recycling);
        let settings = Hook::async_fn(|client: &mut deadpool_postgres::ClientWrapper, _| {
            Box::pin(async move { client.batch_execute(POOL_SETTINGS).await.map_err(HookError::Backend) })
        });
        Pool::builder(manager)
            .max_size(opciones.pool)
            .wait_timeout(Some(POOL_PATIENCE))
            .create_timeout(Some(CONNECT_PATIENCE))
            .recycle_timeout(Some(CONNECT_PATIENCE))
            .runtime(Runtime::Tokio1)
            .post_create(settings)
            .build()
            .map_err(|e| StoreError::Internal(e.to_string()))
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
