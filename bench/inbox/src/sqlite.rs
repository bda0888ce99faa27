//! Fills a SQLite file.

use std::path::Path;

use embudo_store_sqlite::{Options, SqliteStore};
use rusqlite::{Connection, params_from_iter};

use crate::Failure;
use crate::data::{Draw, EMPRESA, Size, TABLES};

/// Makes the file. Returns `false` if the file existed already and `keep` allows to use it.
pub(crate) fn fill(path: &Path, size: Size, keep: bool) -> Result<bool, Failure> {
    if keep && path.exists() {
        return Ok(false);
    }
    remove(path);
    SqliteStore::migrate(path, &Options::default())?;
    let mut connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;")?;
    connection.execute(
        "INSERT INTO empresa (id, nombre, slug, por_defecto, creado_en) VALUES (?1, 'Reformas Uno', 'uno', 1, 0)",
        (EMPRESA.as_bytes(),),
    )?;
    for table in TABLES {
        let columns: Vec<&str> =
            table.columns.iter().copied().filter(|column| table.only_postgres != Some(*column)).collect();
        let marks = vec!["?"; columns.len()].join(", ");
        let sql = format!("INSERT INTO {} ({}) VALUES ({marks})", table.name, columns.join(", "));
        let tx = connection.transaction()?;
        let mut draw = Draw::new(1);
        {
            let mut insert = tx.prepare(&sql)?;
            for n in 0..size.leads {
                for row in (table.rows)(&mut draw, n, size) {
                    let cells = row.into_iter().zip(table.columns);
                    let cells = cells.filter(|(_, column)| table.only_postgres != Some(**column));
                    insert.execute(params_from_iter(cells.map(|(cell, _)| cell)))?;
                }
            }
        }
        tx.commit()?;
    }
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);")?;
    Ok(true)
}

pub(crate) fn open(path: &Path) -> Result<SqliteStore, Failure> {
    Ok(SqliteStore::open(path, &Options::default())?)
}

pub(crate) fn remove(path: &Path) {
    for end in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        let _ = std::fs::remove_file(name);
    }
}
