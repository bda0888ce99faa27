//! Whether there is a backup of this database that is recent enough.

use super::{Check, Fault, Found, within};
use crate::commands::backup::place;
use crate::settings::{BlobUrl, Settings};
use embudo_blobs::DatabaseId;
use embudo_domain::Timestamp;
use std::time::{Duration, SystemTime};

/// Checks the automatic backups; `None` if they are off.
pub async fn check(settings: &Settings, database: Option<DatabaseId>) -> Option<Check> {
    let dest = settings.backup_dest.as_ref()?;
    let found = match database {
        Some(database) => within(look(settings, dest, database)).await,
        None => Ok("not looked at: the database has no name yet, or does not answer".to_owned()),
    };
    Some(Check::of("backups", found))
}

async fn look(settings: &Settings, dest: &BlobUrl, database: DatabaseId) -> Found {
    judge_now(settings, &moments(settings, dest, database).await?)
}

/// When each backup of a database was made, oldest first.
pub async fn moments(
    settings: &Settings,
    dest: &BlobUrl,
    database: DatabaseId,
) -> Result<Vec<Timestamp>, Fault> {
    let found = place(settings, dest).backups(database).await;
    let backups =
        found.map_err(|error| Fault::new(error.to_string(), "check BACKUP_DEST and the way there"))?;
    Ok(backups.iter().map(|backup| backup.moment).collect())
}

/// Like `judge`, with the interval of the settings and the current time.
pub fn judge_now(settings: &Settings, moments: &[Timestamp]) -> Found {
    let every = Duration::from_secs(u64::from(settings.backup_every_hours.get()) * 3600);
    judge(moments, every, SystemTime::now())
}

/// Warns if the newest backup is older than twice `every`, or if one is from the future. The moments are sorted, oldest
/// first.
fn judge(moments: &[Timestamp], every: Duration, now: SystemTime) -> Found {
    let mend = "embudo backup makes one now; the log of embudo serve says why it made none";
    let shown = |moment: &Timestamp| moment.strftime("%Y-%m-%d %H:%M UTC").to_string();
    let age = |moment: &Timestamp| now.duration_since(SystemTime::from(*moment)).ok();
    let Some((newest, age)) = moments.iter().rev().find_map(|moment| Some((moment, age(moment)?))) else {
        let told = match moments.last() {
            Some(last) => format!("there is none but of the future ({})", shown(last)),
            None => "there is none yet".to_owned(),
        };
        return Err(Fault::warning(told, mend));
    };
    let told = format!("the newest is of {}", shown(newest));
    match moments.last() {
        _ if age > 2 * every => Err(Fault::warning(told, mend)),
        Some(last) if last != newest => Err(Fault::warning(
            format!("{told}; another is of {}, which is still to come", shown(last)),
            "check this machine's clock; remove that backup's folder once it is not needed",
        )),
        _ => Ok(told),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_of_the_future_is_told_and_does_not_count() {
        let at = |hour: i64| Timestamp::from_second(1_800_000_000 + hour * 3600).unwrap();
        let judge = |moments: &[Timestamp]| {
            judge(moments, Duration::from_secs(24 * 3600), at(0).into()).map_err(|fault| fault.problem)
        };
        assert!(judge(&[at(-30), at(-2)]).unwrap().starts_with("the newest is of "));
        assert!(judge(&[at(-90), at(-50)]).unwrap_err().starts_with("the newest is of "));
        assert!(judge(&[at(-2), at(5)]).unwrap_err().contains("which is still to come"));
        assert!(judge(&[at(5)]).unwrap_err().contains("none but of the future"));
        assert_eq!(judge(&[]).unwrap_err(), "there is none yet");
    }
}
