//! Stores the bytes of photos outside the database, in a folder or in S3.
//!
//! Bytes are content-addressed under the lead's prefix, within the prefix of the database:
//! `<database>/leads/<lead>/<blake3>`. So the same picture sent twice is stored once, erasing a person means erasing a
//! prefix, and databases that share a folder or a bucket do not see each other's data. [`Blobs::put`] returns once the
//! bytes are durable: the row that names them may be committed after it, never before.
//!
//! [`Depot`] stores whole files by name, for backups. This is the only crate that knows `object_store`. It must not
//! know rows, HTTP or the content of pictures; whether a blob is still needed is up to the caller.

mod database;
mod depot;
mod error;
mod folder;
mod probe;
mod reader;
mod s3;
mod staged_file;
mod staging;

use std::fmt;
use std::future::Future;
use std::path::Path as FilePath;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use embudo_domain::{Digest, LeadId, Timestamp};
use embudo_metrics::{BLOB_BYTES, Counter};
use futures_util::{Stream, StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};

pub use crate::database::DatabaseId;
pub use crate::depot::Depot;
pub use crate::error::BlobError;
use crate::folder::{BlobFolder, Found};
pub use crate::reader::{BlobReader, PIECE_BYTES};
use crate::s3::Patience;
pub use crate::s3::S3Config;
pub use crate::staging::{Payload, Staged, Staging};

/// The time limits of one whole operation on S3, including retries: the long one if a whole blob is sent or read.
const LIMIT_BYTES: Duration = Duration::from_secs(40);
const LIMIT_SHORT: Duration = Duration::from_secs(10);

/// A staged file that was not written to for this time belongs to a process that died: the server aborts an upload that
/// pauses for seconds.
const STAGED_IDLE: Duration = Duration::from_secs(10 * 60);

static READ: LazyLock<Counter> = LazyLock::new(|| BLOB_BYTES.counter(&["read"]));
static WRITTEN: LazyLock<Counter> = LazyLock::new(|| BLOB_BYTES.counter(&["written"]));

fn count_read(bytes: &Bytes) {
    READ.increment(bytes.len() as u64);
}

/// A handle to the storage of photos; cheap to clone.
#[derive(Clone)]
pub struct Blobs(Arc<Inner>);

/// Shows only the place: the S3 client's own debug output contains the access key.
impl fmt::Debug for Blobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Blobs").field(&self.0.place).finish()
    }
}

struct Inner {
    store: Arc<dyn ObjectStore>,
    /// The prefix before `leads/…`.
    base: Path,
    /// The place's name in messages.
    place: String,
    kind: Kind,
}

enum Kind {
    BlobFolder(Arc<BlobFolder>),
    S3(Patience),
    /// Storage for which `object_store` alone is enough: memory, or a folder that is only probed.
    Plain,
}

/// One stored blob, as [`Blobs::list`] returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobInfo {
    pub lead: LeadId,
    pub digest: Digest,
    pub size: u64,
    /// When it was written.
    pub last_modified: Timestamp,
}

/// The result of [`Blobs::put`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// The bytes were written.
    Written,
    /// The bytes already existed.
    Kept,
}

impl Blobs {
    /// Stores a database's bytes in a folder, which is created if it is missing. Blocks; to be called at the start.
    pub fn folder(path: &FilePath, database: DatabaseId) -> Result<Self, BlobError> {
        let place = path.display().to_string();
        let folder = BlobFolder::open(path, &database.to_string());
        let folder = folder.map_err(|error| BlobError::of_io(&place, &error))?;
        let store = local_store(folder.shared(), &place)?;
        Ok(Self::new(store, Path::default(), database, place, Kind::BlobFolder(Arc::new(folder))))
    }

    /// Stores a database's bytes in an S3 bucket. Nothing is sent yet: [`Blobs::check`] shows whether the bucket can be
    /// reached.
    pub fn s3(config: &S3Config, database: DatabaseId) -> Result<Self, BlobError> {
        Self::s3_with(config, database, Patience::Short)
    }

    /// Like [`Self::s3`] with long time-outs, for a backup, a restore or a copy.
    pub fn s3_patient(config: &S3Config, database: DatabaseId) -> Result<Self, BlobError> {
        Self::s3_with(config, database, Patience::Long)
    }

    fn s3_with(config: &S3Config, database: DatabaseId, patience: Patience) -> Result<Self, BlobError> {
        let store = Arc::new(config.connect(patience)?);
        Ok(Self::new(store, config.base()?, database, config.place(), Kind::S3(patience)))
    }

    /// Stores bytes in memory, for tests that do not test storage.
    pub fn memory() -> Self {
        let store = Arc::new(InMemory::new());
        Self::new(store, Path::default(), DatabaseId::new(&[0; 32]), "memory".to_owned(), Kind::Plain)
    }

    fn new(
        store: Arc<dyn ObjectStore>,
        shared: Path,
        database: DatabaseId,
        place: String,
        kind: Kind,
    ) -> Self {
        let base = shared.join(database.to_string());
        Self(Arc::new(Inner { store, base, place, kind }))
    }

    /// Stores these bytes for the lead, durably. If bytes with the same digest and length already exist, they are not
    /// written again. `digest` must be the digest of `bytes`; it is not computed again.
    pub async fn put(
        &self,
        lead: LeadId,
        digest: &Digest,
        bytes: impl Into<Payload>,
    ) -> Result<Put, BlobError> {
        let bytes = bytes.into();
        let len = bytes.len();
        let put = self.put_once(lead, digest, bytes).await?;
        if put == Put::Written {
            WRITTEN.increment(len);
        }
        Ok(put)
    }

    async fn put_once(&self, lead: LeadId, digest: &Digest, bytes: Payload) -> Result<Put, BlobError> {
        let len = bytes.len();
        if let Kind::BlobFolder(folder) = &self.0.kind {
            let _writing = folder.writing(lead).await;
            let digest = *digest;
            let put = move |folder: &BlobFolder| match folder.prepare(lead, &digest, len)? {
                Found::Kept => Ok(Put::Kept),
                Found::Absent => match bytes.file() {
                    Some(file) => folder.adopt(lead, &digest, file).map(|()| Put::Written),
                    None => folder.write(lead, &digest, bytes.bytes()).map(|()| Put::Written),
                },
            };
            return self.blocking(folder, put).await;
        }
        let path = self.path(lead, digest);
        let there = self.within(LIMIT_SHORT, self.0.store.head(&path)).await;
        match there {
            Ok(meta) if meta.size == len => Ok(Put::Kept),
            Err(error @ BlobError::Unavailable { .. }) if !may_hide_absence(&error) => Err(error),
            _ => self.write(&path, bytes).await,
        }
    }

    async fn write(&self, path: &Path, bytes: Payload) -> Result<Put, BlobError> {
        let put = self.0.store.put(path, bytes.in_memory());
        let done = self.within(LIMIT_BYTES, put).await;
        done.map(|_| Put::Written).map_err(|error| error.never_missing(&self.0.place))
    }

    pub async fn get(&self, lead: LeadId, digest: &Digest) -> Result<Bytes, BlobError> {
        let path = self.path(lead, digest);
        let read = async { self.0.store.get(&path).await?.bytes().await };
        let read = self.within(LIMIT_BYTES, read).await;
        self.look_again(read).await.inspect(count_read)
    }

    /// Whether the bytes exist.
    pub async fn exists(&self, lead: LeadId, digest: &Digest) -> Result<bool, BlobError> {
        Ok(self.size(lead, digest).await?.is_some())
    }

    /// The size of the bytes; `None` if they do not exist.
    pub async fn size(&self, lead: LeadId, digest: &Digest) -> Result<Option<u64>, BlobError> {
        let path = self.path(lead, digest);
        let found = self.within(LIMIT_SHORT, self.0.store.head(&path)).await;
        match self.look_again(found).await {
            Ok(found) => Ok(Some(found.size)),
            Err(BlobError::Missing) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Removes the bytes durably; missing bytes count as removed. No removal starts after `until`, not even one of a
    /// call that has already failed, so bytes that are put later are safe.
    pub async fn delete(&self, lead: LeadId, digest: &Digest, until: Instant) -> Result<(), BlobError> {
        if let Kind::BlobFolder(folder) = &self.0.kind {
            let digest = *digest;
            return self.blocking(folder, move |c| c.remove(lead, &digest, until)).await;
        }
        if Instant::now() >= until {
            return Err(BlobError::timed_out(&self.0.place));
        }
        let path = self.path(lead, digest);
        let deleted = tokio::time::timeout_at(until.into(), self.delete_path(&path)).await;
        deleted.unwrap_or_else(|_| Err(BlobError::timed_out(&self.0.place)))
    }

    /// Removes everything that is stored for the lead in the database's own place, durably. A later [`Blobs::put`]
    /// stores bytes again.
    pub async fn delete_lead(&self, lead: LeadId) -> Result<(), BlobError> {
        if let Kind::BlobFolder(folder) = &self.0.kind {
            let _removing = folder.removing(lead).await;
            return self.blocking(folder, move |c| c.remove_lead(lead)).await;
        }
        let prefix = self.leads().join(lead.to_string());
        let found = self.0.store.list(Some(&prefix));
        found
            .map_err(|error| BlobError::of_store(&self.0.place, &error))
            .try_for_each_concurrent(16, |meta| async move { self.delete_path(&meta.location).await })
            .await
    }

    /// Removes everything of an erased person except the bytes that must be kept, durably.
    pub async fn erase_lead(&self, lead: LeadId, kept: &[Digest]) -> Result<(), BlobError> {
        let names: Vec<String> = kept.iter().map(ToString::to_string).collect();
        if let Kind::BlobFolder(folder) = &self.0.kind {
            let _removing = folder.removing(lead).await;
            return self.blocking(folder, move |c| c.erase_lead(lead, &names)).await;
        }
        let found = self.0.store.list(Some(&self.leads().join(lead.to_string())));
        let other = found.try_filter(|meta| {
            let is_kept = meta.location.filename().is_some_and(|name| names.iter().any(|kept| kept == name));
            std::future::ready(!is_kept)
        });
        other
            .map_err(|error| BlobError::of_store(&self.0.place, &error))
            .try_for_each_concurrent(16, |meta| async move { self.delete_path(&meta.location).await })
            .await
    }

    async fn delete_path(&self, path: &Path) -> Result<(), BlobError> {
        match self.within(LIMIT_SHORT, self.0.store.delete(path)).await {
            Err(BlobError::Missing) => Ok(()),
            other => other,
        }
    }

    /// All stored blobs, in no order. Objects that are not ours are skipped.
    pub fn list(&self) -> impl Stream<Item = Result<BlobInfo, BlobError>> + Send + 'static {
        let (inner, leads) = (Arc::clone(&self.0), self.leads());
        self.0.store.list(Some(&leads)).filter_map(move |found| {
            let item = match found {
                Ok(meta) => info(&leads, &meta).map(Ok),
                Err(error) => Some(Err(BlobError::of_store(&inner.place, &error))),
            };
            std::future::ready(item)
        })
    }

    /// Whether both are the same place. Folders are compared on the disk; buckets are compared by name, whatever their
    /// server.
    pub fn is_same_place(&self, other: &Self) -> bool {
        match (&self.0.kind, &other.0.kind) {
            (Kind::BlobFolder(one), Kind::BlobFolder(other)) => one.is_same_place(other),
            (Kind::S3(_), Kind::S3(_)) => (&self.0.place, &self.0.base) == (&other.0.place, &other.0.base),
            _ => false,
        }
    }

    /// Removes files of interrupted writes in the folder that are older than `age` (one hour is safe for running
    /// writes); returns how many. S3 stores no partial objects. Reads every lead's folder, so it should run in the
    /// background after the start.
    pub async fn remove_leftovers(&self, age: Duration) -> Result<u64, BlobError> {
        match &self.0.kind {
            Kind::BlobFolder(folder) => self.blocking(folder, move |c| c.remove_leftovers(age)).await,
            Kind::S3(_) | Kind::Plain => Ok(0),
        }
    }

    /// Removes the files of abandoned uploads; returns how many. Reads only one folder, which contains only the current
    /// uploads.
    pub async fn clear_staging(&self) -> Result<u64, BlobError> {
        match &self.0.kind {
            Kind::BlobFolder(folder) => self.blocking(folder, |c| c.clear_staging(STAGED_IDLE)).await,
            Kind::S3(_) | Kind::Plain => Ok(0),
        }
    }

    fn leads(&self) -> Path {
        self.0.base.clone().join("leads")
    }

    fn path(&self, lead: LeadId, digest: &Digest) -> Path {
        self.leads().join(lead.to_string()).join(digest.to_string())
    }

    /// Distinguishes a missing photo from a missing disk.
    async fn look_again<T>(&self, read: Result<T, BlobError>) -> Result<T, BlobError> {
        let Kind::BlobFolder(folder) = &self.0.kind else { return read };
        match read {
            Err(error) if is_absence(&error) => match self.blocking(folder, |c| Ok(c.is_there())).await {
                Ok(true) => Err(BlobError::Missing),
                Ok(false) => Err(BlobError::Missing.never_missing(&self.0.place)),
                Err(error) => Err(error),
            },
            read => read,
        }
    }

    /// Classifies the errors of an operation and, on S3, ends it after `limit`: otherwise the time-outs of all retries
    /// would add up if a server accepts connections but does not answer.
    async fn within<T>(
        &self,
        limit: Duration,
        operation: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, BlobError> {
        let place = &self.0.place;
        let result = match self.0.kind {
            Kind::S3(patience) => {
                let done = tokio::time::timeout(patience.limit(limit), operation).await;
                done.map_err(|_| BlobError::timed_out(place))?
            }
            Kind::BlobFolder(_) | Kind::Plain => operation.await,
        };
        result.map_err(|error| BlobError::of_store(place, &error))
    }

    /// Runs a blocking operation on the folder off the async threads.
    async fn blocking<T: Send + 'static>(
        &self,
        folder: &Arc<BlobFolder>,
        job: impl FnOnce(&BlobFolder) -> std::io::Result<T> + Send + 'static,
    ) -> Result<T, BlobError> {
        let folder = Arc::clone(folder);
        let done = tokio::task::spawn_blocking(move || job(&folder)).await;
        // The operation itself does not panic; a runtime that is shutting down drops it.
        done.map_err(std::io::Error::other)
            .and_then(|result| result)
            .map_err(|error| BlobError::of_io(&self.0.place, &error))
    }
}

/// The `object_store` of files under an existing folder.
fn local_store(path: &FilePath, place: &str) -> Result<Arc<LocalFileSystem>, BlobError> {
    let store = LocalFileSystem::new_with_prefix(path)
        .map_err(|error| BlobError::of_store(place, &error).never_missing(place))?;
    Ok(Arc::new(store.with_fsync(true)))
}

/// Whether this error may mean that the object is missing: S3 answers 403 for a missing object if the access key may
/// not list the bucket. Such a key may still write.
fn may_hide_absence(error: &BlobError) -> bool {
    matches!(error, BlobError::Unavailable { reason, .. } if reason.starts_with("access refused"))
}

fn is_absence(error: &BlobError) -> bool {
    matches!(error, BlobError::Missing) || may_hide_absence(error)
}

/// Parses an object's name; `None` if it is not one of ours.
fn info(leads: &Path, meta: &ObjectMeta) -> Option<BlobInfo> {
    let mut parts = meta.location.prefix_match(leads)?;
    let lead = LeadId::parse(parts.next()?.as_ref())?;
    let digest = Digest::parse(parts.next()?.as_ref())?;
    if parts.next().is_some() {
        return None;
    }
    let last_modified = Timestamp::try_from(SystemTime::from(meta.last_modified)).ok()?;
    Some(BlobInfo { lead, digest, size: meta.size, last_modified })
}
