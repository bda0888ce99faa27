//! Migrates the database to the schema of this binary, safely with several processes at once.

use std::future::Future;
use std::time::Duration;

use embudo_store::tables::{BASELINE, UNFINISHED, UNFINISHED_WORDS, too_old};
use embudo_store::{Result, StoreError};
use tokio_postgres::Client;

use crate::failure::{Failure, Kind, Step, kind, store_error};
use crate::statement::{params, sql};

/// Number, name and text, in order; append only, with the same numbers and names as on SQLite. The first one is the
/// whole schema of its time.
const MIGRATIONS: &[(i32, &str, &str)] = &[
    (BASELINE, "base", include_str!("../migrations/0021_base.sql")),
    (22, "next_action", include_str!("../migrations/0022_next_action.sql")),
    (23, "quotes", include_str!("../migrations/0023_quotes.sql")),
    (24, "lead_data", include_str!("../migrations/0024_lead_data.sql")),
    (25, "replies", include_str!("../migrations/0025_replies.sql")),
    (26, "push", include_str!("../migrations/0026_push.sql")),
    (27, "works", include_str!("../migrations/0027_works.sql")),
    (28, "former_slugs", include_str!("../migrations/0028_former_slugs.sql")),
];

/// The advisory lock during migrations; the number only must not be used by anything else in the database.
const LOCK: i64 = 0x656d_6275_646f_0001;

/// How long a query may take, and how often to check whether another process has finished its migrations.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(200);

/// The oldest server whose SQL is used here.
const MIN_VERSION: i32 = 13_0000;

/// Runs the missing migrations; returns the last one before and after. Refuses a database that a newer binary has
/// changed.
pub(crate) async fn run(client: &mut Client) -> Result<(i32, i32)> {
    in_time(check_server(client)).await?;
    // Checked before any lock or DDL, so that a start needs only read access when nothing is missing.
    if in_time(known(client)).await? == last() {
        return Ok((last(), last()));
    }
    while !in_time(lock(client)).await? {
        tracing::info!("another process changes the tables; waiting for it");
        tokio::time::sleep(PAUSE).await;
    }
    let result = run_locked(client).await;
    let unlock = format!("SELECT pg_advisory_unlock({LOCK})");
    client.batch_execute(&unlock).await.map_err(|e| store_error(&e))?;
    result
}

/// Tries to take the lock without waiting. The caller repeats this, so that a server that went silent is noticed.
async fn lock(client: &Client) -> Result<bool> {
    let row = client.query_one(format!("SELECT pg_try_advisory_lock({LOCK})").as_str(), &[]).await;
    Ok(row.map_err(|e| store_error(&e))?.get(0))
}

/// Runs a query that takes no time, unless something is wrong.
async fn in_time<T>(asking: impl Future<Output = Result<T>>) -> Result<T> {
    match tokio::time::timeout(PATIENCE, Box::pin(asking)).await {
        Ok(end) => end,
        Err(_) => Err(StoreError::Unavailable("the server does not answer".into())),
    }
}

pub(crate) fn last() -> i32 {
    MIGRATIONS.last().map_or(0, |(number, ..)| *number)
}

async fn check_server(client: &Client) -> Result<()> {
    let sql = "SELECT current_setting('server_version_num')::int, current_setting('server_encoding')";
    let row = client.query_one(sql, &[]).await.map_err(|e| store_error(&e))?;
    let (version, encoding): (i32, String) = (row.get(0), row.get(1));
    if version < MIN_VERSION {
        let words = format!("PostgreSQL {} is too old, 13 or later is needed", version / 10_000);
        return Err(StoreError::Internal(words));
    }
    if encoding != "UTF8" {
        let words = format!("the database has the encoding {encoding}: create one with ENCODING 'UTF8'");
        return Err(StoreError::Internal(words));
    }
    Ok(())
}

/// The number of the last migration that was run and of the last one known here.
pub(crate) async fn version(client: &Client) -> Result<(i32, i32)> {
    Ok((in_time(current(client)).await?, last()))
}

/// The number of the last migration that was run.
async fn current(client: &Client) -> Result<i32> {
    let exists = "SELECT to_regclass('migracion') IS NOT NULL";
    let row = client.query_one(exists, &[]).await.map_err(|e| store_error(&e))?;
    if !row.get::<_, bool>(0) {
        return Ok(0);
    }
    let sql = include_str!("../sql/migracion/last.sql");
    let row = client.query_one(sql, &[]).await.map_err(|e| store_error(&e))?;
    Ok(row.get::<_, Option<i32>>(0).unwrap_or(0))
}

/// The number of the last migration that was run; an error if it is not known here.
async fn known(client: &Client) -> Result<i32> {
    let done = current(client).await?;
    if done == UNFINISHED {
        return Err(StoreError::Internal(UNFINISHED_WORDS.to_owned()));
    }
    if done > 0 && done < BASELINE {
        return Err(StoreError::Internal(too_old(done.into())));
    }
    if done > last() {
        let words = format!(
            "the database is newer than this program (migration {done}, known {}): install the newer version",
            last()
        );
        return Err(StoreError::Internal(words));
    }
    Ok(done)
}

async fn run_locked(client: &mut Client) -> Result<(i32, i32)> {
    let create = include_str!("../sql/migracion/create.sql");
    client.batch_execute(create).await.map_err(|e| store_error(&e))?;
    let done = known(client).await?;
    for (number, name, sql) in MIGRATIONS.iter().filter(|(number, ..)| *number > done) {
        // Another process may be at work, so the migration may end with a deadlock. Then it changed nothing.
        let mut end = one(client, *number, name, sql).await;
        while matches!(&end, Err(Failure::Pg(error)) if kind(error) == Kind::Conflict) {
            end = one(client, *number, name, sql).await;
        }
        end?;
        tracing::info!(number, name, "migration done");
    }
    Ok((done, last()))
}

async fn one(client: &mut Client, number: i32, name: &str, text: &str) -> Step<()> {
    let tx = client.transaction().await?;
    tx.batch_execute(text).await?;
    let insert = sql!("migracion/insert.sql");
    tx.execute(insert.text.as_str(), &insert.bind(params! { numero: number, nombre: name })?).await?;
    Ok(tx.commit().await?)
}
