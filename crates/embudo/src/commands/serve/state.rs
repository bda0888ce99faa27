//! What `/panel/sistema` shows of the program: version, backups, the quick checks of `embudo doctor`, the last errors.

use std::sync::Arc;
use std::time::Duration;

use embudo_app::App;
use embudo_domain::Timestamp;
use embudo_pages::{Backups, BlobPlace, InstallationState, Logged, LookAtInstallation};

use crate::commands::doctor::{self, BackupsFound};
use crate::installation;
use crate::logging;
use crate::settings::{BlobUrl, Settings};

/// The function that collects the state of this installation.
pub fn look(settings: &Settings, app: &App) -> LookAtInstallation {
    let known = Arc::new((settings.clone(), app.clone(), Timestamp::now()));
    Arc::new(move || {
        let known = Arc::clone(&known);
        Box::pin(async move {
            let (settings, app, started) = &*known;
            state(settings, app, *started).await
        })
    })
}

async fn state(settings: &Settings, app: &App, started: Timestamp) -> InstallationState {
    let (checks, backups) = doctor::quick(settings, app).await;
    let every = Duration::from_secs(u64::from(settings.backup_every_hours.get()) * 3600);
    let now = app.now();
    let logged = logging::recent().into_iter().map(|event| Logged {
        at: event.at,
        is_error: event.is_error,
        target: event.target.to_owned(),
        text: event.text,
    });
    InstallationState {
        version: env!("CARGO_PKG_VERSION"),
        engine: match installation::engine(settings) {
            "sqlite" => "SQLite",
            _ => "PostgreSQL",
        },
        blobs: match settings.blob_url {
            BlobUrl::Folder(_) => BlobPlace::Folder,
            BlobUrl::S3 { .. } => BlobPlace::S3,
        },
        started,
        backups: match backups {
            BackupsFound::Off => Backups::Off,
            BackupsFound::Unknown => Backups::Unknown,
            // A backup with a time in the future was made while the clock was wrong.
            BackupsFound::At(moments) => {
                Backups::On { last: moments.into_iter().rfind(|moment| *moment <= now), every }
            }
        },
        checks,
        logged: logged.collect(),
    }
}
