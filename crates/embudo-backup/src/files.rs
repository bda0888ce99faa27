//! Files of our own: readable by their owner alone, hashed piece by piece, and removed again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use embudo_blobs::Depot;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{BackupError, Result};

const PIECE: u64 = 8 << 20;

/// A file's entry in a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigest {
    pub name: String,
    pub bytes: u64,
    /// 64 hexadecimal digits.
    pub sha256: String,
}

pub(crate) fn failed(path: &Path) -> impl FnOnce(io::Error) -> BackupError + '_ {
    move |source| BackupError::File { path: path.to_owned(), source }
}

/// A temporary file, and the files that SQLite puts beside it if it is a database. Dropping the value removes all of
/// them.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    /// Uses a name in a folder. Files that an earlier run left under this name are removed.
    pub(crate) fn new(folder: &Path, name: &str) -> Result<Self> {
        let scratch = Self(folder.join(name));
        for path in scratch.files() {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&path)(error)),
                _ => {}
            }
        }
        Ok(scratch)
    }

    /// Removes what earlier runs left under names with this beginning.
    pub(crate) fn clear(folder: &Path, beginning: &str) -> Result<()> {
        for entry in fs::read_dir(folder).map_err(failed(folder))? {
            let entry = entry.map_err(failed(folder))?;
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(beginning)) {
                match fs::remove_file(entry.path()) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(failed(&entry.path())(error));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn files(&self) -> impl Iterator<Item = PathBuf> {
        ["", "-wal", "-shm", "-journal"].into_iter().map(|end| {
            let mut path = self.0.as_os_str().to_owned();
            path.push(end);
            path.into()
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If the file was moved to its final place, nothing is left here. The next run that uses the name removes what
        // cannot be removed now.
        self.files().for_each(|path| drop(fs::remove_file(path)));
    }
}

pub(crate) fn create(path: &Path) -> Result<BufWriter<File>> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    Ok(BufWriter::new(file.map_err(failed(path))?))
}

/// Hashes a file of this machine.
pub(crate) async fn digest(path: &Path, name: &str) -> Result<FileDigest> {
    let (path, name) = (path.to_owned(), name.to_owned());
    blocking(move || {
        let hash = || -> io::Result<FileDigest> {
            let (mut file, mut sum, mut bytes) = (File::open(&path)?, Sha256::new(), 0);
            let mut piece = vec![0; 1 << 20];
            loop {
                match file.read(&mut piece)? {
                    0 => break Ok(FileDigest { name, bytes, sha256: hex(&sum.finalize()) }),
                    read => {
                        sum.update(&piece[..read]);
                        bytes += read as u64;
                    }
                }
            }
        };
        hash().map_err(failed(&path))
    })
    .await
}

pub(crate) fn digest_bytes(name: &str, bytes: &[u8]) -> FileDigest {
    FileDigest { name: name.to_owned(), bytes: bytes.len() as u64, sha256: hex(&Sha256::digest(bytes)) }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a file of a depot, into a local file if one is named. Returns whether it has the expected length and hash.
/// `report` is called with the number of bytes that were read.
pub(crate) async fn fetch(
    depot: &Depot,
    path: &str,
    expected: &FileDigest,
    into: Option<&Path>,
    report: &(dyn Fn(u64) + Send + Sync),
) -> Result<bool> {
    let mut file = into.map(create).transpose()?;
    let (mut sum, mut read) = (Sha256::new(), 0);
    while read < expected.bytes {
        let piece = depot.part(path, read, PIECE.min(expected.bytes - read)).await?;
        if piece.is_empty() {
            return Ok(false);
        }
        read += piece.len() as u64;
        sum.update(&piece);
        if let (Some(file), Some(path)) = (&mut file, into) {
            file.write_all(&piece).map_err(failed(path))?;
        }
        report(read);
    }
    if let (Some(mut file), Some(path)) = (file, into) {
        file.flush().map_err(failed(path))?;
    }
    Ok(depot.size(path).await? == expected.bytes && hex(&sum.finalize()) == expected.sha256)
}

/// The lines of a file.
pub(crate) fn lines(path: &Path) -> Result<impl Iterator<Item = Result<String>>> {
    let file = File::open(path).map_err(failed(path))?;
    let path = path.to_owned();
    Ok(BufReader::new(file).lines().map(move |line| line.map_err(failed(&path))))
}

pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(BackupError::Refused(error.to_string())))
}
