//! The clock, injected so that tests need no waiting.

use embudo_domain::Timestamp;

/// Tells the time.
pub trait Reloj: Send + Sync + 'static {
    /// Now.
    fn ahora(&self) -> Timestamp;
}

/// The system's clock.
#[derive(Debug, Clone, Copy)]
pub struct RelojDelSistema;

impl Reloj for RelojDelSistema {
    fn ahora(&self) -> Timestamp {
        Timestamp::now()
    }
}
