//! The door: everything between the socket and a handler.
//!
//! It accepts connections, bounds what a slow, greedy or guessing client can take, reads bodies
//! within a byte budget, checks keys, finds out who is calling, and writes one line per request.
//! It must not know the business: no domain types, no storage, no wording of API errors. Refusals
//! leave it as plain enums, and the API maps them to problem documents in one place.

pub mod cliente;
mod conexion;
pub mod cuerpo;
mod entrante;
pub mod fallos;
mod guardia;
mod limites;
pub mod llave;
mod metricas;
mod outgoing;
mod pool;
pub mod presupuesto;
pub mod registro;
mod servicio;
pub mod servir;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use cliente::{client_ip, parse_trusted_proxies};
pub use cuerpo::{CuerpoLeido, RechazoCuerpo, read_body};
pub use fallos::{Fallos, Limitado, LimiteLlaves};
pub use limites::Limites;
pub use llave::{Llave, LlaveVacia, Llaves};
pub use presupuesto::{AjustesCuerpo, Permiso, Presupuesto};
pub use registro::{IdPeticion, Registro};
pub use servicio::Par;
pub use servir::{ServirError, servir};
