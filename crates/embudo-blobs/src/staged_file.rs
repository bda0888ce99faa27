//! A file under way to its place in a folder.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A file that has no place yet. Dropped without one, it is removed.
pub(crate) struct StagedFile {
    file: File,
    /// None: it was brought to its place.
    path: Mutex<Option<PathBuf>>,
}

impl StagedFile {
    pub(crate) fn new(file: File, path: PathBuf) -> Self {
        Self { file, path: Mutex::new(Some(path)) }
    }

    /// To write to.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Syncs the file and brings it to its place; false: it has been brought to one before.
    pub(crate) fn bring_to(&self, place: &Path) -> io::Result<bool> {
        let mut path = self.path();
        let Some(staged) = &*path else { return Ok(false) };
        self.file.sync_all()?;
        fs::rename(staged, place)?;
        *path = None;
        Ok(true)
    }

    /// `len` bytes of it, wherever it is by now, also nowhere.
    pub(crate) fn read(&self, from: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.file.read_exact_at(&mut bytes, from)?;
        Ok(bytes)
    }

    pub(crate) fn read_all(&self) -> io::Result<Vec<u8>> {
        self.read(0, usize::try_from(self.file.metadata()?.len()).unwrap_or(usize::MAX))
    }

    fn path(&self) -> MutexGuard<'_, Option<PathBuf>> {
        // Nothing panics while the lock is held.
        self.path.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        let Some(path) = self.path().take() else { return };
        // What cannot be removed now is a leftover.
        let remove = move || drop(fs::remove_file(path));
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(remove)),
            Err(_) => remove(),
        }
    }
}
