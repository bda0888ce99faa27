//! Automatic backups: when the newest one is old enough, one of the processes on the database makes the next.

use std::time::Duration;

use embudo_app::App;
use embudo_backup::{BackupError, PATIENCE, Place};
use embudo_domain::Timestamp;
use embudo_metrics::BACKUP_MADE;
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;

use crate::commands::backup::{place, source};
use crate::settings::Settings;

/// How often to check whether a backup is due. A backup that failed is tried again at the next check.
const LOOK: Duration = Duration::from_secs(5 * 60);

/// Starts automatic backups, if the settings name a place.
pub fn start(settings: &Settings, app: &App) -> Option<JoinHandle<()>> {
    let place = place(settings, settings.backup_dest.as_ref()?);
    let state = (settings.clone(), app.clone(), place);
    Some(app.supervisor.spawn("making backups", state, |(settings, app, place), _| {
        Box::pin(async move {
            let mut turn = tokio::time::interval(LOOK);
            // After a long backup, or a suspension of the machine, missed checks are not made up for at once.
            turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                turn.tick().await;
                match due(settings, app, place).await {
                    // Another process is making the backup.
                    Ok(()) | Err(BackupError::Busy) => {}
                    Err(error) => {
                        tracing::error!(%error, "a backup could not be made, or old ones not removed; it is tried again later");
                    }
                }
            }
        })
    }))
}

/// Makes a backup if one is due, and removes old ones.
async fn due(settings: &Settings, app: &App, place: &Place) -> Result<(), BackupError> {
    let source = source(settings, app).await?;
    let (backups, now) = (place.backups(source.id).await?, app.now());
    // A backup with a time in the future was made while the clock was wrong, and does not count.
    let newest = backups.iter().map(|backup| backup.moment).rfind(|moment| *moment <= now);
    note(newest);
    let every = Duration::from_secs(u64::from(settings.backup_every_hours.get()) * 3600);
    if newest.is_some_and(|newest| newest + every > now) {
        return Ok(());
    }
    let made = embudo_backup::make(&source, place, || app.now(), &()).await?;
    note(Some(made.backup.moment));
    let lost = made.manifest.lost;
    if lost > 0 {
        tracing::warn!(
            lost,
            "photos or PDFs that records name are missing or damaged, and are not in the backup"
        );
    }
    let keep = settings.backup_keep.get() as usize;
    let kept =
        embudo_backup::keep(&app.store, place, &made.backup, keep, &settings.data_dir, PATIENCE).await?;
    if kept.removed > 0 {
        tracing::info!(removed = kept.removed, blobs = kept.blobs_removed, "old backups removed");
    }
    let (name, rows, blobs) = (made.backup.name(), made.manifest.rows(), made.manifest.blobs);
    tracing::info!(name, rows, blobs, copied = made.copied, "backup made");
    Ok(())
}

/// Updates the metric with the time of the newest backup.
fn note(newest: Option<Timestamp>) {
    BACKUP_MADE.gauge(&[]).set(newest.map_or(0.0, |moment| moment.as_second() as f64));
}
