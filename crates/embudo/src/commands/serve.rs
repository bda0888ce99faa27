//! `embudo serve`: the API, the deliveries and the housekeeping in one process.
//!
//! Everything before the socket opens is quick, so that the server is ready at once on an existing database; sweeps and
//! other scans of the data run beside the requests. This file contains the order of start and stop.

mod backups;
mod metrics;
mod set_up;
mod state;
mod stop_signals;
mod traces;
mod welcome;
mod worker;

use self::stop_signals::StopSignal;
use self::welcome::Welcome;
use self::worker::Worker;
use crate::data_dir::{DataDirLock, FirstStart, StoredKey, set_up_file};
use crate::installation::{self, Surroundings};
use crate::logging;
use crate::outbound;
use crate::settings::{ApiKey, BaseUrl, Secret, Settings};
use axum::Router;
use embudo_api::{HttpSettings, HttpState, metrics_router, router, unknown_route};
use embudo_app::{App, Pace};
use embudo_domain::contact;
use embudo_pages::{LoginQuota, Quota, WebSettings, WebState};
use embudo_server::{ApiKeys, BodyBudget, BodySettings, Callers, Limits, serve};
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The age from which files of interrupted writes are removed from the blob folder. Younger ones may belong to writes
/// that are still running.
const LEFTOVER_AGE: Duration = Duration::from_secs(60 * 60);
/// How long a stop waits until the last counts for limits (attempts, messages) are stored.
const LAST_COUNTS: Duration = Duration::from_secs(2);
/// How often unused data is dropped from memory: data is dropped if it was not used since the last time.
const FORGETTING: Duration = Duration::from_secs(20);
/// File descriptors for everything except client connections: database, photos, log.
const OWN_DESCRIPTORS: u64 = 256;

/// The parts of the product, before it serves requests.
pub struct Product<'a> {
    pub app: &'a App,
    /// All routes.
    pub router: Router,
    /// Only the pages of clients.
    pub clients: Router,
    pub key: &'a str,
}

/// The changes that a demo makes to the product.
pub struct Dressed {
    pub router: Router,
    /// A second listener, with its routes, if the demo needs one.
    pub beside: Option<(TcpListener, Router)>,
    /// The text that is printed at every start, instead of the usual text of a first start.
    pub welcome: String,
}

/// Serves until a signal comes, and then until all running requests are answered or `DRAIN_S` is over.
pub async fn run(settings: &Settings) -> Result<(), Box<dyn Error>> {
    Box::pin(run_dressed(settings, Surroundings::default(), async |_| Ok(None))).await
}

/// Like `run`, in other surroundings, and with the changes that `dress` makes to the product before it runs.
pub async fn run_dressed(
    settings: &Settings,
    within: Surroundings,
    dress: impl AsyncFnOnce(Product<'_>) -> Result<Option<Dressed>, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let descriptors = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(0);
    // Installs the crypto provider for TLS. The call fails if another caller has done it already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();

    let mut lock = DataDirLock::take(&settings.data_dir)?;
    let data_dir = StoredKey::obtain(settings)?;
    let metrics = metrics::install(installation::engine(settings), &settings.data_dir)?;
    let app = installation::open_to_serve(settings, within).await?;
    let callers = Arc::new(Callers::new(settings.trusted_proxies.clone()));
    let web = WebState::new(app.clone(), web_settings(settings, &app)?, Arc::clone(&callers));
    let http_state = HttpState::new(
        app.clone(),
        http_settings(settings, &data_dir.key, Arc::clone(&metrics.render))?,
        callers,
    );

    let stop = StopSignal::install()?;
    let listener = bind("BIND", settings.bind).await?;
    let address = listener.local_addr()?;
    let metrics_listener = match settings.metrics_bind {
        Some(address) => Some(bind("METRICS_BIND", address).await?),
        None => None,
    };

    let url = base_url(address);
    let clients = embudo_pages::client_router(web.clone(), unknown_route);
    let whole = router(http_state.clone(), embudo_pages::router(web.clone(), unknown_route));
    let product = Product { app: &app, router: whole.clone(), clients, key: data_dir.key.expose() };
    let dressed = dress(product).await?;
    say_ready(settings, &data_dir.key, &url, metrics_listener.as_ref(), descriptors);
    let first_start = lock.ready();
    let (served_router, beside) = match dressed {
        Some(dressed) => {
            logging::print(&dressed.welcome)?;
            (dressed.router, dressed.beside)
        }
        None => {
            if first_start == FirstStart::Yes {
                let welcome = Welcome { settings, data_dir: &data_dir, url: &url };
                logging::print(&welcome.text(logging::is_terminal()))?;
            }
            (whole, None)
        }
    };
    let (offered, (), ()) = tokio::join!(
        set_up::offer(settings, &app, &url),
        say_what_leaves(settings, &app),
        make_push_key(&app)
    );
    offered?;

    let traces = traces::start(settings, &app);
    let worker = Worker::start(app.clone(), stop.asked(), settings.drain_s);
    let mut chores = start_chores(&app, metrics);
    chores.extend(backups::start(settings, &app));
    let limits = limits(settings);
    let metrics_served = metrics_listener.map(|listener| (listener, metrics_router(http_state.clone())));
    let mut beside_served = Vec::new();
    for (name, served) in [("serving metrics", metrics_served), ("serving beside", beside)] {
        let Some((listener, router)) = served else { continue };
        let state = (listener.into_std()?, router, limits.clone(), stop.asking());
        beside_served.push(app.supervisor.spawn(name, state, |(listener, router, limits, asking), _| {
            Box::pin(serve_beside(listener, router.clone(), limits.clone(), asking.clone()))
        }));
    }
    let asked = async {
        stop.asked().await;
        web.end_streams();
    };
    let served = serve(listener, served_router, limits, asked).await;

    for beside in beside_served {
        let _ = beside.await;
    }
    // Requests start deliveries and wait for them, so the worker ends after the requests.
    worker.finish().await;
    if !matches!(tokio::time::timeout(LAST_COUNTS, app.limits().flush()).await, Ok(Ok(_))) {
        tracing::warn!("the last second's counts of attempts and messages could not be written down");
    }
    if let Some(traces) = traces {
        traces.finish().await;
    }
    // The background tasks hold the database, which closes cleanly only when nothing holds it any more.
    drop(app);
    for chore in chores {
        chore.abort();
        let _ = chore.await;
    }
    stop.finish();
    served.map_err(|error| format!("{error}; DRAIN_S says how many seconds they are given"))?;
    tracing::info!("stopped");
    Ok(())
}

fn http_settings(
    settings: &Settings,
    key: &ApiKey,
    render: Arc<dyn Fn() -> String + Send + Sync>,
) -> Result<HttpSettings, Box<dyn Error>> {
    let previous = settings.funnel_api_key_previous.as_ref().map(ApiKey::expose);
    let token = settings.metrics_token.as_ref().map(Secret::expose);
    Ok(HttpSettings {
        limit_key: settings.rate_limit_key.map(Into::into),
        max_bot_bytes: usize::try_from(settings.max_body_bot)?,
        max_ingesta_bytes: usize::try_from(settings.max_body_ingesta)?,
        body_budget: BodyBudget::new(BodySettings::of(settings.body_budget)),
        metrics: Some(render),
        metrics_token: token.map(|token| ApiKeys::new(token, None)).transpose()?,
        mcp_hosts: mcp_hosts(settings),
        ..HttpSettings::new(ApiKeys::new(key.expose(), previous)?)
    })
}

/// The hosts under which `/mcp` answers: this machine's own names, those of `PUBLIC_URL` and `BIND`, and `MCP_HOSTS`.
fn mcp_hosts(settings: &Settings) -> Vec<String> {
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(Into::into).into();
    hosts.extend(settings.public_url.as_ref().and_then(BaseUrl::host));
    hosts.extend(Some(settings.bind.ip()).filter(|ip| !ip.is_unspecified()).map(|ip| ip.to_string()));
    hosts.extend(settings.mcp_hosts.iter().map(|host| host.as_str().to_owned()));
    hosts
}

fn web_settings(settings: &Settings, app: &App) -> Result<WebSettings, Box<dyn Error>> {
    Ok(WebSettings {
        max_upload_bytes: usize::try_from(settings.max_body_ingesta)?,
        body_budget: BodyBudget::new(BodySettings::public(settings.body_budget)),
        quota: Quota {
            leads_per_hour: settings.form_leads_per_hour,
            fotos_per_hour: settings.form_photos_per_hour,
            leads_per_day: settings.form_leads_per_day,
        },
        logins: LoginQuota {
            per_account: settings.panel_tries_per_account,
            per_address: settings.panel_tries_per_address,
        },
        set_up_file: Some(set_up_file(&settings.data_dir)),
        installation: Some(state::look(settings, app)),
    })
}

fn limits(settings: &Settings) -> Limits {
    let connections = usize::try_from(settings.max_connections.get()).unwrap_or(usize::MAX);
    Limits { connections, drain: settings.drain_s, ..Limits::default() }
}

async fn bind(setting: &str, address: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(address).await.map_err(|error| {
        let problem = match error.kind() {
            io::ErrorKind::AddrInUse => format!(
                "is in use by another program; stop that one, or choose another port (0 takes a free one): \
                 --set {setting}={}:0",
                match address {
                    SocketAddr::V4(v4) => v4.ip().to_string(),
                    SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
                }
            ),
            io::ErrorKind::AddrNotAvailable => {
                "is no address of this machine; 127.0.0.1 serves this machine only, 0.0.0.0 every network"
                    .to_owned()
            }
            io::ErrorKind::PermissionDenied => {
                "is refused by the system; ports under 1024 need a special right, so choose a higher one"
                    .to_owned()
            }
            _ => format!("cannot be listened on: {error}"),
        };
        format!("{setting}: {address} {problem}")
    })
}

/// The address for people. If the server listens on all networks, it is the loopback address, which can be opened.
fn base_url(mut address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    format!("http://{address}")
}

fn say_ready(settings: &Settings, key: &ApiKey, url: &str, metrics: Option<&TcpListener>, descriptors: u64) {
    let version = env!("CARGO_PKG_VERSION");
    let engine = installation::engine(settings);
    tracing::info!(url, bind = %settings.bind, engine, version, "listening");
    if let Some(address) = metrics.and_then(|listener| listener.local_addr().ok()) {
        tracing::info!(url = format!("{}/metrics", base_url(address)), "metrics served apart");
    }
    let previous = settings.funnel_api_key_previous.as_ref();
    for (name, key) in [("FUNNEL_API_KEY", Some(key)), ("FUNNEL_API_KEY_PREVIOUS", previous)] {
        if key.is_some_and(ApiKey::is_short) {
            let least = ApiKey::LEAST_CHARS;
            tracing::warn!(
                setting = name,
                "the API key is so short that it may be guessed: give it {least} random characters or more"
            );
        }
    }
    if descriptors < u64::from(settings.max_connections.get()) + OWN_DESCRIPTORS {
        tracing::warn!(
            descriptors,
            max_connections = settings.max_connections.get(),
            "the system allows too few open files for MAX_CONNECTIONS: raise the hard limit (ulimit -Hn) or lower it"
        );
    }
}

/// Logs which deliveries are configured, and which jobs are held because their delivery is not configured.
async fn say_what_leaves(settings: &Settings, app: &App) {
    tracing::info!("{}", outbound::summary(settings, &app.outbound));
    if app.outbound.perfil.is_some() && app.outbound.links.is_none() {
        tracing::warn!(
            "PUBLIC_URL is not set: profile signals carry their photos inline, and many receivers refuse more than 16 MB (n8n does)"
        );
    }
    let own = app.store.own_receivers().await.unwrap_or_default();
    match app.store.count_jobs().await {
        Ok(counts) => {
            outbound::held(settings, &own, &counts).iter().for_each(|held| tracing::warn!("jobs: {held}"));
        }
        Err(error) => tracing::warn!(%error, "jobs that wait could not be counted"),
    }
}

/// Makes the key for web push before a page needs it, because viewing a page must write nothing.
async fn make_push_key(app: &App) {
    if let Err(error) = app.access().push_key().await {
        tracing::warn!(%error, "the key for notices on devices could not be made; it is tried again when it is needed");
    }
}

/// Drops unused data from memory, such as the numbering plans of telephones, which are loaded again when needed.
async fn keep_forgetting() {
    let mut turn = tokio::time::interval(FORGETTING);
    loop {
        turn.tick().await;
        contact::forget_unused();
    }
}

/// Starts the background tasks that run until the end.
fn start_chores(app: &App, metrics: metrics::Metrics) -> Vec<JoinHandle<()>> {
    let mut chores = app.housekeeping().start_chores(Pace::default());
    chores.push(app.supervisor.spawn("metrics", metrics, |metrics, _| Box::pin(metrics.keep())));
    chores.push(app.supervisor.spawn("forgetting", (), |(), _| Box::pin(keep_forgetting())));
    chores.push(
        app.supervisor.spawn("clearing leftovers", app.clone(), |app, _| Box::pin(clear_leftovers(app))),
    );
    chores
}

async fn serve_beside(
    listener: &std::net::TcpListener,
    router: Router,
    limits: Limits,
    asking: watch::Receiver<bool>,
) {
    let listening = listener.try_clone().and_then(TcpListener::from_std);
    let served = match listening {
        // If the drain cuts a client here, the exit code does not report a failed stop.
        Ok(listener) => serve(listener, router, limits, stop_signals::asked(asking)).await.map_err(drop),
        Err(_) => Err(()),
    };
    if served.is_err() {
        tracing::warn!("what is served beside the main address is no longer served");
    }
}

/// Removes the files of interrupted writes, once at the start.
async fn clear_leftovers(app: &App) {
    match app.blobs.remove_leftovers(LEFTOVER_AGE).await {
        Ok(0) => {}
        Ok(files) => tracing::info!(files, "leftovers of interrupted writes removed"),
        Err(error) => tracing::warn!(%error, "leftovers of interrupted writes could not be removed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_shown_can_be_opened() {
        for (bound, shown) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("0.0.0.0:80", "http://127.0.0.1:80"),
            ("[::]:8080", "http://[::1]:8080"),
            ("192.168.1.2:9", "http://192.168.1.2:9"),
        ] {
            assert_eq!(base_url(bound.parse().unwrap()), shown);
        }
    }
}
