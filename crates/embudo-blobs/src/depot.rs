//! A place for whole files, by name: a folder or S3, where backups are stored.
//!
//! A file appears completely or not at all, and is durable after it was put. The content of a file is up to the caller.

mod folder;

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt as _, PutPayload};

use crate::s3::{LIMIT_PATIENT, Patience};
use crate::{BlobError, S3Config};
use folder::{adopt, make, names, piece, write};

/// Files are sent in pieces of this size, so that a slow connection can send each piece in time. S3 accepts at most
/// 10,000 pieces, each of at least 5 MiB except the last.
const PIECE: usize = 8 << 20;

/// A handle to the place; cheap to clone.
#[derive(Clone)]
pub struct Depot {
    place: String,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Folder(PathBuf),
    S3 { store: Arc<dyn ObjectStore>, base: Path },
}

impl std::fmt::Debug for Depot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Depot").field(&self.place).finish()
    }
}

impl Depot {
    /// Files in a folder that only its owner can access. The folder is created when the first file is put.
    pub fn folder(path: &FilePath) -> Self {
        Self { place: path.display().to_string(), kind: Kind::Folder(path.to_owned()) }
    }

    /// Files in a bucket. Nothing is sent yet.
    pub fn s3(config: &S3Config) -> Result<Self, BlobError> {
        Self::s3_with(config, Patience::Long)
    }

    /// Like [`Self::s3`] with short time-outs, for checking whether the server answers.
    pub fn s3_hasty(config: &S3Config) -> Result<Self, BlobError> {
        Self::s3_with(config, Patience::Short)
    }

    fn s3_with(config: &S3Config, patience: Patience) -> Result<Self, BlobError> {
        let (store, base) = (Arc::new(config.connect(patience)?), config.base()?);
        Ok(Self { place: config.place(), kind: Kind::S3 { store, base } })
    }

    /// The place's name in messages.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// A folder for creating files: [`Self::put_file`] moves a file from there instead of copying it. `None` if files
    /// are sent to S3.
    pub fn workshop(&self) -> Result<Option<PathBuf>, BlobError> {
        let Kind::Folder(folder) = &self.kind else { return Ok(None) };
        make(folder).map_err(|error| self.failed(&error))?;
        Ok(Some(folder.clone()))
    }

    /// Puts a file that was made elsewhere. A file in the [workshop](Self::workshop) is moved, so it is gone from there
    /// afterwards. If files are sent to S3, `report` is called with the number of bytes sent so far.
    pub async fn put_file(
        &self,
        name: &str,
        from: &FilePath,
        report: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<(), BlobError> {
        match &self.kind {
            Kind::Folder(folder) => {
                let (to, from, folder) = (folder.join(name), from.to_owned(), folder.clone());
                self.blocking(move || adopt(&folder, &from, &to)).await
            }
            Kind::S3 { store, base } => {
                let path = self.path(base, name)?;
                let mut upload = self.within(store.put_multipart(&path)).await?;
                let sent = self.send(&mut *upload, from.to_owned(), report).await;
                if sent.is_err() {
                    // The parts that were sent are useless. If this request to drop them fails, they stay on the
                    // server until a lifecycle rule of the bucket deletes them.
                    let _ = self.within(upload.abort()).await;
                }
                sent
            }
        }
    }

    async fn send(
        &self,
        upload: &mut dyn MultipartUpload,
        from: PathBuf,
        report: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<(), BlobError> {
        let (mut sent_any, mut sent_bytes) = (false, 0);
        let mut file = Some(self.blocking(move || File::open(from)).await?);
        while let Some(mut open) = file.take() {
            let (open, piece) = self.blocking(move || piece(&mut open).map(|piece| (open, piece))).await?;
            let last = piece.len() < PIECE;
            if piece.is_empty() && sent_any {
                break;
            }
            sent_any = true;
            sent_bytes += piece.len() as u64;
            self.within(upload.put_part(PutPayload::from(piece))).await?;
            report(sent_bytes);
            file = (!last).then_some(open);
        }
        self.within(upload.complete()).await.map(drop)
    }

    /// Puts a small file.
    pub async fn put(&self, name: &str, bytes: Bytes) -> Result<(), BlobError> {
        match &self.kind {
            Kind::Folder(folder) => {
                let (to, folder) = (folder.join(name), folder.clone());
                self.blocking(move || write(&folder, &to, &bytes)).await
            }
            Kind::S3 { store, base } => {
                let path = self.path(base, name)?;
                self.within(store.put(&path, PutPayload::from_bytes(bytes))).await.map(drop)
            }
        }
    }

    /// The size of a file in bytes.
    pub async fn size(&self, name: &str) -> Result<u64, BlobError> {
        match &self.kind {
            Kind::Folder(folder) => {
                let path = folder.join(name);
                self.blocking(move || fs::metadata(path)).await.map(|file| file.len())
            }
            Kind::S3 { store, base } => {
                let path = self.path(base, name)?;
                Ok(self.within(store.head(&path)).await?.size)
            }
        }
    }

    /// A part of a file, beginning at `from`; shorter than requested, or empty, at the end of the file.
    pub async fn part(&self, name: &str, from: u64, size: u64) -> Result<Bytes, BlobError> {
        match &self.kind {
            Kind::Folder(folder) => {
                let path = folder.join(name);
                self.blocking(move || {
                    use std::io::{Seek as _, SeekFrom};
                    let mut file = File::open(path)?;
                    file.seek(SeekFrom::Start(from))?;
                    let mut bytes = Vec::new();
                    file.take(size).read_to_end(&mut bytes)?;
                    Ok(bytes.into())
                })
                .await
            }
            Kind::S3 { store, base } => {
                let path = self.path(base, name)?;
                let read = self.within(store.get_range(&path, from..from + size)).await;
                match read {
                    // At the end of a file S3 answers with an error.
                    Err(BlobError::Unavailable { .. })
                        if self.size(name).await.is_ok_and(|end| end <= from) =>
                    {
                        Ok(Bytes::new())
                    }
                    read => read,
                }
            }
        }
    }

    /// The names of all files under a folder of the place, in no order.
    pub async fn list(&self, under: &str) -> Result<Vec<String>, BlobError> {
        match &self.kind {
            Kind::Folder(folder) => {
                let (root, under) = (folder.clone(), folder.join(under));
                self.blocking(move || {
                    let mut found = Vec::new();
                    names(&root, &under, &mut found)?;
                    Ok(found)
                })
                .await
            }
            Kind::S3 { store, base } => {
                let path = self.path(base, under)?;
                let found: Vec<_> =
                    store.list(Some(&path)).try_collect().await.map_err(|error| self.of_store(&error))?;
                let own = |path: &Path| {
                    path.prefix_match(base)
                        .map(|parts| parts.map(|p| p.as_ref().to_owned()).collect::<Vec<_>>().join("/"))
                };
                Ok(found.iter().filter_map(|object| own(&object.location)).collect())
            }
        }
    }

    /// The folders directly under a folder of the place.
    pub async fn folders(&self, under: &str) -> Result<Vec<String>, BlobError> {
        match &self.kind {
            Kind::Folder(folder) => {
                let path = folder.join(under);
                self.blocking(move || {
                    let entries = match fs::read_dir(path) {
                        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
                        entries => entries?,
                    };
                    let mut found = Vec::new();
                    for entry in entries {
                        let entry = entry?;
                        if entry.file_type()?.is_dir() {
                            found.extend(entry.file_name().to_str().map(str::to_owned));
                        }
                    }
                    Ok(found)
                })
                .await
            }
            Kind::S3 { store, base } => {
                let path = self.path(base, under)?;
                let listed = self.within(store.list_with_delimiter(Some(&path))).await?;
                Ok(listed
                    .common_prefixes
                    .iter()
                    .filter_map(|path| path.filename().map(str::to_owned))
                    .collect())
            }
        }
    }

    /// Removes a file; a missing file counts as removed.
    pub async fn remove(&self, name: &str) -> Result<(), BlobError> {
        let removed = match &self.kind {
            Kind::Folder(folder) => {
                let (path, root) = (folder.join(name), folder.clone());
                self.blocking(move || {
                    fs::remove_file(&path)?;
                    // Removing the last file leaves empty folders, so these are removed too.
                    let around = path.ancestors().skip(1).take_while(|folder| *folder != root);
                    around.map_while(|folder| fs::remove_dir(folder).ok()).count();
                    Ok(())
                })
                .await
            }
            Kind::S3 { store, base } => {
                let path = self.path(base, name)?;
                self.within(store.delete(&path)).await
            }
        };
        match removed {
            Err(BlobError::Missing) => Ok(()),
            other => other,
        }
    }

    fn path(&self, base: &Path, name: &str) -> Result<Path, BlobError> {
        let bad = |_| BlobError::Settings(format!("«{name}» is no name for a file"));
        let name = Path::parse(name).map_err(bad)?;
        Ok(base.parts().chain(name.parts()).collect())
    }

    fn failed(&self, error: &io::Error) -> BlobError {
        match error.kind() {
            ErrorKind::NotFound => BlobError::Missing,
            _ => BlobError::of_io(&self.place, error),
        }
    }

    fn of_store(&self, error: &object_store::Error) -> BlobError {
        BlobError::of_store(&self.place, error)
    }

    async fn within<T>(
        &self,
        operation: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, BlobError> {
        let done = tokio::time::timeout(LIMIT_PATIENT, operation).await;
        done.map_err(|_| BlobError::timed_out(&self.place))?.map_err(|error| self.of_store(&error))
    }

    async fn blocking<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Result<T, BlobError> {
        let done = tokio::task::spawn_blocking(job).await.map_err(io::Error::other);
        done.and_then(|result| result).map_err(|error| self.failed(&error))
    }
}
