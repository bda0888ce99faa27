//! Reads all tables one after the other: to fill a database from another, and to compare the two.

use std::collections::BTreeMap;

use embudo_store::tables::{Row, SLICE_ROWS, TABLES, Table, TableReader, TableWriter, Value};

use crate::{BackupError, Database, Progress, Result};

/// How many rows each table has.
pub(crate) type Counts = BTreeMap<String, u64>;

/// The rows of a table, one by one.
struct Cursor<'r> {
    reader: &'r mut dyn TableReader,
    slice: std::vec::IntoIter<Row>,
}

impl<'r> Cursor<'r> {
    async fn open(reader: &'r mut dyn TableReader, table: &'static Table) -> Result<Self> {
        reader.open(table).await?;
        Ok(Self { reader, slice: Vec::new().into_iter() })
    }

    async fn next(&mut self) -> Result<Option<Row>> {
        if self.slice.len() == 0 {
            self.slice = self.reader.next().await?.into_iter();
        }
        Ok(self.slice.next())
    }

    /// The next rows; empty at the end.
    async fn slice(&mut self) -> Result<Vec<Row>> {
        if self.slice.len() == 0 {
            return Ok(self.reader.next().await?);
        }
        Ok(std::mem::take(&mut self.slice).collect())
    }
}

/// Fills a database with everything that the source has. To continue an interrupted run, each table must hold the first
/// rows of the source's table; the walk goes on after them. If a table holds something else, the source has changed
/// since, and everything is filled anew.
pub(crate) async fn fill(
    source: &mut dyn TableReader,
    target: &mut dyn TableWriter,
    begun: Option<&Database>,
    progress: &dyn Progress,
) -> Result<Counts> {
    if source.shape() != target.shape() {
        let words =
            "the two databases have other columns: bring both up to date with the same version of embudo";
        return Err(BackupError::Refused(words.to_owned()));
    }
    let (counts, total) = count(source).await?;
    let mut filling = Filling { source, target, progress, done: 0, total };
    let mut there = match begun {
        Some(database) => Some(database.read().await?),
        None => None,
    };
    for table in TABLES {
        if !filling.table(table, there.as_deref_mut()).await? {
            drop(there.take());
            filling.target.clear().await?;
            filling.done = 0;
            for table in TABLES {
                filling.table(table, None).await?;
            }
            break;
        }
    }
    Ok(counts)
}

async fn count(source: &mut dyn TableReader) -> Result<(Counts, u64)> {
    let mut counts = Counts::new();
    for table in TABLES {
        counts.insert(table.name.to_owned(), source.count(table).await?);
    }
    let total = counts.values().sum();
    Ok((counts, total))
}

struct Filling<'w> {
    source: &'w mut dyn TableReader,
    target: &'w mut dyn TableWriter,
    progress: &'w dyn Progress,
    done: u64,
    total: u64,
}

impl Filling<'_> {
    /// Fills one table. Returns `false` if the rows that the target already has do not come from this source.
    async fn table(
        &mut self,
        table: &'static Table,
        there: Option<&mut (dyn TableReader + 'static)>,
    ) -> Result<bool> {
        let mut rows = Cursor::open(&mut *self.source, table).await?;
        if let Some(there) = there {
            let mut there = Cursor::open(there, table).await?;
            while let Some(row) = there.next().await? {
                if rows.next().await?.as_ref() != Some(&row) {
                    return Ok(false);
                }
                self.done += 1;
                if self.done.is_multiple_of(SLICE_ROWS as u64) {
                    self.progress.at(table.name, self.done, self.total);
                }
            }
        }
        loop {
            let slice = rows.slice().await?;
            if slice.is_empty() {
                return Ok(true);
            }
            self.done += slice.len() as u64;
            self.target.append(table, slice).await?;
            self.progress.at(table.name, self.done, self.total);
        }
    }
}

/// Compares every record of two databases; returns how many there are. The first record that differs is an error.
pub async fn compare(
    one: &mut dyn TableReader,
    other: &mut dyn TableReader,
    progress: &dyn Progress,
) -> Result<u64> {
    if one.shape() != other.shape() {
        return Err(BackupError::Refused("the two databases have other columns".to_owned()));
    }
    let (_, total) = count(one).await?;
    let mut done: u64 = 0;
    for table in TABLES {
        let key: Vec<usize> = table.key.iter().filter_map(|c| one.shape().position(table, c)).collect();
        let mut ones = Cursor::open(&mut *one, table).await?;
        let mut others = Cursor::open(&mut *other, table).await?;
        loop {
            match (ones.next().await?, others.next().await?) {
                (None, None) => break,
                (a, b) if a == b => done += 1,
                (a, b) => {
                    let row = a.or(b).unwrap_or_default();
                    let place = key.iter().map(|at| shown(&row[*at])).collect::<Vec<_>>().join(", ");
                    let name = table.name;
                    return Err(BackupError::Refused(format!(
                        "{name} {place}: the record is not the same in both"
                    )));
                }
            }
            if done.is_multiple_of(SLICE_ROWS as u64) {
                progress.at("comparing", done, total);
            }
        }
    }
    progress.at("comparing", done, total);
    Ok(done)
}

/// A key's value for a message: a number or an id. Any other value is hidden, because it may be secret or personal.
fn shown(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Bytes(id) => match <[u8; 16]>::try_from(id.as_slice()) {
            Ok(id) => uuid::Uuid::from_bytes(id).to_string(),
            Err(_) => "…".to_owned(),
        },
        _ => "…".to_owned(),
    }
}
