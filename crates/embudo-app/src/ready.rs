//! Readiness: whether the application can do its work.
//!
//! Anybody may ask, and as often as they like: those who ask at the same time share one look, and what was well a
//! moment ago is not looked at again.

use std::time::{Duration, Instant};

use embudo_store::StoreError;
use tokio::sync::Mutex;

use crate::App;

/// How long storage is waited for.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long a good answer holds.
const FRESH: Duration = Duration::from_secs(1);
/// How long a task beside the requests may be at the same piece of work; each gives up by itself earlier.
const STUCK: Duration = Duration::from_secs(90);

/// What the last look found, and when.
#[derive(Default)]
pub(crate) struct Readiness(Mutex<Option<(Instant, Result<(), String>)>>);

impl App {
    /// Succeeds when storage answers and can be written to, and what runs beside the requests gets on.
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
