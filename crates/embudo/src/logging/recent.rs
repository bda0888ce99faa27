//! The last warnings and errors, kept in memory for the panel's page about the installation.

use std::collections::VecDeque;
use std::fmt::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use embudo_metrics::LOG_EVENTS;
use jiff::Timestamp;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// The maximum of events that are kept.
const MOST: usize = 50;
/// The maximum of characters per event.
const LONGEST: usize = 400;

/// An event that was logged.
#[derive(Debug, Clone)]
pub struct RecentEvent {
    pub at: Timestamp,
    pub is_error: bool,
    pub target: &'static str,
    pub text: String,
}

static RECENT: Mutex<VecDeque<RecentEvent>> = Mutex::new(VecDeque::new());

/// The last logged events, the newest first.
pub fn recent() -> Vec<RecentEvent> {
    kept().iter().rev().cloned().collect()
}

fn kept() -> MutexGuard<'static, VecDeque<RecentEvent>> {
    // The list is consistent even if a thread panicked while it held the lock.
    RECENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps and counts warnings and errors.
pub struct KeepRecent;

impl<S: Subscriber> Layer<S> for KeepRecent {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        if *metadata.level() > Level::WARN {
            return;
        }
        LOG_EVENTS.counter(&[metadata.level().as_str()]).increment(1);
        let mut words = Words::default();
        event.record(&mut words);
        let is_error = *metadata.level() == Level::ERROR;
        let text = words.text();
        let mut kept = kept();
        if kept.len() == MOST {
            kept.pop_front();
        }
        kept.push_back(RecentEvent { at: Timestamp::now(), is_error, target: metadata.target(), text });
    }
}

/// The message, and the other fields after it.
#[derive(Default)]
struct Words {
    message: String,
    fields: String,
}

impl Words {
    fn text(mut self) -> String {
        self.message.push_str(&self.fields);
        let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
        let mut text: String = self.message.chars().take(LONGEST).map(plain).collect();
        if self.message.chars().nth(LONGEST).is_some() {
            text.push('…');
        }
        text
    }
}

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let written = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
        written.expect("a String takes everything");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::Registry;
    use tracing_subscriber::layer::SubscriberExt as _;

    #[test]
    fn the_last_warnings_and_errors_are_kept() {
        tracing::subscriber::with_default(Registry::default().with(KeepRecent), || {
            tracing::info!("of no matter");
            for n in 0..MOST {
                tracing::warn!(n, "old");
            }
            tracing::error!(error = %"x".repeat(2 * LONGEST), id = "7\n", "it failed");
        });
        let kept = recent();
        assert_eq!(kept.len(), MOST);
        assert!(kept[0].is_error && kept[0].text.starts_with("it failed error=xxx"), "{:?}", kept[0]);
        assert_eq!(kept[0].text.chars().count(), LONGEST + 1);
        assert_eq!((kept[1].is_error, kept[1].text.as_str()), (false, "old n=49"));
        assert!(kept.iter().all(|line| !line.text.contains('\n')));
    }
}
