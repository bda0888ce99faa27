//! A temporary file on its way to its place in a folder.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A file without a final place yet. If it is dropped before it has one, it is removed.
pub(crate) struct StagedFile {
    file: File,
    /// `None`: the file was moved to its place.
    path: Mutex<Option<PathBuf>>,
}

impl StagedFile {
    pub(crate) fn new(file: File, path: PathBuf) -> Self {
        Self { file, path: Mutex::new(Some(path)) }
    }

    /// The file, for writing.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Syncs the file and moves it to its place. `false`: it was already moved to a place before.
    pub(crate) fn bring_to(&self, place: &Path) -> io::Result<bool> {
        let mut path = self.path();
        let Some(staged) = &*path else { return Ok(false) };
        self.file.sync_all()?;
        fs::rename(staged, place)?;
        *path = None;
        Ok(true)
    }

    /// Reads `len` bytes of the file, wherever it is by now, even if it was deleted.
    pub(crate) fn read(&self, from: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.file.read_exact_at(&mut bytes, from)?;
        Ok(bytes)
    }

    pub(crate) fn read_all(&self) -> io::Result<Vec<u8>> {
        self.read(0, usize::try_from(self.file.metadata()?.len()).unwrap_or(usize::MAX))
    }

    fn path(&self) -> MutexGuard<'_, Option<PathBuf>> {
        // No code panics while it holds the lock.
        self.path.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        let Some(path) = self.path().take() else { return };
        // A file that cannot be removed now is removed later with the leftovers.
        let remove = move || drop(fs::remove_file(path));
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(remove)),
            Err(_) => remove(),
        }
    }
}
