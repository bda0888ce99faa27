//! The list of tables is complete, and a row of any of them survives the way to the other engine and back.

use std::sync::Arc;
use std::time::Duration;

use embudo_backup::{Copy, Database, compare, copy};
use embudo_blobs::{Blobs, DatabaseId};
use embudo_store::Store;
use embudo_store::tables::{Found, Row, Shape, TABLES, Table, TableReader, TableWriter, Value};
use embudo_store_postgres::{PgFilling, PgStore, PgTables};
use embudo_store_sqlite::{Options, SqliteFilling, SqliteStore, SqliteTables};
use embudo_testkit::Schema;
use tempfile::TempDir;
use tokio_postgres::NoTls;

/// The number of rows of each table; the last row has NULL in every column that allows it.
const ROWS: i64 = 4;

struct Places {
    folder: TempDir,
    schema: Schema,
}

impl Places {
    async fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), schema: Schema::create().await }
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn sqlite(&self, name: &str) -> Database {
        Database::Sqlite(self.file(name))
    }

    fn postgres(&self) -> Database {
        Database::Postgres(self.schema.url())
    }
}

async fn store_of(database: &Database) -> Arc<dyn Store> {
    match database {
        Database::Sqlite(path) => SqliteStore::shared(path, &Options::default()).unwrap(),
        Database::Postgres(url) => PgStore::shared(url, Default::default()).await.unwrap(),
    }
}

/// A value for a column of this type, in the row of this number. A foreign key points at the row of the same number.
fn made(table: &Table, column: &str, kind: &str, nullable: bool, n: i64) -> Value {
    if nullable && n == ROWS - 1 {
        return Value::Null;
    }
    match kind {
        "uuid" => Value::Bytes(
            uuid::Uuid::from_u128(0x0190_a1b2_c3d4_7e5f_8a6b_0000_0000_0000 + n as u128)
                .into_bytes()
                .to_vec(),
        ),
        "bytea" => Value::Bytes(vec![n as u8; 32]),
        "bool" => Value::Int(i64::from(n == 0)),
        "int2" | "int4" | "int8" => Value::Int(n + 1),
        "float8" => Value::Real(n as f64 + 0.1),
        // Moments before and after 2000, because PostgreSQL counts from there, and the last moment that can be written.
        "timestamptz" => Value::Int(
            [-1, 1_763_351_771_000_001, 946_684_800_000_000, 253_402_207_200_999_999][n as usize % 4],
        ),
        "date" => {
            Value::Text(["1999-12-31", "2026-11-17", "2000-01-01", "9999-12-31"][n as usize % 4].to_owned())
        }
        "text" if table.name == "secreto" && n == 0 => Value::Text("database".to_owned()),
        // Texts that a collation sorts in another order than their bytes.
        "text" => Value::Text(format!("{}{column} 'ñ' \"{n}\"", ["b", "B", "á", "a"][n as usize % 4])),
        other => panic!("{}.{column}: say here what a {other} holds", table.name),
    }
}

/// Rows for every table, by the types that PostgreSQL's columns have.
async fn all_rows(url: &str, shape: &Shape) -> Vec<(&'static Table, Vec<Row>)> {
    rows_of(url, shape, TABLES, ROWS).await
}

async fn rows_of(
    url: &str,
    shape: &Shape,
    tables: &'static [Table],
    count: i64,
) -> Vec<(&'static Table, Vec<Row>)> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let sql = "SELECT udt_name::text, is_nullable = 'YES' FROM information_schema.columns \
         WHERE table_schema = current_schema() AND table_name::text = $1 AND column_name::text = $2";
    let mut all = Vec::new();
    for table in tables {
        let mut kinds = Vec::new();
        for column in shape.columns(table) {
            let row = client.query_one(sql, &[&table.name, column]).await.unwrap();
            kinds.push((column.clone(), row.get::<_, String>(0), row.get::<_, bool>(1)));
        }
        let row = |n| {
            kinds.iter().map(|(column, kind, nullable)| made(table, column, kind, *nullable, n)).collect()
        };
        all.push((table, (0..count).map(row).collect()));
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn every_table_is_listed_and_has_the_same_columns_on_both_engines() {
    let places = Places::new().await;
    SqliteStore::migrate(&places.file("a.db"), &Options::default()).unwrap();
    PgStore::migrate(&places.schema.url()).await.unwrap();
    let none: Vec<String> = Vec::new();
    assert_eq!(embudo_store_sqlite::unlisted(&places.file("a.db")).unwrap(), none, "name it in tables.rs");
    assert_eq!(
        embudo_store_postgres::unlisted(&places.schema.url()).await.unwrap(),
        none,
        "name it in tables.rs"
    );
    let sqlite = SqliteTables::open(&places.file("a.db")).await.unwrap();
    let postgres = PgTables::open(&places.schema.url()).await.unwrap();
    for table in TABLES {
        assert_eq!(sqlite.shape().columns(table), postgres.shape().columns(table), "{}", table.name);
        for key in table.key {
            assert!(sqlite.shape().position(table, key).is_some(), "{}.{key}", table.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_row_goes_to_the_other_engine_and_back() {
    let places = Places::new().await;
    let (mut filling, found) = PgFilling::begin(&places.schema.url()).await.unwrap();
    assert_eq!(found, Found::Empty);
    let rows = all_rows(&places.schema.url(), filling.shape()).await;
    for (table, rows) in rows {
        // The rows are appended in another order than that of their keys.
        let (some, others) = rows.split_at(2);
        filling.append(table, others.to_vec()).await.unwrap();
        filling.append(table, some.to_vec()).await.unwrap();
    }
    TableWriter::finish(Box::new(filling)).await.unwrap();

    let steps = [places.postgres(), places.sqlite("b.db"), places.sqlite("c.db")];
    let back = Schema::create().await;
    let steps = [&steps[..], &[Database::Postgres(back.url())]].concat();
    for pair in steps.windows(2) {
        let plan = Copy {
            from: pair[0].clone(),
            store: store_of(&pair[0]).await,
            to: Some(pair[1].clone()),
            blobs: None,
            patience: Duration::ZERO,
            id: DatabaseId::new(&[7; 32]),
            data_dir: places.file("."),
        };
        assert_eq!(copy(&plan, &()).await.unwrap().rows, TABLES.len() as u64 * ROWS as u64);
    }
    let (mut first, mut last) = (steps[0].read().await.unwrap(), steps[3].read().await.unwrap());
    compare(&mut *first, &mut *last, &()).await.unwrap();

    // Sequences continue after the copied rows, and after what the projector has seen.
    let (client, connection) = tokio_postgres::connect(&back.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    let next = "SELECT nextval(pg_get_serial_sequence('turno', 'n'))";
    assert_eq!(client.query_one(next, &[]).await.unwrap().get::<_, i64>(0), ROWS + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_begun_is_gone_on_with_unless_the_source_has_changed() {
    let places = Places::new().await;
    let source = places.sqlite("a.db");
    PgStore::migrate(&places.schema.url()).await.unwrap();
    let (mut filling, _) = SqliteFilling::begin(&places.file("a.db")).await.unwrap();
    let rows = all_rows(&places.schema.url(), filling.shape()).await;
    for (table, rows) in &rows {
        filling.append(table, rows.clone()).await.unwrap();
    }
    TableWriter::finish(Box::new(filling)).await.unwrap();
    let store = store_of(&source).await;
    let total = TABLES.len() as u64 * ROWS as u64;

    for (name, changed) in [("b.db", false), ("c.db", true)] {
        let to = places.sqlite(name);
        // A run that was interrupted in the middle of the third table.
        let (mut half, _) = SqliteFilling::begin(&places.file(name)).await.unwrap();
        let mut reader = source.read().await.unwrap();
        for (n, table) in TABLES.iter().take(3).enumerate() {
            reader.open(table).await.unwrap();
            let mut rows = reader.next().await.unwrap();
            if n == 2 {
                rows.truncate(2);
            }
            if changed && n == 1 {
                rows.pop();
            }
            half.append(table, rows).await.unwrap();
        }
        if changed {
            half.append(&TABLES[TABLES.len() - 1], vec![rows[TABLES.len() - 1].1[3].clone()]).await.unwrap();
        }
        drop((half, reader));
        let refused = SqliteStore::open(&places.file(name), &Options::default()).err().unwrap().to_string();
        assert!(refused.contains("has not come to its end"), "{refused}");

        let plan = Copy {
            from: source.clone(),
            store: Arc::clone(&store),
            to: Some(to),
            blobs: None,
            patience: Duration::ZERO,
            id: DatabaseId::new(&[7; 32]),
            data_dir: places.file("."),
        };
        let copied = copy(&plan, &()).await.unwrap();
        assert!(copied.resumed);
        assert_eq!(copied.rows, total);
        SqliteStore::open(&places.file(name), &Options::default()).unwrap();
        let again = copy(&plan, &()).await.unwrap_err().to_string();
        assert!(again.contains("not empty"), "{again}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn photos_that_were_erased_meanwhile_are_not_lost_however_many_they_are() {
    const FOTOS: i64 = 150;
    let places = Places::new().await;
    PgStore::migrate(&places.schema.url()).await.unwrap();
    let (mut filling, _) = SqliteFilling::begin(&places.file("a.db")).await.unwrap();
    let at = TABLES.iter().position(|table| table.name == "foto").unwrap();
    let rows = rows_of(&places.schema.url(), filling.shape(), &TABLES[at..=at], FOTOS).await;
    filling.append(rows[0].0, rows[0].1.clone()).await.unwrap();
    TableWriter::finish(Box::new(filling)).await.unwrap();

    // One of the rows names no bytes.
    let named = FOTOS as u64 - 1;
    // The rows are those of the moment at which the copy began; the database in use may name fewer photos now.
    for (in_use, lost, erased) in [("a.db", named, 0), ("later.db", 0, named)] {
        let plan = Copy {
            from: places.sqlite("a.db"),
            store: store_of(&places.sqlite(in_use)).await,
            to: None,
            blobs: Some((Blobs::memory(), Blobs::memory())),
            patience: Duration::ZERO,
            id: DatabaseId::new(&[7; 32]),
            data_dir: places.file("."),
        };
        let blobs = copy(&plan, &()).await.unwrap().blobs.unwrap();
        assert_eq!((blobs.lost, blobs.erased), (lost, erased), "{in_use}");
    }
}

/// Enough rows of `secreto` to fill several slices.
fn many_secrets(first: &str) -> Vec<Row> {
    let row = |n: usize| vec![Value::Text(format!("{first}{n:05}")), Value::Bytes(vec![n as u8; 500])];
    (0..7_000).map(row).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_table_that_has_changed_since_is_begun_anew() {
    let places = Places::new().await;
    let secreto = TABLES.iter().find(|table| table.name == "secreto").unwrap();
    let (mut filling, _) = PgFilling::begin(&places.schema.url()).await.unwrap();
    filling.append(secreto, many_secrets("b")).await.unwrap();
    TableWriter::finish(Box::new(filling)).await.unwrap();
    let source = places.postgres();
    let store = store_of(&source).await;

    let other = Schema::create().await;
    for to in [places.sqlite("b.db"), Database::Postgres(other.url())] {
        let mut half: Box<dyn TableWriter> = match &to {
            Database::Sqlite(path) => Box::new(SqliteFilling::begin(path).await.unwrap().0),
            Database::Postgres(url) => Box::new(PgFilling::begin(url).await.unwrap().0),
        };
        half.append(secreto, many_secrets("a")).await.unwrap();
        drop(half);
        let plan = Copy {
            from: source.clone(),
            store: Arc::clone(&store),
            to: Some(to),
            blobs: None,
            patience: Duration::ZERO,
            id: DatabaseId::new(&[7; 32]),
            data_dir: places.file("."),
        };
        let copied = tokio::time::timeout(Duration::from_secs(120), copy(&plan, &())).await;
        let copied = copied.expect("it comes to an end").unwrap();
        assert!(copied.resumed);
        assert_eq!(copied.rows, 7_000);
    }
}

/// Runs a statement on either engine; returns the first number of the answer, if there is one.
async fn run(database: &Database, sql: &str) -> Option<i64> {
    match database {
        Database::Sqlite(path) => {
            let connection = rusqlite::Connection::open(path).unwrap();
            let mut statement = connection.prepare(sql).unwrap();
            let mut rows = statement.query(()).unwrap();
            rows.next().unwrap().map(|row| row.get(0).unwrap())
        }
        Database::Postgres(url) => {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
            tokio::spawn(connection);
            let rows = client.query(sql, &[]).await.unwrap();
            rows.first().map(|row| row.get::<_, i64>(0))
        }
    }
}

async fn begin_error(database: &Database) -> String {
    match database {
        Database::Sqlite(path) => SqliteFilling::begin(path).await.err().unwrap().to_string(),
        Database::Postgres(url) => PgFilling::begin(url).await.err().unwrap().to_string(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_holds_something_is_not_even_brought_up_to_date() {
    let places = Places::new().await;
    for target in [places.sqlite("a.db"), places.postgres()] {
        drop(store_of(&target).await);
        let insert = match &target {
            Database::Sqlite(_) => "INSERT INTO secreto (nombre, valor) VALUES ('a', x'00')",
            Database::Postgres(_) => "INSERT INTO secreto (nombre, valor) VALUES ('a', '\\x00')",
        };
        // Simulates a database that an older version left.
        let newer = "DELETE FROM migracion WHERE numero > 21";
        let older = "UPDATE migracion SET numero = 18";
        for sql in [insert, "DROP TABLE arriendo", "DROP TABLE conteo", newer, older] {
            run(&target, sql).await;
        }
        let refused = begin_error(&target).await;
        assert!(refused.contains("not empty"), "{refused}");
        let last = run(&target, "SELECT CAST(max(numero) AS bigint) FROM migracion").await;
        assert_eq!(last, Some(18), "{}", target.engine());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_version_began_is_told_what_to_do_about() {
    let places = Places::new().await;
    for target in [places.sqlite("a.db"), places.postgres()] {
        match &target {
            Database::Sqlite(path) => drop(SqliteFilling::begin(path).await.unwrap()),
            Database::Postgres(url) => drop(PgFilling::begin(url).await.unwrap()),
        }
        run(&target, "DELETE FROM migracion WHERE numero BETWEEN 19 AND 999").await;
        let refused = begin_error(&target).await;
        assert!(refused.contains("another version of Embudo began to fill this database"), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_backup_or_copy_is_made_at_a_time() {
    let places = Places::new().await;
    let source = places.sqlite("a.db");
    let store = store_of(&source).await;
    let who = embudo_domain::ProcessId(uuid::Uuid::new_v4());
    assert!(
        store.take_lease(embudo_store::leases::Lease::Backup, who, Duration::from_secs(60)).await.unwrap()
    );
    let blobs = Some((Blobs::memory(), Blobs::memory()));
    let (id, data_dir) = (DatabaseId::new(&[7; 32]), places.file("."));
    let plan = Copy { from: source, store, to: None, blobs, patience: Duration::ZERO, id, data_dir };
    let refused = copy(&plan, &()).await.unwrap_err().to_string();
    assert!(refused.contains("another process makes a backup"), "{refused}");
}
