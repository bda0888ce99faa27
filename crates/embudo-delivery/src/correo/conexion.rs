//! Connections to the mail server: settings, TLS, authentication, and a few idle ones kept for the next mail.

use std::fmt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::commands::Noop;
use lettre::transport::smtp::extension::ClientId;
use tokio::time::timeout;

use super::Fase;
use super::conversacion::{Tropiezo, propio};
use crate::AjusteInvalido;

/// How the connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// Not at all.
    None,
    /// Begins in the clear and must be upgraded; without the upgrade nothing is sent.
    Starttls,
    /// From the first byte.
    Tls,
}

/// Settings of the mail server.
#[derive(Clone)]
pub struct Ajustes {
    /// Name or address.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Encryption.
    pub tls: Tls,
    /// User and password, where the server wants them.
    pub credentials: Option<(String, String)>,
    /// Certificates (PEM) that are trusted beside the public ones.
    pub ca_pem: Option<Vec<u8>>,
    /// Time to connect to each of the host's addresses.
    pub connect_timeout: Duration,
    /// Time for the whole conversation, connecting included.
    pub conversation_timeout: Duration,
    /// How many idle connections are kept.
    pub idle_max: usize,
    /// For how long; servers hang up after some minutes of silence.
    pub idle_timeout: Duration,
}

impl Ajustes {
    /// The usual times for this server.
    pub fn new(host: impl Into<String>, port: u16, tls: Tls) -> Self {
        Self {
            host: host.into(),
            port,
            tls,
            credentials: None,
            ca_pem: None,
            connect_timeout: Duration::from_secs(10),
            conversation_timeout: Duration::from_secs(300),
            idle_max: 4,
            idle_timeout: Duration::from_secs(30),
        }
    }
}

/// Without user and password.
impl fmt::Debug for Ajustes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, tls, .. } = self;
        write!(f, "Ajustes({host}:{port} {tls:?})")
    }
}

/// Makes connections and keeps idle ones.
pub(super) struct Conexiones {
    ajustes: Ajustes,
    tls: Option<TlsParameters>,
    hello: ClientId,
    idle: Mutex<Vec<(AsyncSmtpConnection, Instant)>>,
}

impl Conexiones {
    pub fn new(ajustes: Ajustes) -> Result<Self, AjusteInvalido> {
        let tls = match ajustes.tls {
            Tls::None => None,
            Tls::Starttls | Tls::Tls => Some(tls_parameters(&ajustes)?),
        };
        Ok(Self { ajustes, tls, hello: ClientId::default(), idle: Mutex::new(Vec::new()) })
    }

    /// A connection that is ready for a mail: an idle one that still answers, or a new one.
    pub async fn tomar(&self) -> Result<AsyncSmtpConnection, Tropiezo> {
        while let Some(mut con) = self.pop_idle() {
            // A connection that a firewall forgot never answers: it must not eat the time of the whole mail.
            let alive = timeout(self.ajustes.connect_timeout, con.command(Noop)).await;
            if matches!(alive, Ok(Ok(_))) {
                return Ok(con);
            }
        }
        self.conectar().await
    }

    /// Keeps a connection whose last mail went well.
    pub fn devolver(&self, con: AsyncSmtpConnection) {
        let mut idle = self.idle.lock().expect("nobody panics while holding it");
        if idle.len() < self.ajustes.idle_max {
            idle.push((con, Instant::now()));
        }
    }

    /// Connects and authenticates.
    pub async fn conectar(&self) -> Result<AsyncSmtpConnection, Tropiezo> {
        let Ajustes { host, port, connect_timeout, .. } = &self.ajustes;
        let wrapper = if self.ajustes.tls == Tls::Tls { self.tls.clone() } else { None };
        let destino = (host.as_str(), *port);
        let en = |e| Tropiezo { fase: Fase::Conexion, error: e };
        let mut con =
            AsyncSmtpConnection::connect_tokio1(destino, Some(*connect_timeout), &self.hello, wrapper, None)
                .await
                .map_err(|e| en(e.into()))?;
        if let (Tls::Starttls, Some(tls)) = (self.ajustes.tls, &self.tls) {
            if !con.can_starttls() {
                return Err(en(propio("el servidor no ofrece STARTTLS y SMTP_TLS lo exige")));
            }
            con.starttls(tls.clone(), &self.hello).await.map_err(|e| en(e.into()))?;
        }
        if let Some((user, password)) = &self.ajustes.credentials {
            let credentials = Credentials::new(user.clone(), password.clone());
            let auth = con.auth(&[Mechanism::Plain, Mechanism::Login], &credentials).await;
            auth.map_err(|e| Tropiezo { fase: Fase::Autenticacion, error: e.into() })?;
        }
        Ok(con)
    }

    fn pop_idle(&self) -> Option<AsyncSmtpConnection> {
        let mut idle = self.idle.lock().expect("nobody panics while holding it");
        idle.retain(|(_, desde)| desde.elapsed() < self.ajustes.idle_timeout);
        idle.pop().map(|(con, _)| con)
    }
}

fn tls_parameters(ajustes: &Ajustes) -> Result<TlsParameters, AjusteInvalido> {
    let mut builder = TlsParameters::builder(ajustes.host.clone());
    if let Some(pem) = &ajustes.ca_pem {
        let unreadable = || AjusteInvalido("the CA file holds no readable PEM certificate".to_owned());
        // lettre takes a file without any certificate for an empty list.
        if !pem.windows(11).any(|w| w == b"-----BEGIN ") {
            return Err(unreadable());
        }
        builder = builder.add_root_certificate(Certificate::from_pem(pem).map_err(|_| unreadable())?);
    }
    builder.build_rustls().map_err(|e| AjusteInvalido(format!("TLS cannot be set up: {e}")))
}
