//! A clock that moves when it is told to.

use std::sync::Mutex;

use embudo_app::Reloj;
use embudo_domain::Timestamp;
use jiff::SignedDuration;

/// Starts at a fixed instant and stands still until [`RelojManual::adelantar`].
pub struct RelojManual(Mutex<Timestamp>);

impl Default for RelojManual {
    fn default() -> Self {
        Self(Mutex::new("2026-11-14T10:30:00Z".parse().unwrap()))
    }
}

impl RelojManual {
    /// Moves the clock forward.
    pub fn adelantar(&self, tiempo: SignedDuration) {
        let mut ahora = self.0.lock().unwrap();
        *ahora += tiempo;
    }
}

impl Reloj for RelojManual {
    fn ahora(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}
