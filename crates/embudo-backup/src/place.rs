//! Where backups lie: `<database>/backups/<moment>/…`, and beside them the blobs that all of them share,
//! `<database>/leads/…`.

use std::path::PathBuf;

use embudo_blobs::{BlobError, Blobs, DatabaseId, Depot, S3Config};
use embudo_domain::Timestamp;

use crate::manifest::{MANIFEST, Manifest};
use crate::{BackupError, Result};

/// The maximum size of a manifest, which names about a hundred tables and at most a hundred blobs.
const MANIFEST_BYTES: u64 = 4 << 20;

/// A folder or a bucket for backups.
#[derive(Debug, Clone)]
pub enum Place {
    Folder(PathBuf),
    S3(S3Config),
}

/// A backup, identified by its database and by the moment at which it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backup {
    pub database: DatabaseId,
    pub moment: Timestamp,
}

impl Backup {
    /// Names sort in the order of their moments.
    pub fn name(&self) -> String {
        self.moment.strftime("%Y-%m-%dT%H%M%S.%6fZ").to_string()
    }

    pub(crate) fn path(&self, file: &str) -> String {
        format!("{}/{file}", self.folder())
    }

    pub(crate) fn folder(&self) -> String {
        format!("{}/backups/{}", self.database, self.name())
    }

    fn parse(database: DatabaseId, name: &str) -> Option<Self> {
        let moment = jiff::fmt::strtime::parse("%Y-%m-%dT%H%M%S%.fZ", name).ok()?.to_datetime().ok()?;
        let moment = moment.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
        let backup = Self { database, moment };
        (backup.name() == name).then_some(backup)
    }
}

impl Place {
    pub fn depot(&self) -> Result<Depot> {
        Ok(match self {
            Self::Folder(path) => Depot::folder(path),
            Self::S3(config) => Depot::s3(config)?,
        })
    }

    /// Finds out within seconds whether the place answers at all. All later calls wait much longer, even if the address
    /// is mistyped.
    pub async fn answers(&self) -> Result<()> {
        if let Self::S3(config) = self {
            Depot::s3_hasty(config)?.folders("").await?;
        }
        Ok(())
    }

    /// The blobs that a database's backups share.
    pub fn blobs(&self, database: DatabaseId) -> Result<Blobs> {
        Ok(match self {
            Self::Folder(path) => Blobs::folder(path, database)?,
            Self::S3(config) => Blobs::s3_patient(config, database)?,
        })
    }

    /// The databases that have files here.
    pub async fn databases(&self) -> Result<Vec<DatabaseId>> {
        let folders = self.depot()?.folders("").await?;
        Ok(folders.iter().filter_map(|name| DatabaseId::parse(name)).collect())
    }

    /// A database's backups, oldest first.
    pub async fn backups(&self, database: DatabaseId) -> Result<Vec<Backup>> {
        Ok(self.look(database).await?.0)
    }

    /// A database's backups, oldest first, and the files of those that were not finished.
    pub(crate) async fn look(&self, database: DatabaseId) -> Result<(Vec<Backup>, Vec<String>)> {
        let under = format!("{database}/backups");
        let files = self.depot()?.list(&under).await?;
        let folder = |file: &str| {
            file.strip_prefix(&under)?.strip_prefix('/')?.split_once('/').map(|(f, _)| f.to_owned())
        };
        let is_whole = |name: &str| files.iter().any(|file| *file == format!("{under}/{name}/{MANIFEST}"));
        let mut whole: Vec<Backup> = Vec::new();
        let mut rest = Vec::new();
        for file in &files {
            let known =
                folder(file).filter(|name| is_whole(name)).and_then(|name| Backup::parse(database, &name));
            match known {
                Some(backup) if !whole.contains(&backup) => whole.push(backup),
                Some(_) => {}
                None => rest.push(file.clone()),
            }
        }
        whole.sort_by_key(|backup| backup.moment);
        Ok((whole, rest))
    }

    /// The newest backup, or the one with this name. Without a database it is an error if backups of several databases
    /// match.
    pub async fn find(&self, database: Option<DatabaseId>, name: Option<&str>) -> Result<Backup> {
        let databases = match database {
            Some(database) => vec![database],
            None => self.databases().await?,
        };
        let mut found = Vec::new();
        for database in databases {
            found.extend(self.backups(database).await?);
        }
        found.retain(|backup| name.is_none_or(|name| backup.name() == name));
        let Some(newest) = found.iter().max_by_key(|backup| backup.moment).copied() else {
            let what = name.map_or("no backup".to_owned(), |name| format!("no backup «{name}»"));
            return Err(BackupError::Refused(format!("{}: there is {what}", self.depot()?.place())));
        };
        if found.iter().any(|backup| backup.database != newest.database) {
            let words = "backups of several databases lie there: name the one that is meant with --database";
            return Err(BackupError::Refused(words.to_owned()));
        }
        Ok(newest)
    }

    pub async fn manifest(&self, backup: &Backup) -> Result<Manifest> {
        let bytes = match self.depot()?.part(&backup.path(MANIFEST), 0, MANIFEST_BYTES).await {
            Err(BlobError::Missing) => {
                return Err(BackupError::Refused("the manifest is not there".to_owned()));
            }
            bytes => bytes?,
        };
        Manifest::parse(&bytes)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_backups_name_is_its_moment() {
        let database = DatabaseId::new(&[7; 32]);
        let backup = Backup { database, moment: "2026-11-17T03:56:11.000123Z".parse().unwrap() };
        assert_eq!(backup.name(), "2026-11-17T035611.000123Z");
        assert_eq!(Backup::parse(database, &backup.name()), Some(backup));
        for strange in ["", "making.db", "2026-11-17", "2026-11-17T035611Z"] {
            assert_eq!(Backup::parse(database, strange), None, "{strange}");
        }
    }
}
