//! What leaves the house: signed webhooks and e-mail.
//!
//! Everything here makes **one** attempt and says how it went. When to try again, what a failure means for a lead and
//! where jobs are kept is not known here: no store, no queue, no schedule. The clock is the caller's too; only
//! durations are measured.
//!
//! - [`webhook`]: one call to an operator's URL, its body streamed, signed by [`firma`].
//! - [`senales`]: the bodies of the three signals (contract §4), piece by piece.
//! - [`enlace`]: signed links to photos, valid for a while.
//! - [`pase`]: signed passes that open a form or a quote to whoever holds them.
//! - [`descarga`]: one guarded fetch of a URL that came from outside.
//! - [`correo`]: one mail through the operator's server, with the honest answer whether it was taken.

pub mod correo;
pub mod cuerpo;
pub mod descarga;
pub mod enlace;
pub mod firma;
pub mod pase;
pub mod senales;
mod texto;
pub mod webhook;

pub use correo::{Correo, Mensaje, Resultado};
pub use cuerpo::{Cuerpo, ErrorFuente, Piezas};
pub use descarga::{Descargas, FalloDescarga, Permitido, Reglas};
pub use enlace::Enlaces;
pub use firma::{SecretoInvalido, Secretos};
pub use pase::{Pase, PaseInvalido, Pases};
pub use webhook::{Clase, Envio, Intento, Webhooks};

/// A setting that cannot be used; the message says what to mend and shows no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AjusteInvalido(pub String);
