//! Readiness: whether the application can do its work.
//!
//! Anybody may ask, as often as they like: simultaneous requests share one check, and after a recent successful check
//! there is no new one.

use std::time::{Duration, Instant};

use embudo_store::StoreError;
use tokio::sync::Mutex;

use crate::App;

/// How long the check waits for storage.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long a successful result is used.
const FRESH: Duration = Duration::from_secs(1);
/// How long a background task may work on one piece of work; each task has a shorter timeout of its own.
const STUCK: Duration = Duration::from_secs(90);

/// The result of the last check, and its time.
#[derive(Default)]
pub(crate) struct Readiness(Mutex<Option<(Instant, Result<(), String>)>>);

impl App {
    /// Succeeds if storage answers and can be written to, and if the background tasks make progress.
    pub async fn ready(&self) -> Result<(), StoreError> {
        let asked = Instant::now();
        let mut last = self.readiness.0.lock().await;
        let known =
            last.as_ref().filter(|(when, end)| *when >= asked || (end.is_ok() && when.elapsed() < FRESH));
        let end = match known {
            Some((_, end)) => end.clone(),
            None => {
                let end = look(self).await;
                *last = Some((Instant::now(), end.clone()));
                end
            }
        };
        end.map_err(StoreError::Unavailable)
    }
}

async fn look(app: &App) -> Result<(), String> {
    app.supervisor.check(STUCK)?;
    match tokio::time::timeout(PATIENCE, app.store.ping()).await {
        Ok(ping) => ping.map_err(|error| error.to_string()),
        Err(_) => Err(format!("no answer in {} s", PATIENCE.as_secs())),
    }
}
