//! Making a backup: the tables as of one moment, then the blobs that they name, then the manifest.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use embudo_blobs::{Blobs, DatabaseId, Depot};
use embudo_domain::Timestamp;
use embudo_store::Store;
use embudo_store_sqlite::{NEWEST, SqliteFilling, SqliteTables};

use crate::blobs::{Name, Route, Transfer, Trust, lengths, transfer};
use crate::files::{self, Scratch, failed};
use crate::held::Held;
use crate::manifest::{API_KEY, BLOB_LIST, DATABASE, FORMAT, MANIFEST, Manifest};
use crate::walk::fill;
use crate::{Backup, BackupError, Database, Place, Progress, Result};

/// Why a backup beside the photos in use is refused: retention would take them for photos of deleted backups and remove
/// them.
const SAME_PLACE: &str = "the photos and PDFs in use lie at this very place (BLOB_URL): a backup needs a place of its own, another folder or prefix";

/// Unfinished files of this age are not being written any more.
const LEFTOVER_AGE: Duration = Duration::from_secs(60 * 60);

/// The data from which a backup is made.
pub struct Source {
    pub database: Database,
    pub store: Arc<dyn Store>,
    pub blobs: Blobs,
    pub id: DatabaseId,
    /// The folder with the generated API key. Files are also made there before they are sent to S3.
    pub data_dir: PathBuf,
    /// The program's version.
    pub embudo: &'static str,
    /// Whether to read the blobs at the place byte by byte and to copy damaged ones again.
    pub verify: bool,
    /// How long to wait for another process that makes a backup or a copy.
    pub patience: Duration,
}

/// A backup that was made.
#[derive(Debug)]
pub struct Made {
    pub backup: Backup,
    pub manifest: Manifest,
    /// Blobs that were not at the place before.
    pub copied: u64,
}

/// Makes a backup, named by the moment at which it begins. Removes first what an interrupted run left at the place.
pub async fn make(
    source: &Source,
    place: &Place,
    clock: impl Fn() -> Timestamp,
    progress: &dyn Progress,
) -> Result<Made> {
    let here = (source.data_dir.as_path(), source.id);
    let held = Held::take(&source.store, here, source.patience, progress).await?;
    let made = held.guard(make_held(&held, source, place, clock(), progress)).await;
    held.end().await;
    made
}

async fn make_held(
    held: &Held,
    source: &Source,
    place: &Place,
    now: Timestamp,
    progress: &dyn Progress,
) -> Result<Made> {
    if place.blobs(source.id)?.is_same_place(&source.blobs) {
        return Err(BackupError::Refused(SAME_PLACE.to_owned()));
    }
    let depot = place.depot()?;
    for leftover in place.look(source.id).await?.1 {
        depot.remove(&leftover).await?;
    }
    let workshop = depot.workshop()?.unwrap_or_else(|| source.data_dir.clone());
    let backup = Backup { database: source.id, moment: now };

    // Databases may share the folder, so every file made here has the database's id and a random part in its name.
    let own = format!("{}.making", source.id);
    Scratch::clear(&workshop, &own)?;
    let own = format!("{own}.{}", uuid::Uuid::new_v4());
    let file = Scratch::new(&workshop, &format!("{own}.db"))?;
    let tables = {
        let (mut filling, _) = SqliteFilling::begin(&file.0).await?;
        let mut reader = source.database.read().await?;
        let tables = fill(&mut *reader, &mut filling, None, progress).await?;
        drop(reader);
        embudo_store::tables::TableWriter::finish(Box::new(filling)).await?;
        tables
    };

    let list = Scratch::new(&workshop, &format!("{own}.txt"))?;
    let blobs = copy_blobs(source, place, &file, &list, progress).await?;

    let mut files = vec![files::digest(&file.0, DATABASE).await?, files::digest(&list.0, BLOB_LIST).await?];
    let total = files[0].bytes;
    let report = |done| progress.at("sending the database", done, total);
    depot.put_file(&backup.path(DATABASE), &file.0, &report).await?;
    depot.put_file(&backup.path(BLOB_LIST), &list.0, &|_| ()).await?;
    files.extend(put_key(source, &depot, &backup).await?);
    let manifest = Manifest {
        format: FORMAT,
        embudo: source.embudo.to_owned(),
        made: now.to_string(),
        engine: source.database.engine().to_owned(),
        schema: NEWEST,
        database: source.id.to_string(),
        tables,
        blobs: blobs.blobs,
        blob_bytes: blobs.bytes,
        lost: blobs.lost,
        erased: blobs.erased,
        lost_names: blobs.lost_names,
        files,
    };
    let text = serde_json::to_vec_pretty(&manifest).map_err(|e| BackupError::Refused(e.to_string()))?;
    held.confirm().await?;
    depot.put(&backup.path(MANIFEST), text.into()).await?;
    Ok(Made { backup, manifest, copied: blobs.copied })
}

async fn copy_blobs(
    source: &Source,
    place: &Place,
    file: &Scratch,
    list: &Scratch,
    progress: &dyn Progress,
) -> Result<Transfer> {
    let mut rows = SqliteTables::open(&file.0).await?;
    let mut lines = files::create(&list.0)?;
    let trust = if source.verify { Trust::Nothing } else { Trust::Length };
    let report = |name: &Name, bytes: u64| writeln!(lines, "{name} {bytes}").map_err(failed(&list.0));
    let to = place.blobs(source.id)?;
    to.remove_leftovers(LEFTOVER_AGE).await?;
    let there = lengths(&to).await?;
    let route =
        Route { from: &source.blobs, to: &to, known: Some(&there), trust, source: Some(&*source.store) };
    let blobs = transfer(&mut rows, &route, progress, report).await?;
    lines.flush().map_err(failed(&list.0))?;
    Ok(blobs)
}

async fn put_key(source: &Source, depot: &Depot, backup: &Backup) -> Result<Option<files::FileDigest>> {
    let path = source.data_dir.join(API_KEY);
    match std::fs::read(&path) {
        Ok(bytes) => {
            let digest = files::digest_bytes(API_KEY, &bytes);
            depot.put(&backup.path(API_KEY), bytes.into()).await?;
            Ok(Some(digest))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(&path)(error)),
    }
}
