//! Stores bytes while they arrive, before their lead and their content are known.
//!
//! In a folder the bytes go into a temporary file next to the leads' folders, which [`Blobs::put`] then syncs and moves
//! to its place. On other storage they stay in memory. Bytes that were not put are removed on drop, and files left by a
//! crash are removed with other [leftovers](Blobs::remove_leftovers).

use std::fmt;
use std::io::Write as _;
use std::sync::Arc;

use bytes::Bytes;
use embudo_domain::Digest;
use embudo_domain::digest::Digesting;
use object_store::PutPayload;
use tokio::sync::Semaphore;

use crate::folder::BlobFolder;
use crate::staged_file::StagedFile;
use crate::{BlobError, Blobs, Kind};

/// The maximum number of concurrent writes to a folder. Each takes a thread, and many threads take more memory than
/// what they write.
static FOLDER_WRITES: Semaphore = Semaphore::const_new(8);

/// Bytes that are arriving.
pub struct Staging {
    blobs: Blobs,
    digesting: Box<Digesting>,
    size: u64,
    place: Place,
}

#[derive(Clone)]
enum Place {
    /// Nothing was written yet. Only the first write creates a file in the folder.
    Nowhere,
    File(Arc<StagedFile>),
    Memory(Vec<Bytes>),
}

/// Bytes that have arrived, to be [put](Blobs::put). Clones are handles to the same bytes.
#[derive(Clone)]
pub struct Staged {
    size: u64,
    place: Place,
}

impl Place {
    fn held_bytes(&self, size: u64) -> u64 {
        if matches!(self, Self::Memory(_)) { size } else { 0 }
    }
}

impl Staged {
    /// The number of bytes that it holds in memory.
    pub fn held_bytes(&self) -> u64 {
        self.place.held_bytes(self.size)
    }
}

/// What [`Blobs::put`] accepts.
#[derive(Debug, Clone)]
pub enum Payload {
    Bytes(Bytes),
    Staged(Staged),
}

impl Blobs {
    /// Whether staged bytes are stored outside of memory.
    pub fn stages_elsewhere(&self) -> bool {
        matches!(self.0.kind, Kind::BlobFolder(_))
    }

    /// Starts the staging of bytes that arrive.
    pub fn stage(&self) -> Staging {
        Staging { blobs: self.clone(), digesting: Box::default(), size: 0, place: Place::Nowhere }
    }
}

impl Staging {
    /// Writes the first `len` bytes of a buffer. Returns the buffer to be filled again, or an empty one if the bytes
    /// stay in memory.
    pub async fn write(&mut self, buffer: Vec<u8>, len: usize) -> Result<Vec<u8>, BlobError> {
        self.size += len as u64;
        let Kind::BlobFolder(folder) = &self.blobs.0.kind else {
            return Ok(self.keep_in_memory(buffer, len));
        };
        let (mut digesting, place) = (std::mem::take(&mut self.digesting), self.place.clone());
        let _turn = FOLDER_WRITES.acquire().await;
        let job = move |folder: &BlobFolder| {
            let file = match place {
                Place::File(file) => file,
                _ => Arc::new(folder.stage_unknown()?),
            };
            digesting.update(&buffer[..len]);
            file.file().write_all(&buffer[..len])?;
            Ok((file, digesting, buffer))
        };
        let (file, digesting, buffer) = self.blobs.blocking(folder, job).await?;
        (self.place, self.digesting) = (Place::File(file), digesting);
        Ok(buffer)
    }

    fn keep_in_memory(&mut self, mut buffer: Vec<u8>, len: usize) -> Vec<u8> {
        buffer.truncate(len);
        self.digesting.update(&buffer);
        match &mut self.place {
            Place::Memory(pieces) => pieces.push(buffer.into()),
            place => *place = Place::Memory(vec![buffer.into()]),
        }
        Vec::new()
    }

    /// The number of bytes that it holds in memory.
    pub fn held_bytes(&self) -> u64 {
        self.place.held_bytes(self.size)
    }

    /// The number of bytes that have arrived.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads `len` of the bytes that have arrived.
    pub async fn read(&self, from: u64, len: usize) -> Result<Vec<u8>, BlobError> {
        match (&self.place, &self.blobs.0.kind) {
            (Place::File(file), Kind::BlobFolder(folder)) => {
                let file = file.clone();
                self.blobs.blocking(folder, move |_| file.read(from, len)).await
            }
            (Place::Memory(pieces), _) => {
                let bytes = pieces.iter().flat_map(|piece| piece.iter().copied());
                Ok(bytes.skip(usize::try_from(from).unwrap_or(usize::MAX)).take(len).collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Ends the staging: all bytes have arrived.
    pub fn finish(self) -> (Digest, Staged) {
        (self.digesting.finish(), Staged { size: self.size, place: self.place })
    }
}

impl Payload {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Staged(staged) => staged.size,
        }
    }

    /// The payload in the form of `object_store`. Only bytes in memory reach this point.
    pub(crate) fn in_memory(self) -> PutPayload {
        match self {
            Self::Bytes(bytes) => bytes.into(),
            Self::Staged(Staged { place: Place::Memory(pieces), .. }) => pieces.into_iter().collect(),
            Self::Staged(_) => PutPayload::default(),
        }
    }

    pub(crate) fn file(&self) -> Option<&StagedFile> {
        match self {
            Self::Staged(Staged { place: Place::File(file), .. }) => Some(file),
            _ => None,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Staged(_) => &[],
        }
    }
}

impl From<Bytes> for Payload {
    fn from(bytes: Bytes) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<Staged> for Payload {
    fn from(staged: Staged) -> Self {
        Self::Staged(staged)
    }
}

impl fmt::Debug for Staging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staging").field("size", &self.size).finish_non_exhaustive()
    }
}

impl fmt::Debug for Staged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staged").field("size", &self.size).finish_non_exhaustive()
    }
}
