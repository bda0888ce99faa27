//! All rows of a database as text. Tests use them to see what a call changed and what it did not change.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use embudo_store::tables::{Row, TABLES, TableReader, Value};
use embudo_store_postgres::PgTables;
use embudo_store_sqlite::SqliteTables;
use uuid::Uuid;

use crate::TestApp;

impl TestApp {
    /// One line for each row of every table: the table's name, then its columns with their values. Ids are written in
    /// their usual text form.
    pub async fn rows(&self) -> BTreeSet<String> {
        let mut reader: Box<dyn TableReader> = match &self.database {
            Some(database) => Box::new(PgTables::open(&database.url).await.unwrap()),
            None => Box::new(SqliteTables::open(&self.folder.path().join("embudo.db")).await.unwrap()),
        };
        let mut lines = BTreeSet::new();
        for table in TABLES {
            let columns = reader.shape().columns(table).to_vec();
            reader.open(table).await.unwrap();
            loop {
                let rows = reader.next().await.unwrap();
                if rows.is_empty() {
                    break;
                }
                lines.extend(rows.iter().map(|row| line(table.name, &columns, row)));
            }
        }
        lines
    }
}

fn line(table: &str, columns: &[String], row: &Row) -> String {
    let mut line = table.to_owned();
    for (column, value) in columns.iter().zip(row) {
        let written = match value {
            Value::Null => write!(line, " {column}=-"),
            Value::Int(n) => write!(line, " {column}={n}"),
            Value::Real(n) => write!(line, " {column}={n}"),
            Value::Text(text) => write!(line, " {column}={text:?}"),
            Value::Bytes(bytes) => match Uuid::from_slice(bytes) {
                Ok(id) => write!(line, " {column}={id}"),
                Err(_) => write!(line, " {column}={bytes:02x?}"),
            },
        };
        written.expect("a text takes all");
    }
    line
}
