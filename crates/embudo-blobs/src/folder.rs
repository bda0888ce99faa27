//! The file operations that `object_store` lacks: with them stored bytes survive a power cut and erased bytes stay
//! erased.
//!
//! `object_store` creates files that everybody may read, and never syncs a deletion. So photos are written and deleted
//! here: only their owner can access the files, and both files and folders are synced. This includes a folder that
//! another write has just created but not yet synced, and bytes that already exist under a name that is not yet synced.
//! All file operations here block, so callers run them on a blocking thread.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use embudo_domain::{Digest, LeadId};

use crate::staged_file::StagedFile;
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The maximum number of leads in the set of synced folders. Above it the set is emptied: this limits memory to a few
/// MiB and costs a few syncs.
const REMEMBERED_LEADS: usize = 65_536;
const LOCKS: usize = 64;
/// The prefix of a probe's name ([`crate::Blobs::check`]).
pub(crate) const PROBE: &str = "sonda-";

/// The result of [`BlobFolder::prepare`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The bytes exist, durably.
    Kept,
    /// The bytes must be written; the lead's folder exists, durably.
    Absent,
}

/// A database's folder of photos.
pub(crate) struct BlobFolder {
    /// The parent folder, which other databases may share.
    shared: PathBuf,
    root: PathBuf,
    leads: PathBuf,
    /// The folder for files that do not have their final place yet. Its content need not survive a crash, so it is
    /// never synced.
    staging: PathBuf,
    /// Leads whose folder is known to be durable.
    synced: Mutex<HashSet<LeadId>>,
    /// These locks prevent a lead's folder from being removed during a write: writers share a lock,
    /// [`Self::remove_lead`] takes it exclusively. The locks are striped by lead, so that an erasure delays few other
    /// leads.
    locks: [RwLock<()>; LOCKS],
}

impl BlobFolder {
    /// Creates the database's folder within `shared` if it is missing, and makes its directory entry durable.
    pub(crate) fn open(shared: &Path, database: &str) -> io::Result<Self> {
        let path = std::path::absolute(shared)?.join(database);
        let existing = path.ancestors().find(|dir| dir.exists()).unwrap_or(&path).to_path_buf();
        create_private(&path.join("leads"))?;
        let shared = shared.canonicalize()?;
        let root = shared.join(database);
        let leads = root.join("leads");
        let staging = root.join("staging");
        create_private(&staging)?;
        // A process that died between creating and syncing leaves folders that exist but are not durable yet. So these
        // folders are synced at every start, and new ones up to the first folder that already existed.
        sync_dir(&leads)?;
        sync_dir(&root)?;
        for dir in path.ancestors().skip(1) {
            let made_now = dir.starts_with(&existing);
            match sync_dir(dir) {
                // A service may own its folder without having the permission to read the parent folder.
                Err(error) if made_now || error.kind() != ErrorKind::PermissionDenied => return Err(error),
                _ if made_now => {}
                _ => break,
            }
        }
        Ok(Self {
            shared,
            root,
            leads,
            staging,
            synced: Mutex::default(),
            locks: std::array::from_fn(|_| RwLock::new(())),
        })
    }

    /// The shared parent folder, without symbolic links.
    pub(crate) fn shared(&self) -> &Path {
        &self.shared
    }

    /// Whether the folder still exists: an unmounted disk must not look like missing photos.
    pub(crate) fn is_there(&self) -> bool {
        self.leads.is_dir()
    }

    /// Whether both are the same folder on the disk, even through different paths.
    pub(crate) fn is_same_place(&self, other: &Self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let inode = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
        match (inode(&self.leads), inode(&other.leads)) {
            (Ok(one), Ok(other)) => one == other,
            _ => self.leads == other.leads,
        }
    }

    /// The lock to hold while a photo of the lead is written.
    pub(crate) async fn writing(&self, lead: LeadId) -> RwLockReadGuard<'_, ()> {
        self.lock(lead).read().await
    }

    /// The lock to hold while the lead's folder is removed.
    pub(crate) async fn removing(&self, lead: LeadId) -> RwLockWriteGuard<'_, ()> {
        self.lock(lead).write().await
    }

    /// To be called before a write. Makes the lead's folder durable, and the bytes too if they already exist.
    pub(crate) fn prepare(&self, lead: LeadId, digest: &Digest, len: u64) -> io::Result<Found> {
        let dir = self.lead_dir(lead);
        if !self.remembered().contains(&lead) {
            match private().create(&dir) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                _ => sync_dir(&self.leads)?,
            }
            let mut synced = self.remembered();
            if synced.len() >= REMEMBERED_LEADS {
                synced.clear();
            }
            synced.insert(lead);
        }
        match fs::metadata(dir.join(digest.to_string())) {
            // A file gets this name only after its content was synced, but the name itself may not be synced yet.
            Ok(file) if file.is_file() && file.len() == len => sync_dir(&dir).map(|()| Found::Kept),
            Ok(_) => Ok(Found::Absent),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Found::Absent),
            Err(error) => Err(error),
        }
    }

    /// Writes a photo that only its owner can access. It is first written under a temporary name, so that it appears
    /// completely or not at all.
    pub(crate) fn write(&self, lead: LeadId, digest: &Digest, bytes: &[u8]) -> io::Result<()> {
        let dir = self.lead_dir(lead);
        let (staged, mut file) = match stage(&dir, &digest.to_string()) {
            // Another process removed the lead's folder after it was prepared.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.remembered().remove(&lead);
                self.prepare(lead, digest, bytes.len() as u64)?;
                stage(&dir, &digest.to_string())?
            }
            staged => staged?,
        };
        let written = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&staged, dir.join(digest.to_string())));
        if written.is_err() {
            let _ = fs::remove_file(&staged);
        }
        written?;
        sync_dir(&dir)
    }

    /// Creates a temporary file for bytes whose lead and digest are not known yet.
    pub(crate) fn stage_unknown(&self) -> io::Result<StagedFile> {
        // The name is random, because several processes may share the folder, even on several machines.
        let name = uuid::Uuid::new_v4().to_string();
        let (path, file) = match stage(&self.staging, &name) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                private().create(&self.staging)?;
                stage(&self.staging, &name)?
            }
            staged => staged?,
        };
        Ok(StagedFile::new(file, path))
    }

    /// Moves a file to the place of a photo. A file that was already moved to a place is written again, because it may
    /// have been deleted there.
    pub(crate) fn adopt(&self, lead: LeadId, digest: &Digest, staged: &StagedFile) -> io::Result<()> {
        let dir = self.lead_dir(lead);
        let place = dir.join(digest.to_string());
        let brought = match staged.bring_to(&place) {
            // Another process removed the lead's folder after it was prepared.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.remembered().remove(&lead);
                self.prepare(lead, digest, 0)?;
                staged.bring_to(&place)?
            }
            brought => brought?,
        };
        if brought { sync_dir(&dir) } else { self.write(lead, digest, &staged.read_all()?) }
    }

    /// Deletes a photo durably, so that it does not reappear after a power cut. Refused after `until`, because this
    /// call may have waited long for its thread.
    pub(crate) fn remove(&self, lead: LeadId, digest: &Digest, until: Instant) -> io::Result<()> {
        if Instant::now() >= until {
            return Err(ErrorKind::TimedOut.into());
        }
        let dir = self.lead_dir(lead);
        missing_is_fine(fs::remove_file(dir.join(digest.to_string())))?;
        missing_is_fine(sync_dir(&dir))
    }

    /// Removes the lead's folder with all its content, including files of interrupted writes.
    pub(crate) fn remove_lead(&self, lead: LeadId) -> io::Result<()> {
        self.remembered().remove(&lead);
        missing_is_fine(fs::remove_dir_all(self.lead_dir(lead)))?;
        sync_dir(&self.leads)
    }

    /// Removes everything in the lead's folder except files with these names, including files of interrupted writes.
    pub(crate) fn erase_lead(&self, lead: LeadId, kept: &[String]) -> io::Result<()> {
        if kept.is_empty() {
            return self.remove_lead(lead);
        }
        let dir = self.lead_dir(lead);
        let entries = match fs::read_dir(&dir) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if !entry.file_name().to_str().is_some_and(|name| kept.iter().any(|kept| kept == name)) {
                missing_is_fine(fs::remove_file(entry.path()))?;
            }
        }
        sync_dir(&dir)
    }

    /// Removes files of interrupted writes and probes that are older than `age`, and returns how many.
    pub(crate) fn remove_leftovers(&self, age: Duration) -> io::Result<u64> {
        let Some(limit) = SystemTime::now().checked_sub(age) else { return Ok(0) };
        let mut removed = remove_in(&self.root, limit, |name| name.starts_with(PROBE))?;
        removed += self.clear_staging(age)?;
        for entry in fs::read_dir(&self.leads)? {
            let entry = entry?;
            let name = entry.file_name();
            if name.to_str().and_then(LeadId::parse).is_some() && entry.file_type()?.is_dir() {
                removed += remove_in(&entry.path(), limit, is_staged)?;
            }
        }
        Ok(removed)
    }

    /// Removes staged files that were not written to for `age`.
    pub(crate) fn clear_staging(&self, age: Duration) -> io::Result<u64> {
        let Some(limit) = SystemTime::now().checked_sub(age) else { return Ok(0) };
        remove_in(&self.staging, limit, |_| true)
    }

    fn lead_dir(&self, lead: LeadId) -> PathBuf {
        self.leads.join(lead.to_string())
    }

    fn lock(&self, lead: LeadId) -> &RwLock<()> {
        // The last byte of a UUID is random in every version that we use.
        &self.locks[usize::from(lead.0.as_bytes()[15]) % LOCKS]
    }

    fn remembered(&self) -> std::sync::MutexGuard<'_, HashSet<LeadId>> {
        // The set is valid in every state, even after a panic.
        self.synced.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates a new temporary file for a name, accessible only to its owner.
fn stage(dir: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    let mut number = 1_u32;
    loop {
        let path = dir.join(format!("{name}#{number}"));
        match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            opened => return opened.map(|file| (path, file)),
        }
    }
}

/// Whether a file name is the temporary name of a photo: `<digest>#<number>`.
fn is_staged(name: &str) -> bool {
    name.split_once('#').is_some_and(|(digest, number)| {
        Digest::parse(digest).is_some() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    })
}

fn remove_in(dir: &Path, limit: SystemTime, wanted: impl Fn(&str) -> bool) -> io::Result<u64> {
    let mut removed = 0;
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        // The lead was erased meanwhile.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        if !entry.file_name().to_str().is_some_and(&wanted) {
            continue;
        }
        // A staged file may be renamed to its place just now: then there is nothing to remove.
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_file() && metadata.modified()? < limit {
            missing_is_fine(fs::remove_file(entry.path()))?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Creates folders that only the service's own user can access, because they contain photos of people's homes.
fn private() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

fn create_private(path: &Path) -> io::Result<()> {
    private().recursive(true).create(path)
}

fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn missing_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_staging_names_are_leftovers() {
        let digest = Digest::of(b"x");
        assert!(is_staged(&format!("{digest}#1")) && is_staged(&format!("{digest}#27")));
        for other in [digest.to_string(), format!("{digest}#"), format!("{digest}#1a"), "nota#1".to_owned()] {
            assert!(!is_staged(&other), "{other}");
        }
    }
}
