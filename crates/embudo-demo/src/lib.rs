//! `embudo demo`: a company that does not exist, with five months of history, on the real product.
//!
//! Everything that the product would reach is here instead: a mail server that keeps what it gets (`mailbox`), a
//! workflow that answers the signals (`workflow`), and pages that show both. The data is not loaded but lived: the
//! story goes through the API and the use cases, with a clock that stands in the past. The product itself knows nothing
//! of this crate.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod api;
mod band;
mod clients;
mod clock;
mod folder;
mod mailbox;
mod messages;
mod pages;
mod rooms;
mod story;
mod workflow;

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use embudo_app::{App, Clock};
use embudo_delivery::Secrets;
use fast_qr::QRBuilder;
use tokio::net::TcpListener;

pub use folder::{FolderError, reset};
pub use story::{OWNER, PASSWORD};

use api::Api;
use clock::StoryClock;
use folder::{Told, state, write_state};
use mailbox::Mailbox;
use messages::Messages;
use pages::{Pages, Places};
use workflow::Workflow;

/// What surrounds the product in a demo, before the product is there.
pub struct Demo {
    clock: Arc<StoryClock>,
    folder: std::path::PathBuf,
    places: Places,
    secret: String,
    mailbox: Mailbox,
    mail: TcpListener,
    messages: Messages,
    workflow: Workflow,
    signals: TcpListener,
    lan: Option<TcpListener>,
}

/// The product in a demo.
pub struct Dressed {
    /// The product with the demo's pages, for this machine.
    pub router: Router,
    /// The client's pages for the network, where that was asked for.
    pub lan: Option<(TcpListener, Router)>,
    /// What to tell the person who started it.
    pub welcome: String,
}

impl Demo {
    /// Listens for mails and signals on free ports of this machine. With `lan`, the client's pages will be served to
    /// the network too.
    pub async fn prepare(folder: &Path, bind: SocketAddr, lan: bool) -> Result<Self, Box<dyn Error>> {
        folder::open(folder)?;
        let clock = Arc::new(StoryClock::default());
        let own = folder.join("demo");
        let mailbox = Mailbox::open(own.join("mails"), Arc::clone(&clock))?;
        let messages = Messages::open(own.join("messages"), Arc::clone(&clock))?;
        let mut random = [0; 32];
        getrandom::fill(&mut random)?;
        let secret = Secrets::write(&random);
        let workflow = Workflow::new(&secret, messages.clone())?;
        let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let (mail, signals) = (TcpListener::bind(loopback).await?, TcpListener::bind(loopback).await?);
        let lan = if lan { Some(listen_to_network(bind.port()).await?) } else { None };
        let port = bind.port();
        let lan_url = lan.as_ref().map(TcpListener::local_addr).transpose()?.map(|at| format!("http://{at}"));
        let places = Places {
            panel: format!("http://127.0.0.1:{port}"),
            client: lan_url.clone().unwrap_or_else(|| format!("http://localhost:{port}")),
            lan: lan_url.map(|url| format!("{url}/f/{}", story::SLUG)),
            folder: folder.display().to_string(),
        };
        let folder = folder.to_owned();
        Ok(Self { clock, folder, places, secret, mailbox, mail, messages, workflow, signals, lan })
    }

    /// The settings that make the product send to nobody but this demo.
    pub fn settings(&self) -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
        let signals = self.signals.local_addr()?;
        let to = |path: &str| format!("http://{signals}/{path}");
        Ok(vec![
            ("PUBLIC_URL", self.places.client.clone()),
            ("WEBHOOK_SECRET", self.secret.clone()),
            ("PERFIL_WEBHOOK_URL", to("perfil")),
            ("MESSAGING_WEBHOOK_URL", to("pdf")),
            ("MESSAGING_START_WEBHOOK_URL", to("inicio")),
            ("MESSAGING_REPLY_WEBHOOK_URL", to("respuesta")),
            ("SMTP_HOST", "127.0.0.1".to_owned()),
            ("SMTP_PORT", self.mail.local_addr()?.port().to_string()),
            ("SMTP_TLS", "none".to_owned()),
            ("EMAIL_FROM", "avisos@reformasalba.example".to_owned()),
        ])
    }

    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock) as _
    }

    /// Tells the story, unless it was told here before, and puts the demo's pages around the product. `clients` are the
    /// pages of clients alone.
    pub async fn dress(
        self,
        app: &App,
        product: Router,
        clients: Router,
        key: &str,
    ) -> Result<Dressed, Box<dyn Error + Send + Sync>> {
        let Self { clock, folder, places, mailbox, mail, messages, workflow, signals, lan, .. } = self;
        app.supervisor.spawn("demo: mails", (mailbox.clone(), mail), |(mailbox, mail), _| {
            Box::pin(mailbox.serve(mail))
        });
        let receiver = workflow.router();
        app.supervisor.spawn("demo: signals", (signals.into_std()?, receiver), |(listener, receiver), _| {
            Box::pin(receive(listener, receiver.clone()))
        });
        if state(&folder) != Told::Whole {
            write_state(&folder, Told::Begun)?;
            rooms::draw_ahead();
            let api = Api::new(product.clone(), key);
            story::tell(app, &api, &messages, &clock).await?;
            write_state(&folder, Told::Whole)?;
        }
        clock.run();
        workflow.wake(&places.panel, key);
        let lan = match lan {
            Some(listener) => {
                let host = listener.local_addr()?.to_string();
                let router = clients.merge(pages::style()).layer(from_fn_with_state(host, band::band));
                Some((listener, router))
            }
            None => None,
        };
        let welcome = welcome(&places);
        let client_host = places.client.trim_start_matches("http://").to_owned();
        let own = pages::routes(Pages {
            app: app.clone(),
            mailbox,
            messages,
            workflow,
            product: product.clone(),
            places,
        });
        let router = own.fallback_service(product).layer(from_fn_with_state(client_host, band::band));
        Ok(Dressed { router, lan, welcome })
    }
}

/// Receives signals for ever.
async fn receive(listener: &std::net::TcpListener, receiver: Router) {
    let listening = listener.try_clone().and_then(TcpListener::from_std);
    let served = match listening {
        Ok(listener) => axum::serve(listener, receiver).await,
        Err(error) => Err(error),
    };
    if let Err(error) = served {
        tracing::warn!(%error, "demo: signals are no longer received");
    }
}

/// A listener on this machine's address in the network, at the port after the panel's where that is free.
async fn listen_to_network(port: u16) -> Result<TcpListener, Box<dyn Error>> {
    let ip = network_address().ok_or(
        "--lan: this machine has no address in a network; connect it, or leave --lan out to try the demo here",
    )?;
    let next = port.checked_add(1).unwrap_or(0);
    match TcpListener::bind((ip, next)).await {
        Ok(listener) => Ok(listener),
        Err(_) => Ok(TcpListener::bind((ip, 0)).await?),
    }
}

/// The address from which this machine reaches a network. Nothing is sent: a datagram socket that is connected only
/// chooses its address.
fn network_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // A documentation address (RFC 5737), which no machine has.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_loopback() && !ip.is_unspecified()).then_some(ip)
}

fn welcome(places: &Places) -> String {
    let Places { panel, client, lan, folder } = places;
    let phone = match lan {
        Some(url) => {
            let code = QRBuilder::new(url.as_str()).build().map(|code| code.to_str()).unwrap_or_default();
            format!("  phone     {url} (same network; the client's pages only)\n\n{code}\n")
        }
        None => "  phone     start with --lan to open the client's pages on a phone\n".to_owned(),
    };
    format!(
        "The demo is ready. Open this address; you are signed in there:\n\
         \n\
         \x20 start     {panel}/demo/entrar\n\
         \n\
         \x20 form      {client}/f/{slug}\n\
         \x20 mailbox   {panel}/demo/correo\n\
         \x20 messages  {panel}/demo/mensajes\n\
         {phone}\
         \x20 data      {folder} (embudo demo --reset starts over)\n\
         \n\
         Everything is invented and nothing leaves this machine. Ctrl-C ends it.\n",
        slug = story::SLUG
    )
}
