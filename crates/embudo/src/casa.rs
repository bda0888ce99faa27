//! The house that every command lives in: data folder, database, photos' bytes, default company.
//!
//! Opens what the settings name and says, in an operator's words, what is missing. It serves nothing, takes no lock
//! (commands work beside a running server) and knows no SQL.

use crate::llave::{DataDirError, Llave, make_data_dir, proceso};
use crate::salidas;
use crate::settings::{BlobUrl, DatabaseUrl, Secret, Settings};
use embudo_app::{App, Salidas};
use embudo_blobs::{BlobError, Blobs, S3Config};
use embudo_delivery::{AjusteInvalido, Pases};
use embudo_domain::EmpresaId;
use embudo_domain::empresa::{Empresa, slug_de};
use embudo_store::{Store, StoreError};
use embudo_store_postgres::PgStore;
use embudo_store_sqlite::SqliteStore;
use std::sync::Arc;

/// What the company of a new installation is called until somebody names it.
const NOMBRE_POR_DEFECTO: &str = "Mi empresa";

/// Why the house cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum CasaError {
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
        /// Where the setting is from.
        origin: String,
    },
    /// A setting of what leaves the house.
    #[error("{name}: {problem} [from {origin}]")]
    Setting {
        /// Its name.
        name: &'static str,
        /// What is wrong with it.
        problem: String,
        /// Where it is from.
        origin: String,
    },
    /// The client for signals.
    #[error(
        "signals cannot be sent from this machine: {0}; install the system's certificates (ca-certificates), or name \
         a file of them with SSL_CERT_FILE"
    )]
    Webhooks(AjusteInvalido),
    /// The place for photos.
    #[error("BLOB_URL: {problem} [from {origin}]")]
    Blobs {
        /// What happened and what to try.
        problem: BlobError,
        /// Where the setting is from.
        origin: String,
    },
}

/// Opens everything for a command beside the server: the tables are brought up to date and the default company is there.
pub async fn open(settings: &Settings) -> Result<App, CasaError> {
    open_with(settings, salidas::of_command(settings)?).await
}

/// Opens everything for the server, which holds the data folder and so is the one process of its name.
pub async fn open_to_serve(settings: &Settings, llave: &Llave) -> Result<App, CasaError> {
    let proceso = proceso(&settings.data_dir)?;
    open_with(settings, salidas::of_server(settings, llave, proceso)?).await
}

async fn open_with(settings: &Settings, mut salidas: Salidas) -> Result<App, CasaError> {
    make_data_dir(&settings.data_dir)?;
    let store = open_store(settings).await?;
    salidas.pases = pases(&*store).await.map_err(|error| store_error(settings, error))?;
    let app = App::new(store, open_blobs(settings)?, salidas);
    let empresa = Empresa {
        id: EmpresaId(app.id()),
        nombre: NOMBRE_POR_DEFECTO.to_owned(),
        slug: slug_de(NOMBRE_POR_DEFECTO),
        por_defecto: true,
        email_avisos: None,
        avisos: true,
    };
    let ensured = app.store.ensure_default_empresa(empresa, app.ahora()).await;
    ensured.map_err(|error| store_error(settings, error))?;
    Ok(app)
}

/// The passes of this database: links that clients keep must open whatever becomes of the API key, and whichever process is asked.
async fn pases(store: &dyn Store) -> embudo_store::Result<Pases> {
    let mut propuesto = [0; 32];
    getrandom::fill(&mut propuesto).map_err(|error| StoreError::Internal(error.to_string()))?;
    Ok(Pases::new(&store.ensure_secreto("pases".to_owned(), propuesto).await?))
}

/// Opens the database, with its tables brought up to date.
pub async fn open_store(settings: &Settings) -> Result<Arc<dyn Store>, CasaError> {
    let opened: embudo_store::Result<Arc<dyn Store>> = match &settings.database_url {
        DatabaseUrl::Sqlite(path) => {
            let opciones = embudo_store_sqlite::Opciones::default();
            SqliteStore::open(path, &opciones).map(|store| Arc::new(store) as _)
        }
        DatabaseUrl::Postgres(url) => {
            let opciones = embudo_store_postgres::Opciones::default();
            PgStore::connect(url, opciones).await.map(|store| Arc::new(store) as _)
        }
    };
    opened.map_err(|error| store_error(settings, error))
}

/// Only brings the tables up to date; returns the number of their last change before and after, 0 if there is none.
pub async fn migrate(settings: &Settings) -> Result<(i64, i64), CasaError> {
    make_data_dir(&settings.data_dir)?;
    let migrated = match &settings.database_url {
        DatabaseUrl::Sqlite(path) => SqliteStore::migrate(path, &embudo_store_sqlite::Opciones::default()),
        DatabaseUrl::Postgres(url) => {
            PgStore::migrate(url).await.map(|(before, after)| (before.into(), after.into()))
        }
    };
    migrated.map_err(|error| store_error(settings, error))
}

/// Opens the place for photos' bytes. A folder is made; of S3 nothing is asked yet.
pub fn open_blobs(settings: &Settings) -> Result<Blobs, CasaError> {
    let opened = match &settings.blob_url {
        BlobUrl::Folder(folder) => Blobs::carpeta(folder),
        BlobUrl::S3 { bucket, prefix } => Blobs::s3(&S3Config {
            bucket: bucket.clone(),
            prefix: prefix.clone(),
            endpoint: settings.s3_endpoint.as_ref().map(|url| url.as_url().to_string()),
            region: settings.s3_region.clone(),
            access_key_id: settings.s3_access_key_id.clone(),
            secret_access_key: settings.s3_secret_access_key.as_ref().map(Secret::expose).map(str::to_owned),
            allow_http: settings.s3_allow_http,
        }),
    };
    opened.map_err(|problem| CasaError::Blobs { problem, origin: settings.source("BLOB_URL") })
}

/// The engine's name for the log.
pub fn engine(settings: &Settings) -> &'static str {
    match settings.database_url {
        DatabaseUrl::Sqlite(_) => "sqlite",
        DatabaseUrl::Postgres(_) => "postgres",
    }
}

/// An error of the database in an operator's words.
pub fn store_error(settings: &Settings, error: StoreError) -> CasaError {
    let (problem, mend) = match (error, &settings.database_url) {
        (StoreError::Unavailable(problem), DatabaseUrl::Sqlite(_)) => {
            (problem, "; check that its folder exists, can be written and has space left")
        }
        (StoreError::Unavailable(problem), DatabaseUrl::Postgres(_)) => (
            problem,
            "; check that the server runs and that host, port, user, password and database are right",
        ),
        // These texts say themselves what to do.
        (StoreError::Internal(problem), _) => (problem, ""),
        (other, _) => (other.to_string(), ""),
    };
    let place = format!("{:?}", settings.database_url);
    CasaError::Store { place, problem, mend, origin: settings.source("DATABASE_URL") }
}
