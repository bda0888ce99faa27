//! Whether the database, its outbox and the place for photos work.

use super::{Fault, Found, within};
use crate::installation;
use crate::installation_error::InstallationError;
use crate::outbound;
use crate::settings::{BlobUrl, DatabaseUrl, Settings};
use embudo_app::{checklist_of, day_in_spain};
use embudo_blobs::{BlobError, Blobs, DatabaseId};
use embudo_domain::Timestamp;
use embudo_domain::checklist::{Item, Requirement, Server};
use embudo_domain::job::{JobKind, JobState};
use embudo_store::Store;
use embudo_store::outbox_admin::JobFilter;
use embudo_store::tables::BASELINE;
use embudo_store_postgres::{PgStore, Trigrams};
use embudo_store_sqlite::{NEWEST, SqliteStore};
use std::sync::Arc;

/// The maximum of companies that are named.
const MOST_NAMED: usize = 5;
/// How many of the newest jobs in a state are searched for a profile signal that was too long.
const RECENT: u32 = 100;

/// The results of the checks of the database.
pub struct Shown {
    /// Whether the database answers, and the version of its tables.
    pub database: Found,
    /// The id of the database; `None` if it has none yet, or was not opened.
    pub id: Option<DatabaseId>,
    /// Dead, parked and held jobs of the outbox.
    pub jobs: Found,
    /// What companies still have to set up; `None` if the database was not opened.
    pub empresas: Option<Found>,
    /// How names are searched; `None` on SQLite, or if the database was not opened.
    pub search: Option<Found>,
    /// The error of a profile signal that was too long for its receiver, if there is one.
    pub too_long: Option<String>,
}

/// Checks the database. A database that does not exist yet is not made, and one of another version of the program is
/// not changed.
pub async fn database(settings: &Settings) -> Shown {
    match within(look(settings)).await {
        Ok(Seen { told, store: Some(store) }) => Shown {
            database: Ok(told),
            id: id(&*store).await,
            jobs: within(jobs(settings, &*store)).await,
            empresas: Some(within(empresas(settings, &*store)).await),
            search: search(settings).await,
            too_long: within(too_long(settings, &*store)).await.unwrap_or_default(),
        },
        Ok(Seen { told, store: None }) => {
            let jobs = Ok("none yet".to_owned());
            Shown { database: Ok(told), id: None, jobs, empresas: None, search: None, too_long: None }
        }
        Err(fault) => {
            let jobs = Ok("not looked at: see the database".to_owned());
            Shown { database: Err(fault), id: None, jobs, empresas: None, search: None, too_long: None }
        }
    }
}

/// The id of the database; `None` if it has none yet, or cannot be read in time. This function makes none.
pub async fn id(store: &dyn Store) -> Option<DatabaseId> {
    let reading = async { store.secrets("database").await.map_err(|_| Fault::new("", "")) };
    let found = within(reading).await.ok()?;
    found.iter().find(|(name, _)| name == "database").map(|(_, bytes)| DatabaseId::new(bytes))
}

/// A database that was checked. `store` is set if the tables have this program's version.
struct Seen {
    told: String,
    store: Option<Arc<dyn Store>>,
}

async fn look(settings: &Settings) -> Result<Seen, Fault> {
    let url = &settings.database_url;
    let refused = |error| fault(installation::store_error(settings, error));
    let version = match url {
        DatabaseUrl::Sqlite(path) => SqliteStore::schema_version(path).map_err(refused)?,
        DatabaseUrl::Postgres(url) => Some(PgStore::schema_version(url).await.map_err(refused)?.0.into()),
    };
    let closed = |told: String| Ok(Seen { told, store: None });
    match version {
        None => closed(format!("{url:?} is made on the first start")),
        Some(0) => closed(format!("{url:?} answers, its tables are made on the first start")),
        Some(version) if (i64::from(BASELINE)..NEWEST).contains(&version) => closed(format!(
            "{url:?} answers, its tables are at version {version}; the next start or embudo migrate brings them to {NEWEST}"
        )),
        // Opening a database that is too old or too new returns an error, and changes nothing either.
        Some(version) => {
            let store = installation::open_store(settings).await.map_err(fault)?;
            store.ping().await.map_err(refused)?;
            let told = format!("{url:?} answers, its tables are up to date (version {version})");
            Ok(Seen { told, store: Some(store) })
        }
    }
}

/// Whether PostgreSQL has the extension for the index of names; `None` on SQLite.
async fn search(settings: &Settings) -> Option<Found> {
    let DatabaseUrl::Postgres(url) = &settings.database_url else { return None };
    let looking = async {
        match PgStore::trigrams(url).await {
            Ok(Trigrams::Indexed) => Ok("names are indexed (pg_trgm)".to_owned()),
            Ok(Trigrams::Missing(why)) => Err(Fault::warning(
                format!("searches in the panel walk through every name: {why}"),
                "install PostgreSQL's contrib package and run CREATE EXTENSION pg_trgm in the database as its owner or as a \
                 superuser; the next start makes the index",
            )),
            Err(error) => Err(fault(installation::store_error(settings, error))),
        }
    };
    Some(within(looking).await)
}

pub async fn jobs(settings: &Settings, store: &dyn Store) -> Found {
    let counts =
        store.count_jobs().await.map_err(|error| fault(installation::store_error(settings, error)))?;
    let total = |state| counts.iter().filter(|c| c.state == state).map(|c| c.count).sum::<u64>();
    let (mut problems, mut mends) = (Vec::new(), Vec::new());
    for (state, word) in [(JobState::Dead, "dead"), (JobState::Parked, "parked")] {
        let count = total(state);
        if count > 0 {
            problems.push(format!("{count} {word}"));
            mends.push(format!("see embudo jobs list --state {state}, then embudo jobs retry or discard"));
        }
    }
    let own =
        store.own_receivers().await.map_err(|error| fault(installation::store_error(settings, error)))?;
    let held = outbound::held(settings, &own, &counts);
    if !held.is_empty() {
        problems.extend(held);
        mends.push("set what is missing, or discard what is held".to_owned());
    }
    match problems.is_empty() {
        true => Ok("none is dead, parked or held".to_owned()),
        false => Err(Fault::new(problems.join(", "), mends.join("; "))),
    }
}

/// What companies still have to set up. Settings are left out, because they have checks of their own. Missing items are
/// only a warning.
pub async fn empresas(settings: &Settings, store: &dyn Store) -> Found {
    let refused = |error| fault(installation::store_error(settings, error));
    let destinations = outbound::destinations(settings);
    let server = Server { has_public_url: settings.public_url.is_some(), destinations: &destinations };
    let today = day_in_spain(Timestamp::now());
    let (mut complete, mut left) = (0, Vec::new());
    for empresa in store.list_empresas().await.map_err(refused)? {
        let items = checklist_of(store, &empresa, server, today).await.map_err(refused)?;
        let missing = items.iter().flat_map(Item::missing).filter(|missing| missing.settings().is_empty());
        let missing: Vec<&str> = missing.map(Requirement::as_str).collect();
        match missing.is_empty() {
            true => complete += 1,
            false => left.push(format!("{} ({})", empresa.slug, missing.join(", "))),
        }
    }
    if left.is_empty() {
        return Ok(format!("{complete} set up"));
    }
    let more = left.len().saturating_sub(MOST_NAMED);
    left.truncate(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let mend = "/panel/empresa says what each is good for; embudo empresa and embudo tarifa set them too";
    Err(Fault::warning(format!("left to set up: {}{more}", left.join("; ")), mend))
}

/// The error of the latest profile signal that probably failed because of its length: the error names `PUBLIC_URL`, the
/// setting that would fix it. `None` if that is set.
pub async fn too_long(settings: &Settings, store: &dyn Store) -> Result<Option<String>, Fault> {
    if settings.public_url.is_some() {
        return Ok(None);
    }
    for state in [JobState::Pending, JobState::Dead] {
        let filter = JobFilter { state: Some(state), kind: Some(JobKind::Perfil), ..JobFilter::default() };
        let failed = store.list_jobs(filter, None, RECENT).await;
        let failed = failed.map_err(|error| fault(installation::store_error(settings, error)))?;
        let error = failed.into_iter().filter_map(|job| job.ultimo_error).find(|e| e.contains("PUBLIC_URL"));
        if error.is_some() {
            return Ok(error);
        }
    }
    Ok(None)
}

/// Whether a probe can be written, read and removed. A folder that does not exist yet is not made.
pub async fn blobs(settings: &Settings) -> Found {
    if let BlobUrl::Folder(folder) = &settings.blob_url
        && !folder.exists()
    {
        return Ok(format!("{} is made on the first start", folder.display()));
    }
    let (checked, place) = match &settings.blob_url {
        BlobUrl::Folder(folder) => (Blobs::check_folder(folder).await, folder.display().to_string()),
        BlobUrl::S3 { bucket, prefix } => {
            let config = installation::s3_config(settings, bucket, prefix);
            (Blobs::check_s3(&config).await, format!("s3://{bucket}/{prefix}"))
        }
    };
    checked.map_err(blob_fault)?;
    Ok(format!("{place}: a probe was written, read and removed"))
}

/// Converts the error of an installation that cannot be opened.
pub fn fault(error: InstallationError) -> Fault {
    match error {
        InstallationError::Blobs { problem, .. } => blob_fault(problem),
        InstallationError::Store { place, problem, mend, origin } => {
            let mend = match mend.trim_start_matches("; ") {
                "" => "see the message",
                mend => mend,
            };
            Fault::new(format!("{place}: {problem}"), format!("{mend} (DATABASE_URL, from {origin})"))
        }
        InstallationError::Setting { name, problem, origin } => {
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
