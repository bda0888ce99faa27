//! What every command needs: data folder, database, blobs, default company.
//!
//! Opens what the settings name and reports missing things in words for operators. It serves nothing, takes no lock
//! (commands work beside a running server) and knows no SQL.

use crate::data_dir::{make_data_dir, process};
use crate::installation_error::InstallationError;
use crate::outbound;
use crate::settings::{BlobUrl, DatabaseUrl, Secret, Settings};
use embudo_app::{App, Clock, Outbound, SystemClock};
use embudo_blobs::{BlobError, Blobs, DatabaseId, S3Config};
use embudo_delivery::{Links, Passes};
use embudo_domain::EmpresaId;
use embudo_domain::empresa::{Empresa, UNNAMED, slug_of};
use embudo_domain::notice::Topics;
use embudo_store::{Store, StoreError};
use embudo_store_postgres::PgStore;
use embudo_store_sqlite::SqliteStore;
use std::sync::Arc;

/// Opens everything for a command beside the server: runs the migrations and makes sure that there is a default
/// company.
pub async fn open(settings: &Settings) -> Result<App, InstallationError> {
    let outbound = outbound::of_command(settings)?;
    let (store, secrets) = open_folder_and_store(settings).await?;
    open_with(settings, store, &secrets, outbound, Arc::new(SystemClock)).await
}

/// The surroundings in which a server runs.
pub struct Surroundings {
    pub clock: Arc<dyn Clock>,
    /// Whether nothing may reach the internet.
    pub offline: bool,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self { clock: Arc::new(SystemClock), offline: false }
    }
}

/// Opens everything for the server, which holds the lock of the data folder and so is the only process with its id.
pub async fn open_to_serve(settings: &Settings, within: Surroundings) -> Result<App, InstallationError> {
    let mut outbound = outbound::of_server(settings, process(&settings.data_dir)?, within.offline)?;
    let (store, secrets) = open_folder_and_store(settings).await?;
    let secret = secrets.get(&*store, "enlaces").await.map_err(|error| store_error(settings, error))?;
    let links = Links::new(&secret);
    outbound.links = outbound::links(settings, links);
    open_with(settings, store, &secrets, outbound, within.clock).await
}

async fn open_folder_and_store(settings: &Settings) -> Result<(Arc<dyn Store>, Secrets), InstallationError> {
    make_data_dir(&settings.data_dir)?;
    let store = open_store(settings).await?;
    let secrets = Secrets::read(&*store).await.map_err(|error| store_error(settings, error))?;
    Ok((store, secrets))
}

async fn open_with(
    settings: &Settings,
    store: Arc<dyn Store>,
    secrets: &Secrets,
    mut outbound: Outbound,
    clock: Arc<dyn Clock>,
) -> Result<App, InstallationError> {
    let refused = |error| store_error(settings, error);
    // The secret of passes is in the database: links that clients keep must work after a change of the API key, and in
    // every process.
    let passes = secrets.get(&*store, "pases").await.map_err(refused)?;
    outbound.passes = secrets.signing(&passes);
    let database = secrets.database(&*store).await.map_err(refused)?;
    let app = App::with_clock(store, open_blobs(settings, database)?, outbound, clock);
    app.rights()
        .know_generations()
        .await
        .map_err(|error| refused(StoreError::Unavailable(error.to_string())))?;
    let empresa = Empresa {
        id: EmpresaId(app.id()),
        nombre: UNNAMED.to_owned(),
        slug: slug_of(UNNAMED),
        por_defecto: true,
        email_avisos: None,
        notices: true,
        topics: Topics::ALL,
        personal_topics: Topics::NONE,
    };
    let ensured = app.store.ensure_default_empresa(empresa, app.now()).await;
    ensured.map_err(|error| store_error(settings, error))?;
    Ok(app)
}

/// The prefix for the names of secrets that signed passes before; the name continues with the time when such a secret
/// expires, in seconds since 1970, and a number.
pub const PREVIOUS_PASSES: &str = "pases.";

/// The secrets of a database, read at once: a start needs several of them.
struct Secrets(Vec<(String, [u8; 32])>);

impl Secrets {
    async fn read(store: &dyn Store) -> embudo_store::Result<Self> {
        Ok(Self(store.secrets("").await?))
    }

    /// A secret, which is made when it is first needed.
    async fn get(&self, store: &dyn Store, name: &str) -> embudo_store::Result<[u8; 32]> {
        if let Some((_, kept)) = self.0.iter().find(|(found, _)| found == name) {
            return Ok(*kept);
        }
        let mut proposed = [0; 32];
        getrandom::fill(&mut proposed).map_err(|error| StoreError::Internal(error.to_string()))?;
        store.ensure_secret(name.to_owned(), proposed).await
    }

    /// The id of the database, under which its blobs are stored. It is derived from a stored secret, so a copy of the
    /// database has the same id.
    async fn database(&self, store: &dyn Store) -> embudo_store::Result<DatabaseId> {
        Ok(DatabaseId::new(&self.get(store, "database").await?))
    }

    /// Signs with this secret, and accepts passes of former secrets until they expire. Passes to consents never expire,
    /// because withdrawing consent must always be possible.
    fn signing(&self, secret: &[u8; 32]) -> Passes {
        let now = jiff::Timestamp::now().as_second();
        let mut passes = Passes::new(secret);
        for (name, previous) in &self.0 {
            let Some(rest) = name.strip_prefix(PREVIOUS_PASSES) else { continue };
            let until: Option<i64> = rest.split('.').next().and_then(|until| until.parse().ok());
            passes = match until.is_some_and(|until| until > now) {
                true => passes.with_previous(previous),
                false => passes.with_retired(previous),
            };
        }
        passes
    }
}

/// Opens the database after running the migrations.
pub async fn open_store(settings: &Settings) -> Result<Arc<dyn Store>, InstallationError> {
    let opened = match &settings.database_url {
        DatabaseUrl::Sqlite(path) => {
            let options = embudo_store_sqlite::Options::default();
            SqliteStore::shared(path, &options)
        }
        DatabaseUrl::Postgres(url) => {
            let options = embudo_store_postgres::Options::default();
            PgStore::shared(url, options).await
        }
    };
    opened.map_err(|error| store_error(settings, error))
}

/// Whether there is a database in which migrations were run. This function creates none.
pub async fn is_there(settings: &Settings) -> Result<bool, InstallationError> {
    let version = match &settings.database_url {
        DatabaseUrl::Sqlite(path) => SqliteStore::schema_version(path).map(|found| found.unwrap_or(0)),
        DatabaseUrl::Postgres(url) => PgStore::schema_version(url).await.map(|(found, _)| found.into()),
    };
    Ok(version.map_err(|error| store_error(settings, error))? > 0)
}

/// Only runs the migrations; returns the number of the last one before and after, 0 if there is none.
pub async fn migrate(settings: &Settings) -> Result<(i64, i64), InstallationError> {
    make_data_dir(&settings.data_dir)?;
    let migrated = match &settings.database_url {
        DatabaseUrl::Sqlite(path) => SqliteStore::migrate(path, &embudo_store_sqlite::Options::default()),
        DatabaseUrl::Postgres(url) => {
            PgStore::migrate(url).await.map(|(before, after)| (before.into(), after.into()))
        }
    };
    migrated.map_err(|error| store_error(settings, error))
}

/// Rewrites the database's files, so that they contain no deleted data. Returns a text about deleted data that may
/// remain, if there is any.
pub async fn scrub(settings: &Settings) -> Result<Option<&'static str>, InstallationError> {
    let scrubbed = match &settings.database_url {
        DatabaseUrl::Sqlite(path) => {
            let path = path.clone();
            let scrub = move || SqliteStore::scrub(&path, &embudo_store_sqlite::Options::default());
            let done = tokio::task::spawn_blocking(scrub).await;
            done.unwrap_or_else(|error| Err(StoreError::Internal(error.to_string()))).map(|()| None)
        }
        DatabaseUrl::Postgres(url) => PgStore::scrub(url).await,
    };
    scrubbed.map_err(|error| store_error(settings, error))
}

/// Opens the place for the database's blobs. A folder is made; S3 is not contacted yet.
fn open_blobs(settings: &Settings, database: DatabaseId) -> Result<Blobs, InstallationError> {
    let opened = blobs_at(settings, &settings.blob_url, database);
    opened.map_err(|problem| InstallationError::Blobs { problem, origin: settings.source("BLOB_URL") })
}

/// A place for a database's blobs, with the settings for S3.
fn blobs_at(settings: &Settings, url: &BlobUrl, database: DatabaseId) -> Result<Blobs, BlobError> {
    match url {
        BlobUrl::Folder(folder) => Blobs::folder(folder, database),
        BlobUrl::S3 { bucket, prefix } => Blobs::s3(&s3_config(settings, bucket, prefix), database),
    }
}

/// Like `blobs_at`, for a backup, a restore or a copy, with longer time-outs: nobody waits for an answer, and a slow
/// connection is no reason to give up.
pub fn patient_blobs_at(
    settings: &Settings,
    url: &BlobUrl,
    database: DatabaseId,
) -> Result<Blobs, BlobError> {
    match url {
        BlobUrl::Folder(folder) => Blobs::folder(folder, database),
        BlobUrl::S3 { bucket, prefix } => Blobs::s3_patient(&s3_config(settings, bucket, prefix), database),
    }
}

/// The id of an open database, under which its blobs are stored.
pub async fn id(store: &dyn Store) -> embudo_store::Result<DatabaseId> {
    Secrets::read(store).await?.database(store).await
}

/// The settings for a bucket.
pub fn s3_config(settings: &Settings, bucket: &str, prefix: &str) -> S3Config {
    S3Config {
        bucket: bucket.to_owned(),
        prefix: prefix.to_owned(),
        endpoint: settings.s3_endpoint.as_ref().map(|url| url.as_url().to_string()),
        region: settings.s3_region.clone(),
        access_key_id: settings.s3_access_key_id.clone(),
        secret_access_key: settings.s3_secret_access_key.as_ref().map(Secret::expose).map(str::to_owned),
        allow_http: settings.s3_allow_http,
    }
}

/// The engine's name in the log.
pub fn engine(settings: &Settings) -> &'static str {
    match settings.database_url {
        DatabaseUrl::Sqlite(_) => "sqlite",
        DatabaseUrl::Postgres(_) => "postgres",
    }
}

/// An error of the database in words for operators.
pub fn store_error(settings: &Settings, error: StoreError) -> InstallationError {
    let (problem, mend) = match (error, &settings.database_url) {
        (StoreError::Unavailable(problem), DatabaseUrl::Sqlite(_)) => {
            (problem, "; check that its folder exists, can be written and has space left")
        }
        (StoreError::Unavailable(problem), DatabaseUrl::Postgres(_)) => (
            problem,
            "; check that the server runs and that host, port, user, password and database are right",
        ),
        // These texts already say what to do.
        (StoreError::Internal(problem), _) => (problem, ""),
        (other, _) => (other.to_string(), ""),
    };
    let place = format!("{:?}", settings.database_url);
    InstallationError::Store { place, problem, mend, origin: settings.source("DATABASE_URL") }
}
