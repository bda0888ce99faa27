//! A clock that shows past moments while the history is being generated, and the real time afterwards.

use std::sync::Mutex;

use embudo_app::Clock;
use jiff::Timestamp;

/// Stands still at a moment of the history, or runs with the system's clock.
#[derive(Debug, Default)]
pub struct StoryClock(Mutex<Option<Timestamp>>);

impl StoryClock {
    /// Sets the clock to this moment until the next call.
    pub(crate) fn stand_at(&self, moment: Timestamp) {
        *self.0.lock().expect("nothing panics while it is held") = Some(moment);
    }

    /// Returns to the real time.
    pub(crate) fn run(&self) {
        *self.0.lock().expect("nothing panics while it is held") = None;
    }
}

impl Clock for StoryClock {
    fn now(&self) -> Timestamp {
        self.0.lock().expect("nothing panics while it is held").unwrap_or_else(Timestamp::now)
    }
}
