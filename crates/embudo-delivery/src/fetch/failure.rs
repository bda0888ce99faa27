//! Why a photo could not be fetched, as its placeholder says it. The URL is never shown: it may hold a token.

use std::error::Error;
use std::io;

/// Why a fetch gave nothing. Its text is a short Spanish clause: «No se muestra: {fallo}.»
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchFailure {
    /// Not a URL with a host.
    #[error("la dirección no es válida")]
    Address,
    /// Neither http nor https.
    #[error("la dirección no es http ni https")]
    Schema,
    /// Not https, and the operator has not opened this host.
    #[error("la dirección no es https")]
    Plain,
    /// A user or a password in the URL.
    #[error("la dirección lleva un usuario o una contraseña")]
    Credentials,
    /// The port is not open for this host.
    #[error("la dirección usa un puerto que no se permite")]
    Port,
    /// An address that is not public.
    #[error("la dirección lleva a una red que no es pública")]
    NotPublic,
    /// The name does not resolve.
    #[error("no se encontró el servidor")]
    NoServer,
    /// The server did not accept the connection.
    #[error("no se pudo conectar con el servidor")]
    NoConnection,
    /// The server's certificate is not valid for its name, or the server does not speak TLS.
    #[error("la conexión con el servidor no es segura")]
    Tls,
    /// The connection ended too early, or what came was not HTTP.
    #[error("el servidor cortó la conexión")]
    Cut,
    #[error("el servidor no contestó a tiempo")]
    Time,
    #[error("el servidor remite a otra dirección, que no seguimos")]
    Redirects,
    /// A status other than 200, except redirections.
    #[error("el servidor contestó {0}")]
    State(u16),
    /// Compressed, although we asked for no compression.
    #[error("el servidor la envió comprimida")]
    Compressed,
    /// More than [`BYTES_MAX`](super::BYTES_MAX).
    #[error("pesa más de 15 MB")]
    Big,
}

impl FetchFailure {
    /// Whether another attempt later may succeed.
    pub fn is_passing(self) -> bool {
        match self {
            Self::NoServer | Self::NoConnection | Self::Cut | Self::Time => true,
            Self::State(state) => state >= 500 || matches!(state, 408 | 425 | 429),
            _ => false,
        }
    }

    /// What an error of the HTTP client means.
    pub(super) fn from_error(error: &reqwest::Error) -> Self {
        if is_from_tls(error) {
            Self::Tls
        } else if error.is_timeout() {
            Self::Time
        } else if error.is_connect() {
            Self::NoConnection
        } else if error.is_builder() {
            Self::Address
        } else {
            Self::Cut
        }
    }
}

/// Whether a TLS error is the cause. I/O errors can be nested, and the `source` of an I/O error skips the error that it
/// holds, so the error inside is looked at too.
fn is_from_tls(error: &(dyn Error + 'static)) -> bool {
    let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    error.is::<rustls::Error>()
        || matches!(inside, Some(inside) if is_from_tls(inside))
        || error.source().is_some_and(is_from_tls)
}
