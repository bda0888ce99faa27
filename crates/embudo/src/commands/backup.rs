//! `embudo backup`, `restore` and `copy`: the records and their blobs, backed up, restored, or copied.

mod bar;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use embudo_app::App;
use embudo_backup::{BackupError, Checked, Copy, Database, Made, PATIENCE, Place, Restore, Source};
use embudo_blobs::{Blobs, DatabaseId};

pub use self::bar::Bar;
use crate::data_dir::{DataDirError, DataDirLock, make_data_dir};
use crate::installation::{self, patient_blobs_at};
use crate::logging;
use crate::settings::{BlobUrl, DatabaseUrl, Settings};

/// Where a backup goes.
#[derive(Debug, Args)]
pub struct Backup {
    /// A folder, or s3://bucket/prefix; BACKUP_DEST where it is not given
    #[arg(value_name = "DEST")]
    dest: Option<String>,
    /// Make none, but read every backup there and compare every hash; exit 1 if one is damaged
    #[arg(long)]
    check: bool,
    /// How many of the newest backups to keep; older ones are removed
    #[arg(long, value_name = "N", conflicts_with = "check", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Read the photos and PDFs that lie there already, and copy anew what is damaged
    #[arg(long, conflicts_with = "check")]
    verify: bool,
}

/// Which backup, and whether a part of it will do.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// A folder, or s3://bucket/prefix
    #[arg(value_name = "SOURCE")]
    source: String,
    /// The backup of this name; the newest where it is not given
    #[arg(long, value_name = "NAME")]
    at: Option<String>,
    /// Restore the database with this id; needed where SOURCE holds backups of several databases
    #[arg(long, value_name = "ID")]
    database: Option<String>,
    /// Restore even though photos or PDFs are missing or damaged
    #[arg(long)]
    incomplete: bool,
}

/// From where to where.
#[derive(Debug, Args)]
pub struct CopyArgs {
    /// The database to copy; DATABASE_URL where it is not given
    #[arg(long, value_name = "URL")]
    from: Option<String>,
    /// An empty database: sqlite://path or postgres://user:password@host/database
    #[arg(long, value_name = "URL", required_unless_present = "blobs_to")]
    to: Option<String>,
    /// Where the photos and PDFs are; BLOB_URL where it is not given
    #[arg(long, value_name = "URL", requires = "blobs_to")]
    blobs_from: Option<String>,
    /// Where they are to go: a folder, or s3://bucket/prefix
    #[arg(long, value_name = "URL")]
    blobs_to: Option<String>,
}

impl Backup {
    pub async fn run(&self, settings: &Settings) -> Result<ExitCode, Box<dyn Error>> {
        let dest = match (&self.dest, &settings.backup_dest) {
            (Some(text), _) => BlobUrl::of_argument(text)?,
            (None, Some(dest)) => dest.clone(),
            (None, None) => return Err("name a folder or s3://bucket/prefix, or set BACKUP_DEST".into()),
        };
        let place = place(settings, &dest);
        make_data_dir(&settings.data_dir)?;
        place.answers().await?;
        if self.check {
            return self.look(settings, &place).await;
        }
        let app = installation::open(settings).await?;
        let source = Source { verify: self.verify, patience: PATIENCE, ..source(settings, &app).await? };
        let bar = Bar::new();
        let made = embudo_backup::make(&source, &place, || app.now(), &bar).await;
        bar.end();
        let made = made?;
        let mut text = format_made(&made);
        if let Some(count) = self.keep {
            let kept = embudo_backup::keep(
                &app.store,
                &place,
                &made.backup,
                count as usize,
                &settings.data_dir,
                PATIENCE,
            )
            .await?;
            text += &format!("{} older backups removed, {} kept\n", kept.removed, kept.backups);
        }
        logging::print(&text)?;
        Ok(if made.manifest.lost == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    async fn look(&self, settings: &Settings, place: &Place) -> Result<ExitCode, Box<dyn Error>> {
        let bar = Bar::new();
        let checked = embudo_backup::check(place, None, &settings.data_dir, &bar).await;
        bar.end();
        let checked = checked?;
        let whole = !checked.is_empty() && checked.iter().all(|backup| backup.faults.is_empty());
        let text = match checked.as_slice() {
            [] => "there is no backup\n".to_owned(),
            checked => checked.iter().map(shown).collect(),
        };
        logging::print(&text)?;
        Ok(if whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn shown(checked: &Checked) -> String {
    let name = checked.backup.name();
    let what = checked.manifest.as_ref().map(|manifest| {
        let (rows, blobs, engine) = (manifest.rows(), manifest.blobs, &manifest.engine);
        format!(" {rows} records, {blobs} photos and PDFs, from {engine}")
    });
    let state = if checked.faults.is_empty() { "whole" } else { "DAMAGED" };
    let faults: String = checked.faults.iter().map(|fault| format!("  {fault}\n")).collect();
    format!("{name}: {state}{}\n{faults}", what.unwrap_or_default())
}

fn format_made(made: &Made) -> String {
    let manifest = &made.manifest;
    let (name, rows, blobs) = (made.backup.name(), manifest.rows(), manifest.blobs);
    let mut text = format!("{name}: {rows} records, {blobs} photos and PDFs ({} of them new)\n", made.copied);
    if manifest.lost > 0 {
        let named: String = manifest.lost_names.iter().map(|name| format!("  leads/{name}\n")).collect();
        text +=
            &format!("{} photos or PDFs that records name are missing or damaged:\n{named}", manifest.lost);
    }
    text
}

impl RestoreArgs {
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let from = place(settings, &BlobUrl::of_argument(&self.source)?);
        let database = match &self.database {
            Some(text) => Some(
                DatabaseId::parse(text)
                    .ok_or_else(|| format!("--database: «{text}» is no id of a database"))?,
            ),
            None => None,
        };
        // The lock keeps a server from serving half-restored data.
        let _lock = DataDirLock::take(&settings.data_dir)?;
        from.answers().await?;
        let backup = from.find(database, self.at.as_deref()).await?;
        let blobs = patient_blobs_at(settings, &settings.blob_url, backup.database)?;
        let plan = Restore {
            place: &from,
            backup,
            database: database_of(&settings.database_url),
            blobs,
            data_dir: settings.data_dir.clone(),
            key: settings.funnel_api_key.is_none(),
            incomplete: self.incomplete,
        };
        let bar = Bar::new();
        let restored = embudo_backup::restore(&plan, &bar).await;
        bar.end();
        let restored = restored?;
        let (rows, blobs) = (restored.rows, restored.blobs.blobs);
        let mut text =
            format!("{}: {rows} records, all equal, {blobs} photos and PDFs\n", plan.backup.name());
        if restored.blobs.lost > 0 {
            text += &format!("{} photos or PDFs are missing\n", restored.blobs.lost);
        }
        Ok(logging::print(&text)?)
    }
}

impl CopyArgs {
    pub async fn run(&self, settings: &Settings) -> Result<ExitCode, Box<dyn Error>> {
        let mut settings = settings.clone();
        if let Some(from) = &self.from {
            settings.database_url =
                DatabaseUrl::of_argument(from).map_err(|problem| format!("--from {problem}"))?;
        }
        let to = self.to.as_deref().map(DatabaseUrl::of_argument).transpose();
        let to = to.map_err(|problem| format!("--to {problem}"))?;
        if to.as_ref() == Some(&settings.database_url) {
            return Err("--from and --to are the same database".into());
        }
        let is_served = matches!(DataDirLock::take(&settings.data_dir), Err(DataDirError::Taken { .. }));
        let from = database_of(&settings.database_url);
        if !installation::is_there(&settings).await? {
            let place = &settings.database_url;
            return Err(format!("{place:?}: there is no database of Embudo to copy from").into());
        }
        // The copy takes the lease of backups in this store, so that no server sweeps the source's blobs meanwhile.
        let store = installation::open_store(&settings).await?;
        let id = embudo_backup::database_id(&mut *from.read().await?).await?;
        let blobs = match &self.blobs_to {
            Some(to) => Some(self.blobs(&settings, id, to)?),
            None => None,
        };
        let (to, data_dir) = (to.as_ref().map(database_of), settings.data_dir.clone());
        let plan = Copy { from, store, to, blobs, patience: PATIENCE, id, data_dir };
        let bar = Bar::new();
        let copied = embudo_backup::copy(&plan, &bar).await;
        bar.end();
        let copied = copied?;
        let mut text = String::new();
        if plan.to.is_some() {
            let resumed = if copied.resumed { ", resumed" } else { "" };
            text += &format!("{} records, all equal{resumed}\n", copied.rows);
        }
        if let Some(blobs) = &copied.blobs {
            text += &format!("{} photos and PDFs ({} of them new)\n", blobs.blobs, blobs.copied);
            if blobs.lost > 0 {
                let named: String = blobs.lost_names.iter().map(|name| format!("  leads/{name}\n")).collect();
                text += &format!(
                    "{} photos or PDFs are missing or damaged where they come from:\n{named}",
                    blobs.lost
                );
            }
        }
        if is_served {
            text += "a server runs here: what it has taken since the copy began is not in it\n";
        }
        logging::print(&text)?;
        let is_whole = copied.blobs.is_none_or(|blobs| blobs.lost == 0);
        Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn blobs(&self, settings: &Settings, id: DatabaseId, to: &str) -> Result<(Blobs, Blobs), Box<dyn Error>> {
        let own = self.blobs_from.as_deref().map(BlobUrl::of_argument).transpose()?;
        let (own, to) = (own.unwrap_or_else(|| settings.blob_url.clone()), BlobUrl::of_argument(to)?);
        let (own, to) = (patient_blobs_at(settings, &own, id)?, patient_blobs_at(settings, &to, id)?);
        if own.is_same_place(&to) {
            return Err("--blobs-from and --blobs-to are the same place".into());
        }
        Ok((own, to))
    }
}

/// The place of backups at an address.
pub fn place(settings: &Settings, url: &BlobUrl) -> Place {
    match url {
        BlobUrl::Folder(path) => Place::Folder(path.clone()),
        BlobUrl::S3 { bucket, prefix } => Place::S3(installation::s3_config(settings, bucket, prefix)),
    }
}

fn database_of(url: &DatabaseUrl) -> Database {
    match url {
        DatabaseUrl::Sqlite(path) => Database::Sqlite(path.clone()),
        DatabaseUrl::Postgres(url) => Database::Postgres(url.clone()),
    }
}

/// The data from which this installation's backups are made.
pub async fn source(settings: &Settings, app: &App) -> Result<Source, BackupError> {
    let id = installation::id(&*app.store).await?;
    Ok(Source {
        database: database_of(&settings.database_url),
        store: Arc::clone(&app.store),
        blobs: patient_blobs_at(settings, &settings.blob_url, id)?,
        id,
        data_dir: PathBuf::from(&settings.data_dir),
        embudo: env!("CARGO_PKG_VERSION"),
        verify: false,
        patience: Duration::ZERO,
    })
}
