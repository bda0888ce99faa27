//! The hosts of a URL: each is tried within a time limit of its own, and the one that answered last is tried first.
//!
//! If a host fails, the next one is tried at once; if a host does not answer, the next one is tried as well after a
//! moment. So a frozen or switched-off host delays a connection only by that moment. The first host that answers is
//! used.

use std::error::Error as _;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tokio_postgres::config::{Host as Name, SslMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, Error, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long a host may take for name resolution, connection, encryption, log-in and the check that it accepts writes.
pub(crate) const LIMIT: Duration = Duration::from_secs(3);
/// How long a host may be silent before the next one is tried as well.
pub(crate) const HEAD_START: Duration = Duration::from_secs(1);

/// The half of a connection that moves the bytes and must be polled.
type OpenConnection = Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// A client, and its connection that must be polled.
pub(crate) type Open = (Client, OpenConnection);

/// One host of the URL.
pub(crate) struct Host {
    /// The settings with this host alone.
    config: Config,
    limit: Duration,
    /// The address that answered last: a name may have several addresses, and not all may answer.
    address: Mutex<Option<IpAddr>>,
}

impl Host {
    /// Splits a URL into its hosts. The lists of a URL have the same length, or the driver would refuse them.
    pub(crate) fn all(config: &Config) -> Result<Vec<Self>, String> {
        let (names, addresses, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
        let many = names.len().max(addresses.len());
        let fits = |length: usize, least: usize| length <= least || length == many;
        if many == 0 || !fits(names.len(), 0) || !fits(addresses.len(), 0) || !fits(ports.len(), 1) {
            return Err("it needs a host, and as many ports and addresses as hosts".into());
        }
        let host = |n: usize| {
            let mut one = without_host(config);
            match names.get(n) {
                // TLS on a Unix socket protects nothing, and the driver cannot do it.
                Some(Name::Unix(path)) => one.host_path(path).ssl_mode(SslMode::Disable),
                Some(Name::Tcp(name)) => one.host(name),
                None => &mut one,
            };
            if let Some(address) = addresses.get(n) {
                one.hostaddr(*address);
            }
            one.port(ports.get(n).or(ports.first()).copied().unwrap_or(5432));
            let limit = config.get_connect_timeout().map_or(LIMIT, |own| LIMIT.min(*own));
            Self { config: one, limit, address: Mutex::default() }
        };
        Ok((0..many).map(host).collect())
    }

    /// Connects within the time limit.
    pub(crate) async fn dial(&self, tls: &MakeRustlsConnect) -> Result<Open, Error> {
        let dialing = async {
            let ways = self.ways().await;
            let way = |(address, config)| async move { Ok((address, dial(&config, tls).await?)) }.boxed();
            first(ways.into_iter().map(way).collect()).await
        };
        match tokio::time::timeout(self.limit, dialing).await {
            Ok(Ok((address, open))) => {
                *self.address() = address;
                Ok(open)
            }
            Ok(Err(errors)) => Err(most_telling(errors)),
            Err(_) => Err(Error::__private_api_timeout()),
        }
    }

    /// A configuration for each address of the host; the address that answered last comes first. If the name cannot be
    /// resolved, the driver gets it as it is and reports the error.
    async fn ways(&self) -> Vec<(Option<IpAddr>, Config)> {
        let as_it_is = || vec![(None, self.config.clone())];
        let (Some(Name::Tcp(name)), []) = (self.config.get_hosts().first(), self.config.get_hostaddrs())
        else {
            return as_it_is();
        };
        let Ok(found) = tokio::net::lookup_host((name.as_str(), 0)).await else { return as_it_is() };
        let last = *self.address();
        let mut found: Vec<IpAddr> = found.map(|address| address.ip()).collect();
        found.sort_by_key(|address| Some(*address) != last);
        found.dedup();
        let at = |address: IpAddr| {
            let mut config = self.config.clone();
            config.hostaddr(address);
            (Some(address), config)
        };
        found.into_iter().map(at).collect()
    }

    fn address(&self) -> MutexGuard<'_, Option<IpAddr>> {
        // The value is consistent even if a thread panicked while it held the lock.
        self.address.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Everything in a URL except its hosts.
fn without_host(config: &Config) -> Config {
    let mut copy = Config::new();
    if let Some(user) = config.get_user() {
        copy.user(user);
    }
    if let Some(password) = config.get_password() {
        copy.password(password);
    }
    if let Some(dbname) = config.get_dbname() {
        copy.dbname(dbname);
    }
    if let Some(options) = config.get_options() {
        copy.options(options);
    }
    copy.application_name(config.get_application_name().unwrap_or("embudo"));
    copy.ssl_mode(config.get_ssl_mode()).ssl_negotiation(config.get_ssl_negotiation());
    copy.channel_binding(config.get_channel_binding());
    copy.target_session_attrs(config.get_target_session_attrs());
    copy.tcp_user_timeout(config.get_tcp_user_timeout().copied().unwrap_or(LIMIT));
    copy.keepalives(true).keepalives_idle(Duration::from_secs(10));
    copy.keepalives_interval(Duration::from_secs(2)).keepalives_retries(3);
    copy
}

/// Connects. If TLS is only preferred and fails, connects without it, as libpq does.
async fn dial(config: &Config, tls: &MakeRustlsConnect) -> Result<Open, Error> {
    let failure = match config.connect(tls.clone()).await {
        Err(failure) if config.get_ssl_mode() == SslMode::Prefer => failure,
        end => return end,
    };
    // A server that answered over TLS and refused would refuse without TLS too, unless it refuses TLS itself (28000: no
    // line of pg_hba.conf fits).
    if failure.code().is_some_and(|code| code.code() != "28000") || is_read_only(&failure) {
        return Err(failure);
    }
    let mut plain = config.clone();
    plain.ssl_mode(SslMode::Disable);
    plain.connect(tls.clone()).await.map_err(|_| failure)
}

/// Whether the driver found that the server does not accept writes.
fn is_read_only(error: &Error) -> bool {
    let io = error.source().and_then(|cause| cause.downcast_ref::<std::io::Error>());
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::PermissionDenied)
}

/// The error that the operator should see: what a server said, or else why the last host did not answer.
pub(crate) fn most_telling(mut errors: Vec<Error>) -> Error {
    let said = errors.iter().position(|error| error.code().is_some());
    let said = said.or_else(|| errors.iter().position(is_read_only));
    match said {
        Some(at) => errors.swap_remove(at),
        None => errors.pop().unwrap_or_else(Error::__private_api_timeout),
    }
}

/// Tries one after the other: the next attempt starts when one has failed, or has been silent for a moment. The first
/// that succeeds is used, and the others are dropped.
pub(crate) async fn first<T>(attempts: Vec<BoxFuture<'_, Result<T, Error>>>) -> Result<T, Vec<Error>> {
    let mut waiting = attempts.into_iter();
    let mut running: FuturesUnordered<_> = waiting.next().into_iter().collect();
    let mut errors = Vec::new();
    loop {
        let next = tokio::time::timeout(HEAD_START, running.next()).await;
        match next {
            Ok(Some(Ok(made))) => return Ok(made),
            Ok(Some(Err(error))) => errors.push(error),
            // Each running attempt has a time limit of its own.
            Err(_) => {}
            Ok(None) => return Err(errors),
        }
        running.extend(waiting.next());
    }
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::TargetSessionAttrs;

    use super::*;

    fn hosts(url: &str) -> Vec<Config> {
        let config: Config = url.parse().expect("a URL");
        Host::all(&config).expect("hosts").into_iter().map(|host| host.config).collect()
    }

    #[test]
    fn every_host_stands_alone_with_all_that_the_url_says() {
        let url = "postgres://u:p@a:1,b,%2Frun%2Fpg:3/db?target_session_attrs=read-write&options=-c%20x%3Dy";
        let hosts = hosts(url);
        let ports: Vec<&[u16]> = hosts.iter().map(Config::get_ports).collect();
        assert_eq!(ports, [[1], [5432], [3]]);
        for host in &hosts {
            assert_eq!(host.get_hosts().len(), 1);
            assert_eq!((host.get_user(), host.get_password()), (Some("u"), Some(b"p".as_slice())));
            assert_eq!((host.get_dbname(), host.get_options()), (Some("db"), Some("-c x=y")));
            assert_eq!(host.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
        }
        let modes: Vec<SslMode> = hosts.iter().map(Config::get_ssl_mode).collect();
        assert_eq!(
            modes,
            [SslMode::Prefer, SslMode::Prefer, SslMode::Disable],
            "no TLS on a socket of files"
        );
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        for bad in
            ["postgres:///db?user=u", "postgres://a,b/db?port=1,2,3", "postgres://a,b/db?hostaddr=127.0.0.1"]
        {
            let Ok(config) = bad.parse::<Config>() else { continue };
            assert!(Host::all(&config).is_err(), "{bad}");
        }
    }

    #[tokio::test]
    async fn one_that_says_nothing_gets_company_and_the_first_answer_counts() {
        let start = std::time::Instant::now();
        let after = |seconds| async move {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            Ok(seconds)
        };
        let attempts = [60, 30, 0].map(|seconds| after(seconds).boxed());
        assert_eq!(first(attempts.into()).await.expect("one answers"), 0);
        assert!(start.elapsed() >= 2 * HEAD_START && start.elapsed() < Duration::from_secs(30));
        assert!(first::<()>(Vec::new()).await.expect_err("nobody").is_empty());
    }
}
