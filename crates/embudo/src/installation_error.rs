//! Why an installation cannot be opened, in words for operators.

use crate::data_dir::DataDirError;
use embudo_blobs::BlobError;
use embudo_delivery::InvalidSetting;

/// The part of the installation that cannot be opened, and why.
#[derive(Debug, thiserror::Error)]
pub enum InstallationError {
    /// The data folder.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The database.
    #[error("DATABASE_URL: {place}: {problem}{mend} [from {origin}]")]
    Store {
        /// The address, without password.
        place: String,
        /// What happened.
        problem: String,
        /// What to try, as the end of the sentence.
        mend: &'static str,
        /// Where the setting comes from.
        origin: String,
    },
    /// A setting for deliveries.
    #[error("{name}: {problem} [from {origin}]")]
    Setting {
        name: &'static str,
        /// What is wrong with it.
        problem: String,
        /// Where the setting comes from.
        origin: String,
    },
    /// The client for signals.
    #[error(
        "signals cannot be sent from this machine: {0}; install the system's certificates (ca-certificates), or name \
         a file of them with SSL_CERT_FILE"
    )]
    Webhooks(InvalidSetting),
    /// The place for photos.
    #[error("BLOB_URL: {problem} [from {origin}]")]
    Blobs {
        /// What happened and what to try.
        problem: BlobError,
        /// Where the setting comes from.
        origin: String,
    },
}
