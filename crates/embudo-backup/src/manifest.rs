//! What a backup says about itself. The manifest is written last: files without it are no backup.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::files::FileDigest;
use crate::{BackupError, Result};

/// The version of the layout. A reader refuses one that it does not know.
pub(crate) const FORMAT: u32 = 1;

pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const DATABASE: &str = "embudo.db";
/// One line per blob: `<lead>/<blake3> <bytes>`.
pub(crate) const BLOB_LIST: &str = "blobs.txt";
/// The generated API key, from the data folder.
pub(crate) const API_KEY: &str = "api-key";

/// The manifest of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The version of the program that made the backup.
    pub embudo: String,
    /// When the backup began. Its data is from shortly after.
    pub made: String,
    /// The engine of the original database.
    pub engine: String,
    /// The version of the tables.
    pub schema: i64,
    /// The id of the database, under which its blobs are stored.
    pub database: String,
    /// Rows by table.
    pub tables: BTreeMap<String, u64>,
    pub blobs: u64,
    pub blob_bytes: u64,
    /// Blobs that rows named but that were missing or damaged; the names of the first ones.
    pub lost: u64,
    pub lost_names: Vec<String>,
    /// Blobs that the backup's rows name, but that were erased before they could be copied.
    pub erased: u64,
    pub files: Vec<FileDigest>,
}

impl Manifest {
    pub fn rows(&self) -> u64 {
        self.tables.values().sum()
    }

    pub(crate) fn file(&self, name: &str) -> Option<&FileDigest> {
        self.files.iter().find(|file| file.name == name)
    }

    /// Reads a manifest. Its first field, the format, decides whether the rest can be understood.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let bad =
            |error: serde_json::Error| BackupError::Refused(format!("the manifest cannot be read: {error}"));
        let Format { format } = serde_json::from_slice(bytes).map_err(bad)?;
        if format != FORMAT {
            let words = format!(
                "the backup has the format {format}, this program knows {FORMAT}: use the version that made it"
            );
            return Err(BackupError::Refused(words));
        }
        serde_json::from_slice(bytes).map_err(bad)
    }
}
