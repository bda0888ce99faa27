//! Restores a backup into an empty database.

use std::fs::File;
use std::path::{Path, PathBuf};

use embudo_blobs::{BlobError, Blobs};
use embudo_store::tables::Found;
use embudo_store_sqlite::{NEWEST, Options, SqliteStore};

use crate::blobs::{Route, Transfer, Trust, transfer};
use crate::files::{Scratch, failed, fetch};
use crate::manifest::{API_KEY, BLOB_LIST, DATABASE};
use crate::walk::{compare, fill};
use crate::{Backup, BackupError, Database, Manifest, Place, Progress, Result};

/// What to restore, and to where.
pub struct Restore<'r> {
    pub place: &'r Place,
    pub backup: Backup,
    pub database: Database,
    /// Where the blobs go, under the id of the backup's database.
    pub blobs: Blobs,
    /// The folder for the downloaded database file, and for the API key unless it has one already.
    pub data_dir: PathBuf,
    /// Whether to restore the API key; not needed where the settings name one.
    pub key: bool,
    /// Whether to restore although photos and PDFs are missing or damaged.
    pub incomplete: bool,
}

#[derive(Debug)]
pub struct Restored {
    pub manifest: Manifest,
    pub rows: u64,
    pub blobs: Transfer,
}

/// Restores a backup, checks every hash on the way and compares every record at the end. Continues a run that was
/// interrupted.
pub async fn restore(plan: &Restore<'_>, progress: &dyn Progress) -> Result<Restored> {
    let manifest = plan.place.manifest(&plan.backup).await?;
    if manifest.schema > NEWEST {
        let (made, words) = (&manifest.embudo, "a newer Embudo made this backup: install that version");
        return Err(BackupError::Refused(format!("{words} ({made}) or a later one")));
    }
    let from = plan.place.blobs(plan.backup.database)?;
    if from.is_same_place(&plan.blobs) {
        let words = "BLOB_URL is where the backup's own photos lie, which the restored database would sweep: set BLOB_URL to another place";
        return Err(BackupError::Refused(words.to_owned()));
    }
    let depot = plan.place.depot()?;
    look_at_the_rest(plan, &manifest).await?;
    let file = Scratch::new(&plan.data_dir, "restore.db")?;
    let expected = manifest.file(DATABASE).ok_or_else(|| damaged(DATABASE))?;
    let report = |read| progress.at("fetching the database", read, expected.bytes);
    if !fetch(&depot, &plan.backup.path(DATABASE), expected, Some(&file.0), &report).await? {
        return Err(damaged(DATABASE));
    }
    // A backup of an older version is migrated first, in our copy of its file.
    SqliteStore::migrate(&file.0, &Options::default())?;

    let source = Database::Sqlite(file.0.clone());
    let (mut target, found) = plan.database.fill().await?;
    let begun = (found == Found::Begun).then_some(&plan.database);
    let mut reader = source.read().await?;
    fill(&mut *reader, &mut *target, begun, progress).await?;
    let route = Route { from: &from, to: &plan.blobs, known: None, trust: Trust::Nothing, source: None };
    let blobs = transfer(&mut *reader, &route, progress, |_, _| Ok(())).await?;
    if blobs.lost > manifest.lost + manifest.erased && !plan.incomplete {
        let named = blobs.lost_names.join("\n  ");
        let words = "photos or PDFs are missing from the backup or damaged; take another backup, or go on without them with --incomplete";
        return Err(BackupError::Refused(format!("{} {words}:\n  {named}", blobs.lost)));
    }
    let rows = compare(&mut *reader, &mut *plan.database.read().await?, progress).await?;
    if plan.key {
        put_key(plan, &manifest).await?;
    }
    target.finish().await?;
    Ok(Restored { manifest, rows, blobs })
}

/// Compares the files beside the database, the list of blobs among them, with the manifest, so that a backup that a
/// check calls damaged does not pass for whole. With `incomplete` this is skipped: the records have a hash of their own
/// and are restored in any case.
async fn look_at_the_rest(plan: &Restore<'_>, manifest: &Manifest) -> Result<()> {
    if plan.incomplete {
        return Ok(());
    }
    if manifest.file(BLOB_LIST).is_none() {
        return Err(damaged(BLOB_LIST));
    }
    let depot = plan.place.depot()?;
    for expected in manifest.files.iter().filter(|expected| expected.name != DATABASE) {
        match fetch(&depot, &plan.backup.path(&expected.name), expected, None, &|_| ()).await {
            Ok(true) => {}
            Ok(false) | Err(BackupError::Blobs(BlobError::Missing)) => return Err(damaged(&expected.name)),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Restores the API key, unless the data folder has one already.
async fn put_key(plan: &Restore<'_>, manifest: &Manifest) -> Result<()> {
    let path = plan.data_dir.join(API_KEY);
    let Some(expected) = manifest.file(API_KEY).filter(|_| !path.exists()) else { return Ok(()) };
    let staged = Scratch::new(&plan.data_dir, "api-key.restore")?;
    if !fetch(&plan.place.depot()?, &plan.backup.path(API_KEY), expected, Some(&staged.0), &|_| ()).await? {
        return Err(damaged(API_KEY));
    }
    let sync = |path: &Path| File::open(path)?.sync_all();
    sync(&staged.0).map_err(failed(&staged.0))?;
    std::fs::rename(&staged.0, &path).map_err(failed(&path))?;
    sync(&plan.data_dir).map_err(failed(&plan.data_dir))
}

fn damaged(file: &str) -> BackupError {
    BackupError::Refused(format!(
        "{file} of the backup is damaged: take another one, or look with embudo backup --check"
    ))
}
