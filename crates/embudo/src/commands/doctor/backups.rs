//! Whether there is a backup that is young enough.

use super::{Check, Fault, Found, within};
use crate::commands::backup::place;
use crate::settings::{BlobUrl, Settings};
use embudo_domain::Timestamp;
use std::time::{Duration, SystemTime};

/// Looks where backups go by themselves, if they go anywhere.
pub async fn check(settings: &Settings) -> Option<Check> {
    let dest = settings.backup_dest.as_ref()?;
    Some(Check::of("backups", within(look(settings, dest)).await))
}

async fn look(settings: &Settings, dest: &BlobUrl) -> Found {
    let place = place(settings, dest);
    let found = async {
        let mut newest: Option<Timestamp> = None;
        for database in place.databases().await? {
            newest = newest.max(place.backups(database).await?.last().map(|backup| backup.moment));
        }
        Ok::<_, embudo_backup::BackupError>(newest)
    };
    let mend = "embudo backup makes one now; the log of embudo serve says why it made none";
    let newest =
        found.await.map_err(|error| Fault::new(error.to_string(), "check BACKUP_DEST and the way there"))?;
    let Some(newest) = newest else { return Err(Fault::warning("there is none yet", mend)) };
    let every = Duration::from_secs(u64::from(settings.backup_every_hours.get()) * 3600);
    let is_old = SystemTime::from(newest).elapsed().is_ok_and(|age| age > 2 * every);
    let told = format!("the newest is of {}", newest.strftime("%Y-%m-%d %H:%M UTC"));
    if is_old { Err(Fault::warning(told, mend)) } else { Ok(told) }
}
