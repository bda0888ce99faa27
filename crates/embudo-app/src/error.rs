//! Why a use case failed.

use embudo_blobs::BlobError;
use embudo_store::StoreError;

/// A failed use case.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The database refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The bytes of photos could not be stored or read.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// A quote could not be drawn.
    #[error("the quote could not be drawn: {0}")]
    Drawing(String),
    /// A person requests more previews at once than are drawn for one person.
    #[error("other previews of the same person are being drawn")]
    Busy,
}
