//! Fetching what a URL from outside points at, without becoming anybody's arm into our network.
//!
//! Whoever writes a photo's URL chooses where we connect. So the address is decided **once**, before anything is sent:
//! the host is resolved a single time, every answer must be a public address (or be opened by the operator's
//! [`Reglas`]), and the connection goes to those answers and nowhere else. A name that answers differently the second
//! time is never asked a second time. Redirects are not followed, proxies and cookies do not exist here.
//!
//! Nothing is kept between two fetches, and what came is not looked at: whether it is a picture is the caller's to
//! find out. The operator's own receivers are not called from here: see [`webhook`](crate::webhook).

mod cliente;
mod destino;
mod fallo;
mod global;
mod reglas;
mod resolver;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;
use tokio::time::timeout;

use crate::AjusteInvalido;
use cliente::Clientes;
use destino::{Destino, Lugar};

pub use fallo::FalloDescarga;
pub use global::es_global;
pub use reglas::{Permitido, Reglas};
pub use resolver::{Resolver, Sistema};

/// The longest time of one fetch, from the name's resolution to the last byte.
pub const PLAZO_MAX: Duration = Duration::from_secs(10);
/// The most bytes that are taken.
pub const BYTES_MAX: usize = 15 * 1024 * 1024;

/// The guarded client. Cheap to clone.
#[derive(Clone)]
pub struct Descargas {
    reglas: Arc<Reglas>,
    resolver: Arc<dyn Resolver>,
    clientes: Clientes,
}

impl Descargas {
    /// A client that resolves names as the machine does. Fails on certificates that cannot be read.
    pub fn new(reglas: Reglas) -> Result<Self, AjusteInvalido> {
        Self::with_resolver(reglas, Arc::new(Sistema::default()))
    }

    /// A client with another way to resolve names.
    pub fn with_resolver(reglas: Reglas, resolver: Arc<dyn Resolver>) -> Result<Self, AjusteInvalido> {
        let clientes = Clientes::new(reglas.ca_pem.as_deref())?;
        Ok(Self { reglas: Arc::new(reglas), resolver, clientes })
    }

    /// Fetches once. All of it takes at most `plazo`, and never more than [`PLAZO_MAX`]; without any time nothing is begun.
    pub async fn fetch(&self, url: &str, plazo: Duration) -> Result<Bytes, FalloDescarga> {
        let destino = Destino::de(url)?;
        if plazo.is_zero() {
            return Err(FalloDescarga::Tiempo);
        }
        let todo = self.fetch_from(destino);
        timeout(plazo.min(PLAZO_MAX), todo).await.unwrap_or(Err(FalloDescarga::Tiempo))
    }

    async fn fetch_from(&self, destino: Destino) -> Result<Bytes, FalloDescarga> {
        if !self.reglas.puede_abrir(destino.puerto) {
            return Err(FalloDescarga::Puerto);
        }
        let direcciones = self.resolver(&destino).await?;
        let cliente = self.clientes.para(&destino, &direcciones)?;
        let respuesta = cliente.get(destino.url).send().await.map_err(|e| FalloDescarga::de(&e))?;
        leer(respuesta).await
    }

    /// The addresses to connect to. One that is not allowed spoils them all: a name with a public and a private
    /// answer is an attack, or a mistake that would fail every other time.
    async fn resolver(&self, destino: &Destino) -> Result<Vec<SocketAddr>, FalloDescarga> {
        let ips: Vec<IpAddr> = match &destino.lugar {
            Lugar::Ip(ip) => vec![*ip],
            Lugar::Nombre(nombre) => {
                self.resolver.resolve(nombre).await.map_err(|_| FalloDescarga::SinServidor)?
            }
        };
        if ips.is_empty() {
            return Err(FalloDescarga::SinServidor);
        }
        for ip in &ips {
            self.reglas.acepta(destino.lugar.nombre(), *ip, destino.puerto)?;
        }
        Ok(ips.into_iter().map(|ip| SocketAddr::new(ip, destino.puerto)).collect())
    }
}

impl std::fmt::Debug for Descargas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Descargas").field("permitidos", &self.reglas.permitidos).finish_non_exhaustive()
    }
}

/// Takes a body as it is sent, counting.
async fn leer(mut respuesta: Response) -> Result<Bytes, FalloDescarga> {
    let status = respuesta.status();
    if status.is_redirection() {
        return Err(FalloDescarga::Redirige);
    }
    if status.as_u16() != 200 {
        return Err(FalloDescarga::Estado(status.as_u16()));
    }
    // Nothing is unpacked here, so nothing can swell; we asked for it plain.
    if respuesta
        .headers()
        .get(CONTENT_ENCODING)
        .is_some_and(|v| !v.as_bytes().eq_ignore_ascii_case(b"identity"))
    {
        return Err(FalloDescarga::Comprimida);
    }
    let declarado = respuesta.content_length();
    if declarado.is_some_and(|n| n > BYTES_MAX as u64) {
        return Err(FalloDescarga::Grande);
    }
    // What is declared is believed for a first buffer only as far as it costs little.
    let inicial = declarado.unwrap_or(0).min(1024 * 1024);
    let mut cuerpo = BytesMut::with_capacity(usize::try_from(inicial).expect("a megabyte"));
    while let Some(trozo) = respuesta.chunk().await.map_err(|e| FalloDescarga::de(&e))? {
        if cuerpo.len() + trozo.len() > BYTES_MAX {
            return Err(FalloDescarga::Grande);
        }
        cuerpo.extend_from_slice(&trozo);
    }
    Ok(cuerpo.freeze())
}
