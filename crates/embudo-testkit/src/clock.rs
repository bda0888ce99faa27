//! A clock that moves when it is told to.

use std::sync::Mutex;

use embudo_app::Reloj;
use embudo_domain::Timestamp;
use jiff::SignedDuration;

/// Starts at a fixed instant and stands still until [`ManualClock::advance`].
pub struct ManualClock(Mutex<Timestamp>);

impl Default for ManualClock {
    fn default() -> Self {
        Self(Mutex::new("2026-11-14T10:30:00Z".parse().unwrap()))
    }
}

impl ManualClock {
    /// Moves the clock forward.
    pub fn advance(&self, tiempo: SignedDuration) {
        let mut ahora = self.0.lock().unwrap();
        *ahora += tiempo;
    }
}

impl Reloj for ManualClock {
    fn ahora(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}
