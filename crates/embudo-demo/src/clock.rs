//! A clock that tells the past while the story of the company is told, and today afterwards.

use std::sync::Mutex;

use embudo_app::Clock;
use jiff::Timestamp;

/// Stands at a moment of the story, or runs with the system's clock.
#[derive(Debug, Default)]
pub struct StoryClock(Mutex<Option<Timestamp>>);

impl StoryClock {
    /// It is this moment, until it is moved again.
    pub(crate) fn stand_at(&self, moment: Timestamp) {
        *self.0.lock().expect("nothing panics while it is held") = Some(moment);
    }

    /// It is now.
    pub(crate) fn run(&self) {
        *self.0.lock().expect("nothing panics while it is held") = None;
    }
}

impl Clock for StoryClock {
    fn now(&self) -> Timestamp {
        self.0.lock().expect("nothing panics while it is held").unwrap_or_else(Timestamp::now)
    }
}
