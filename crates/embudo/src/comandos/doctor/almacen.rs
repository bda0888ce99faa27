//! The database, its outbox and the place for photos, asked whether they would serve.

use super::{Fault, Found, within};
use crate::casa::{self, CasaError};
use crate::comandos::jobs;
use crate::settings::{BlobUrl, DatabaseUrl, Settings};
use embudo_blobs::{BlobError, Blobs};
use embudo_store::Store;
use embudo_store_postgres::PgStore;
use embudo_store_sqlite::SqliteStore;
use std::sync::Arc;

/// The number of the tables' last change that this program knows, the same on both engines.
const KNOWN: i64 = 3;

/// Whether the database answers and can be written to, and what lies dead in the outbox. One that does not exist yet is
/// not made, and one that another version of the program made is not changed.
pub async fn database(settings: &Settings) -> (Found, Found) {
    let unseen = || Ok("not looked at: see the database".to_owned());
    match within(look(settings)).await {
        Ok(Seen { told, store: Some(store) }) => (Ok(told), within(jobs(settings, store)).await),
        Ok(Seen { told, store: None }) => (Ok(told), Ok("none yet".to_owned())),
        Err(fault) => (Err(fault), unseen()),
    }
}

/// A database that was looked at, open if its tables are as this program wants them.
struct Seen {
    told: String,
    store: Option<Arc<dyn Store>>,
}

async fn look(settings: &Settings) -> Result<Seen, Fault> {
    let url = &settings.database_url;
    let refused = |error| fault(casa::store_error(settings, error));
    let version = match url {
        DatabaseUrl::Sqlite(path) => SqliteStore::schema_version(path).map_err(refused)?,
        DatabaseUrl::Postgres(url) => Some(PgStore::schema_version(url).await.map_err(refused)?.0.into()),
    };
    let closed = |told: String| Ok(Seen { told, store: None });
    match version {
        None => closed(format!("{url:?} is made on the first start")),
        Some(0) => closed(format!("{url:?} answers, its tables are made on the first start")),
        Some(version) if version < KNOWN => closed(format!(
            "{url:?} answers, its tables are at version {version}; the next start or embudo migrate brings them to {KNOWN}"
        )),
        // Opening one that is newer says so, and changes nothing either.
        Some(version) => {
            let store = casa::open_store(settings).await.map_err(fault)?;
            store.ping().await.map_err(refused)?;
            let told = format!("{url:?} answers, its tables are up to date (version {version})");
            Ok(Seen { told, store: Some(store) })
        }
    }
}

async fn jobs(settings: &Settings, store: Arc<dyn Store>) -> Found {
    let dead = jobs::dead(&*store).await.map_err(|error| fault(casa::store_error(settings, error)))?;
    let see = "embudo jobs list --estado muerto";
    Ok(match dead {
        Some(0) => "none is dead".to_owned(),
        Some(1) => format!("1 job is dead: {see}"),
        Some(dead) => format!("{dead} jobs are dead: {see}"),
        None => format!("more than 1000 jobs are dead: {see}"),
    })
}

/// Whether a probe can be written, read and removed. A folder that does not exist yet is not made.
pub async fn blobs(settings: &Settings) -> Found {
    if let BlobUrl::Folder(folder) = &settings.blob_url
        && !folder.exists()
    {
        return Ok(format!("{} is made on the first start", folder.display()));
    }
    let (checked, place) = match &settings.blob_url {
        BlobUrl::Folder(folder) => (Blobs::check_carpeta(folder).await, folder.display().to_string()),
        BlobUrl::S3 { bucket, prefix } => {
            let config = casa::s3_config(settings, bucket, prefix);
            (Blobs::check_s3(&config).await, format!("s3://{bucket}/{prefix}"))
        }
    };
    checked.map_err(blob_fault)?;
    Ok(format!("{place}: a probe was written, read and removed"))
}

/// What cannot be opened, as a fault.
pub fn fault(error: CasaError) -> Fault {
    match error {
        CasaError::Blobs { problem, .. } => blob_fault(problem),
        CasaError::Store { place, problem, mend, origin } => {
            let mend = match mend.trim_start_matches("; ") {
                "" => "see the message",
                mend => mend,
            };
            Fault::new(format!("{place}: {problem}"), format!("{mend} (DATABASE_URL, from {origin})"))
        }
        CasaError::Setting { name, problem, origin } => {
            Fault::new(problem, format!("correct {name} (from {origin})"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_known_here_is_the_engines() {
        let place = tempfile::tempdir().unwrap();
        let migrated =
            SqliteStore::migrate(&place.path().join("x.db"), &embudo_store_sqlite::Opciones::default());
        assert_eq!(migrated.unwrap(), (0, KNOWN));
    }
}
