//! Why there is nothing to show, in words for the placeholder. The URL is never told: it may hold a token.

use std::error::Error;
use std::io;

/// Why a fetch gave nothing. Its text is a short Spanish clause: «No se muestra: {fallo}.»
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FalloDescarga {
    /// Not a URL with a host.
    #[error("la dirección no es válida")]
    Direccion,
    /// Neither http nor https.
    #[error("la dirección no es http ni https")]
    Esquema,
    /// A user or a password in the URL.
    #[error("la dirección lleva un usuario o una contraseña")]
    Credenciales,
    /// A port that is not open to this host.
    #[error("la dirección usa un puerto que no se permite")]
    Puerto,
    /// An address that is not public.
    #[error("la dirección lleva a una red que no es pública")]
    NoPublica,
    /// The name does not resolve.
    #[error("no se encontró el servidor")]
    SinServidor,
    /// Nobody took the connection.
    #[error("no se pudo conectar con el servidor")]
    SinConexion,
    /// The server is not who it says it is, or speaks no TLS.
    #[error("la conexión con el servidor no es segura")]
    Tls,
    /// The connection ended too early, or what came was not HTTP.
    #[error("el servidor cortó la conexión")]
    Cortada,
    /// Time ran out.
    #[error("el servidor no contestó a tiempo")]
    Tiempo,
    /// A 3xx.
    #[error("el servidor remite a otra dirección, que no seguimos")]
    Redirige,
    /// Any other status than 200.
    #[error("el servidor contestó {0}")]
    Estado(u16),
    /// Packed, though we asked for it plain.
    #[error("el servidor la envió comprimida")]
    Comprimida,
    /// More than [`BYTES_MAX`](super::BYTES_MAX).
    #[error("pesa más de 15 MB")]
    Grande,
}

impl FalloDescarga {
    /// Whether trying again later may go better.
    pub fn pasajero(self) -> bool {
        match self {
            Self::SinServidor | Self::SinConexion | Self::Cortada | Self::Tiempo => true,
            Self::Estado(estado) => estado >= 500 || matches!(estado, 408 | 425 | 429),
            _ => false,
        }
    }

    /// What an error of the HTTP client means.
    pub(super) fn de(error: &reqwest::Error) -> Self {
        if es_de_tls(error) {
            Self::Tls
        } else if error.is_timeout() {
            Self::Tiempo
        } else if error.is_connect() {
            Self::SinConexion
        } else if error.is_builder() {
            Self::Direccion
        } else {
            Self::Cortada
        }
    }
}

/// Whether a handshake's error lies at the bottom. Those of I/O may hold one another, and show as their source only
/// what lies below the one they hold.
fn es_de_tls(error: &(dyn Error + 'static)) -> bool {
    let dentro = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    error.is::<rustls::Error>()
        || matches!(dentro, Some(dentro) if es_de_tls(dentro))
        || error.source().is_some_and(es_de_tls)
}
