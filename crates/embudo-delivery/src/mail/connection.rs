//! Connections to the mail server: settings, TLS, authentication, and a few idle ones kept for the next mail.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lettre::transport::smtp::commands::{Ehlo, Noop, Starttls};
use lettre::transport::smtp::extension::ClientId;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::Phase;
use super::hitch::Hitch;
use super::line::{Cause, Line, Reply, Transport, within};
use crate::InvalidSetting;

/// How the connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    None,
    /// Begins without encryption and must be upgraded; if the server does not offer that, no mail is sent.
    Starttls,
    /// Encrypted from the first byte.
    Tls,
}

/// Settings of the mail server.
#[derive(Clone)]
pub struct SmtpSettings {
    pub host: String,
    pub port: u16,
    pub tls: Tls,
    /// User and password; `None` where the server asks for no login.
    pub credentials: Option<(String, String)>,
    /// Certificates (PEM) that are trusted beside the public ones.
    pub ca_pem: Option<Vec<u8>>,
    /// Time to look the host up, and to connect to each of its addresses.
    pub connect_timeout: Duration,
    /// Time for the greeting, the TLS handshake and each reply.
    pub reply_timeout: Duration,
    /// Time for the whole conversation, connecting included.
    pub conversation_timeout: Duration,
    /// How many idle connections are kept.
    pub idle_max: usize,
    /// How long an idle connection is kept; servers hang up after some minutes of silence.
    pub idle_timeout: Duration,
}

impl SmtpSettings {
    /// Settings for this server with the default time-outs.
    pub fn new(host: impl Into<String>, port: u16, tls: Tls) -> Self {
        Self {
            host: host.into(),
            port,
            tls,
            credentials: None,
            ca_pem: None,
            connect_timeout: Duration::from_secs(10),
            reply_timeout: Duration::from_secs(30),
            conversation_timeout: Duration::from_secs(300),
            idle_max: 4,
            idle_timeout: Duration::from_secs(30),
        }
    }
}

/// Does not show user and password.
impl fmt::Debug for SmtpSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, tls, .. } = self;
        write!(f, "Ajustes({host}:{port} {tls:?})")
    }
}

/// A connection that is ready for a mail.
pub(super) struct Connection {
    pub line: Line,
    /// What the server said it can do: lines of its reply to `EHLO`.
    extensions: Vec<String>,
}

impl Connection {
    /// Whether the server offers this extension.
    pub fn offers(&self, extension: &str) -> bool {
        self.extensions.iter().any(|line| first_word(line).eq_ignore_ascii_case(extension))
    }

    fn offers_auth(&self, mechanism: &str) -> bool {
        let is_auth = |line: &&String| first_word(line).eq_ignore_ascii_case("AUTH");
        let offered = self.extensions.iter().filter(is_auth).flat_map(|line| line.split_whitespace().skip(1));
        offered.into_iter().any(|word| word.eq_ignore_ascii_case(mechanism))
    }
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// Makes connections and keeps idle ones.
pub(super) struct Connections {
    settings: SmtpSettings,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    hello: ClientId,
    idle: Mutex<Vec<(Connection, Instant)>>,
}

impl Connections {
    pub fn new(settings: SmtpSettings) -> Result<Self, InvalidSetting> {
        let tls = match settings.tls {
            Tls::None => None,
            Tls::Starttls | Tls::Tls => Some(tls(&settings)?),
        };
        Ok(Self { settings, tls, hello: ClientId::default(), idle: Mutex::new(Vec::new()) })
    }

    pub fn host(&self) -> &str {
        &self.settings.host
    }

    /// A connection that is ready for a mail: an idle one that still answers, or a new one.
    pub async fn take(&self) -> Result<Connection, Hitch> {
        while let Some(mut with) = self.pop_idle() {
            // A connection that a firewall has dropped never answers: it must not use up the time of the whole mail.
            let alive = timeout(self.settings.connect_timeout, with.line.command(Noop)).await;
            if matches!(alive, Ok(Ok(_))) {
                return Ok(with);
            }
        }
        self.open_line().await
    }

    /// Keeps a connection whose last mail went well.
    pub fn give_back(&self, with: Connection) {
        let mut idle = self.idle.lock().expect("nobody panics while holding it");
        if idle.len() < self.settings.idle_max {
            idle.push((with, Instant::now()));
        }
    }

    /// Connects and authenticates.
    pub async fn open_line(&self) -> Result<Connection, Hitch> {
        let mut with = self.greet().await.map_err(|error| Hitch { phase: Phase::Connection, error })?;
        if let Some((user, password)) = &self.settings.credentials {
            let auth = authenticate(&mut with, user, password).await;
            auth.map_err(|error| Hitch { phase: Phase::Authentication, error })?;
        }
        Ok(with)
    }

    /// Connects, encrypts where that is wanted, and reads the server's extensions.
    async fn greet(&self) -> Result<Connection, Cause> {
        let patience = self.settings.reply_timeout;
        let mut stream: Box<dyn Transport> = Box::new(self.connect().await?);
        if self.settings.tls == Tls::Tls {
            stream = self.encrypt(stream).await?;
        }
        let mut line = Line::new(stream, patience);
        line.reply().await?;
        let mut with = self.hello(line).await?;
        if self.settings.tls == Tls::Starttls {
            if !with.offers("STARTTLS") {
                let text = "el servidor no ofrece STARTTLS y SMTP_TLS lo exige";
                return Err(Cause::Own(text.to_owned()));
            }
            with.line.command(Starttls).await?;
            let stream = self.encrypt(with.line.into_inner()).await?;
            with = self.hello(Line::new(stream, patience)).await?;
        }
        Ok(with)
    }

    /// The first of the host's addresses that takes the connection.
    async fn connect(&self) -> Result<TcpStream, Cause> {
        let SmtpSettings { host, port, connect_timeout, .. } = &self.settings;
        let addresses = within(*connect_timeout, tokio::net::lookup_host((host.as_str(), *port))).await?;
        let mut last = Cause::Own("el nombre del servidor no tiene dirección".to_owned());
        for address in addresses {
            match timeout(*connect_timeout, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    // A command is a short write whose reply we wait for, so the system must not delay it.
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Ok(Err(error)) => last = Cause::Own(error.to_string()),
                Err(_) => last = Cause::Own("el servidor no aceptó la conexión a tiempo".to_owned()),
            }
        }
        Err(last)
    }

    async fn encrypt(&self, stream: Box<dyn Transport>) -> Result<Box<dyn Transport>, Cause> {
        let (connector, name) = self.tls.as_ref().expect("made with the settings that ask for it");
        let handshake = connector.connect(name.clone(), stream);
        Ok(Box::new(within(self.settings.reply_timeout, handshake).await?))
    }

    async fn hello(&self, mut line: Line) -> Result<Connection, Cause> {
        let Reply { lines, .. } = line.command(Ehlo::new(self.hello.clone())).await?;
        // The first line is the server's name, not an extension.
        Ok(Connection { line, extensions: lines.into_iter().skip(1).collect() })
    }

    fn pop_idle(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().expect("nobody panics while holding it");
        idle.retain(|(_, since)| since.elapsed() < self.settings.idle_timeout);
        idle.pop().map(|(with, _)| with)
    }
}

async fn authenticate(with: &mut Connection, user: &str, password: &str) -> Result<(), Cause> {
    if with.offers_auth("PLAIN") {
        let secret = STANDARD.encode(format!("\0{user}\0{password}"));
        with.line.command(format!("AUTH PLAIN {secret}\r\n")).await?;
    } else if with.offers_auth("LOGIN") {
        with.line.command("AUTH LOGIN\r\n").await?;
        with.line.command(format!("{}\r\n", STANDARD.encode(user))).await?;
        with.line.command(format!("{}\r\n", STANDARD.encode(password))).await?;
    } else {
        let text = "el servidor no ofrece PLAIN ni LOGIN para identificarse";
        return Err(Cause::Own(text.to_owned()));
    }
    Ok(())
}

fn tls(settings: &SmtpSettings) -> Result<(TlsConnector, ServerName<'static>), InvalidSetting> {
    let mut roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(pem) = &settings.ca_pem {
        let unreadable = || InvalidSetting("the CA file holds no readable PEM certificate".to_owned());
        let certs = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
        let certs = certs.ok().filter(|certs| !certs.is_empty()).ok_or_else(unreadable)?;
        for cert in certs {
            roots.add(cert).map_err(|_| unreadable())?;
        }
    }
    let cannot = |error: &dyn fmt::Display| InvalidSetting(format!("TLS cannot be set up: {error}"));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| cannot(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(settings.host.clone()).map_err(|error| cannot(&error))?;
    Ok((TlsConnector::from(Arc::new(config)), name))
}
