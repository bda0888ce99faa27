//! Why a call got no answer, in words for the operator: short, Spanish, without secrets or URLs.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::body::SourceError;
use crate::fetch::FetchFailure;
use crate::text::line;

/// Why a call got no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// The body could not be produced.
    Source(SourceError),
    Time(Duration),
    /// The network or the receiver failed; with a description.
    Network(String),
    /// The guard does not allow to send to this address.
    Refused(FetchFailure),
    /// The message's id does not fit a header.
    Id,
    /// The browser's key cannot be used for encryption.
    Unreadable,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => write!(f, "No se pudo preparar el contenido: {}", line(&error.0, 200)),
            Self::Time(total) => write!(f, "El receptor no contestó en {} s.", total.as_secs_f32()),
            Self::Network(text) => f.write_str(text),
            Self::Refused(why) => write!(f, "No se envía a esa dirección: {why}."),
            Self::Unreadable => f.write_str("La clave del dispositivo no sirve para cifrar."),
            Self::Id => f.write_str("El identificador del mensaje no cabe en una cabecera."),
        }
    }
}

/// Describes an error of the HTTP client in one line.
pub(super) fn describe(error: &reqwest::Error) -> String {
    let cause = root_cause(error);
    let what = match error {
        e if e.is_connect() && e.is_timeout() => {
            return "El receptor no aceptó la conexión a tiempo.".to_owned();
        }
        e if e.is_timeout() => return "El receptor no contestó a tiempo.".to_owned(),
        e if e.is_connect() => "No se pudo conectar con el receptor",
        e if e.is_builder() => "La dirección del receptor no sirve",
        _ => "La conexión con el receptor se cortó",
    };
    format!("{what}: {cause}")
}

/// The innermost error: the outer ones only repeat it, and the outermost one shows the URL.
pub(super) fn root_cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn Error = match error.source() {
        Some(source) => source,
        None => return "causa desconocida".to_owned(),
    };
    while let Some(source) = inner.source() {
        inner = source;
    }
    line(&inner.to_string(), 200)
}
