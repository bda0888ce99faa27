//! A clock that moves only when a test moves it.

use std::sync::Mutex;

use embudo_app::Clock;
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
    pub fn advance(&self, time: SignedDuration) {
        let mut now = self.0.lock().unwrap();
        *now += time;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}
