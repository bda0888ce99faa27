//! Whether backups are whole: every file and every blob is read and hashed.

use std::collections::HashMap;

use embudo_blobs::{BlobError, Blobs, DatabaseId};
use futures_util::{StreamExt, stream};

use crate::blobs::{Name, is_whole};
use crate::files::{self, Scratch, fetch};
use crate::manifest::{BLOB_LIST, DATABASE, Manifest};
use crate::{Backup, BackupError, Place, Progress, Result};

const AT_ONCE: usize = 4;
/// The most faults that are listed for one backup.
const TOLD: usize = 100;

/// The result of checking one backup.
#[derive(Debug)]
pub struct Checked {
    pub backup: Backup,
    pub manifest: Option<Manifest>,
    /// What is wrong with the backup; empty if it is whole.
    pub faults: Vec<String>,
}

/// Checks every backup at a place, oldest first; only those of one database, if it is named. Lists of blobs are
/// downloaded to `scratch`.
pub async fn check(
    place: &Place,
    database: Option<DatabaseId>,
    scratch: &std::path::Path,
    progress: &dyn Progress,
) -> Result<Vec<Checked>> {
    let databases = match database {
        Some(database) => vec![database],
        None => place.databases().await?,
    };
    let mut checked = Vec::new();
    for database in databases {
        let backups = place.backups(database).await?;
        if backups.is_empty() {
            continue;
        }
        // Backups share blobs, so each blob is read only once.
        let (blobs, mut known) = (place.blobs(database)?, HashMap::new());
        for backup in backups {
            checked.push(one(place, &blobs, backup, &mut known, scratch, progress).await?);
        }
    }
    Ok(checked)
}

async fn one(
    place: &Place,
    blobs: &Blobs,
    backup: Backup,
    known: &mut HashMap<u128, bool>,
    scratch: &std::path::Path,
    progress: &dyn Progress,
) -> Result<Checked> {
    let manifest = match place.manifest(&backup).await {
        Ok(manifest) => manifest,
        Err(BackupError::Refused(fault)) => {
            return Ok(Checked { backup, manifest: None, faults: vec![fault] });
        }
        Err(error) => return Err(error),
    };
    let (depot, mut faults) = (place.depot()?, Vec::new());
    let list = Scratch::new(scratch, &format!("check.{}.txt", std::process::id()))?;
    for needed in [DATABASE, BLOB_LIST] {
        if manifest.file(needed).is_none() {
            faults.push(format!("the manifest does not name {needed}"));
        }
    }
    for expected in &manifest.files {
        let into = (expected.name == BLOB_LIST).then_some(list.0.as_path());
        let report = |read| progress.at(&expected.name, read, expected.bytes);
        match fetch(&depot, &backup.path(&expected.name), expected, into, &report).await {
            Ok(true) => {}
            Ok(false) => faults.push(format!("{} is not what was put there", expected.name)),
            Err(BackupError::Blobs(BlobError::Missing)) => {
                faults.push(format!("{} is missing", expected.name));
            }
            Err(error) => return Err(error),
        }
    }
    if faults.is_empty() {
        let (mut done, mut wrong) = (0, 0_u64);
        let mut lines = files::lines(&list.0)?;
        loop {
            let slice: Vec<String> = lines.by_ref().take(1_000).collect::<Result<_>>()?;
            if slice.is_empty() {
                break;
            }
            done += slice.len() as u64;
            let names = slice.iter().filter_map(|line| Name::parse(line.split(' ').next()?));
            let names: Vec<Name> = names.collect();
            let fresh: Vec<Name> =
                names.iter().filter(|name| !known.contains_key(&name.fingerprint())).copied().collect();
            let mut looks = stream::iter(fresh)
                .map(|name| async move { (name, is_whole(blobs, name).await) })
                .buffer_unordered(AT_ONCE);
            while let Some((name, whole)) = looks.next().await {
                known.insert(name.fingerprint(), whole?);
            }
            for name in names.iter().filter(|name| known.get(&name.fingerprint()) == Some(&false)) {
                wrong += 1;
                if faults.len() < TOLD {
                    faults.push(format!("leads/{name} is missing or damaged"));
                }
            }
            progress.at("photos and PDFs", done, manifest.blobs);
        }
        if wrong > TOLD as u64 {
            faults.push(format!("and {} blobs more", wrong - TOLD as u64));
        }
    }
    Ok(Checked { backup, manifest: Some(manifest), faults })
}
