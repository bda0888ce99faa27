//! Reads a blob piece by piece, so that a slow client holds only one piece in memory.

use std::ops::Range;

use bytes::Bytes;
use embudo_domain::{Digest, LeadId};
use object_store::ObjectStoreExt as _;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{BlobError, Blobs, Kind, LIMIT_SHORT, count_read};

/// The size of a piece. It is a multiple of three, so that pieces can be written as base64 one after the other.
pub const PIECE_BYTES: u64 = 24 * 1024;

/// The maximum number of concurrent reads of a folder. Each takes a thread, and a thread takes more memory than the
/// piece that it reads.
static FOLDER_READS: Semaphore = Semaphore::const_new(16);

/// An open blob. Between two pieces it holds neither a file descriptor nor a connection, so a client may read slowly.
#[derive(Debug)]
pub struct BlobReader {
    blobs: Blobs,
    lead: LeadId,
    digest: Digest,
    size: u64,
    read: u64,
}

impl Blobs {
    /// Opens a blob for reading piece by piece.
    pub async fn open(&self, lead: LeadId, digest: &Digest) -> Result<BlobReader, BlobError> {
        let _turn = self.turn_to_read().await;
        let path = self.path(lead, digest);
        let found = self.within(LIMIT_SHORT, self.0.store.head(&path)).await;
        let size = self.look_again(found).await?.size;
        Ok(BlobReader { blobs: self.clone(), lead, digest: *digest, size, read: 0 })
    }

    async fn turn_to_read(&self) -> Option<SemaphorePermit<'static>> {
        match self.0.kind {
            Kind::BlobFolder(_) => FOLDER_READS.acquire().await.ok(),
            _ => None,
        }
    }

    async fn part(&self, lead: LeadId, digest: &Digest, part: Range<u64>) -> Result<Bytes, BlobError> {
        let _turn = self.turn_to_read().await;
        let path = self.path(lead, digest);
        let read = self.within(LIMIT_SHORT, self.0.store.get_range(&path, part)).await;
        self.look_again(read).await.inspect(count_read)
    }
}

impl BlobReader {
    /// The total size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The next piece: [`PIECE_BYTES`] bytes, except for the last piece; `None` at the end.
    pub async fn next_piece(&mut self) -> Option<Result<Bytes, BlobError>> {
        let part = self.read..(self.read + PIECE_BYTES).min(self.size);
        if part.is_empty() {
            return None;
        }
        self.read = part.end;
        Some(self.blobs.part(self.lead, &self.digest, part).await)
    }

    /// The whole blob at once.
    pub async fn all(mut self) -> Result<Bytes, BlobError> {
        let mut all = Vec::with_capacity(usize::try_from(self.size).unwrap_or(0));
        while let Some(piece) = self.next_piece().await {
            all.extend_from_slice(&piece?);
        }
        Ok(all.into())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use embudo_domain::Digest;

    #[tokio::test]
    async fn a_blob_comes_in_pieces_and_whole() {
        let (blobs, lead) = (Blobs::memory(), LeadId(uuid::Uuid::nil()));
        for size in [1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES] {
            let bytes: Vec<u8> = (0..size).map(|n| n as u8).collect();
            let digest = Digest::of(&bytes);
            assert_eq!(blobs.open(lead, &digest).await.unwrap_err(), BlobError::Missing);
            blobs.put(lead, &digest, Bytes::from(bytes.clone())).await.unwrap();
            let mut reader = blobs.open(lead, &digest).await.unwrap();
            assert_eq!(reader.size(), size);
            let mut pieces = Vec::new();
            while let Some(piece) = reader.next_piece().await {
                pieces.push(piece.unwrap());
            }
            assert_eq!(pieces.len() as u64, size.div_ceil(PIECE_BYTES));
            assert!(pieces.concat() == bytes);
            assert!(blobs.open(lead, &digest).await.unwrap().all().await.unwrap() == bytes);
        }
    }
}
