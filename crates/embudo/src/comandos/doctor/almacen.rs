//! The database and the place for photos, asked whether they would serve.

use super::{Fault, Found};
use crate::casa::{self, CasaError};
use crate::settings::{BlobUrl, DatabaseUrl, Settings};
use embudo_blobs::BlobError;

/// Whether the database answers and can be written to. One that does not exist yet is not made.
pub async fn database(settings: &Settings) -> Found {
    if let DatabaseUrl::Sqlite(path) = &settings.database_url
        && !path.exists()
    {
        return Ok(format!("{:?} is made on the first start", settings.database_url));
    }
    let store = casa::open_store(settings).await.map_err(fault)?;
    store.ping().await.map_err(|error| fault(casa::store_error(settings, error)))?;
    Ok(format!("{:?} answers, its tables are up to date", settings.database_url))
}

/// Whether a probe can be written, read and removed. A folder that does not exist yet is not made.
pub async fn blobs(settings: &Settings) -> Found {
    if let BlobUrl::Folder(folder) = &settings.blob_url
        && !folder.exists()
    {
        return Ok(format!("{} is made on the first start", folder.display()));
    }
    let blobs = casa::open_blobs(settings).map_err(fault)?;
    blobs.check().await.map_err(blob_fault)?;
    let place = match &settings.blob_url {
        BlobUrl::Folder(folder) => folder.display().to_string(),
        BlobUrl::S3 { bucket, prefix } => format!("s3://{bucket}/{prefix}"),
    };
    Ok(format!("{place}: a probe was written, read and removed"))
}

fn fault(error: CasaError) -> Fault {
    match error {
        CasaError::Blobs { problem, .. } => blob_fault(problem),
        CasaError::Store { place, problem, mend, origin } => {
            let mend = match mend.trim_start_matches("; ") {
                "" => "see the message",
                mend => mend,
            };
            Fault::new(format!("{place}: {problem}"), format!("{mend} (DATABASE_URL, from {origin})"))
        }
        other => Fault::new(other.to_string(), "give the service's user its own folder with DATA_DIR"),
    }
}

fn blob_fault(error: BlobError) -> Fault {
    match error {
        BlobError::Unavailable { place, reason, mend } => {
            Fault::new(format!("{place}: {reason}"), format!("{mend} (BLOB_URL)"))
        }
        other => Fault::new(other.to_string(), "correct BLOB_URL and the S3_… settings"),
    }
}
