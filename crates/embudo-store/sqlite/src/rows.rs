//! Converts columns and values between SQLite's types and the plain ones of `embudo_store::row`, here and nowhere else.

mod cells;

use std::cell::Cell;

use embudo_store::queries::Value;
use embudo_store::row::{Raw, Row};
use rusqlite::ToSql;
use rusqlite::types::{Null, ToSqlOutput, ValueRef};

pub(crate) use cells::{CellParam, perfil_params};

/// A row whose columns are found by name. Most columns are read in their own order, so the next one is tried first.
pub(crate) struct ByName<'r> {
    row: &'r rusqlite::Row<'r>,
    next: Cell<usize>,
}

impl<'r> ByName<'r> {
    pub(crate) fn of(row: &'r rusqlite::Row<'r>) -> Self {
        Self { row, next: Cell::new(0) }
    }

    fn index(&self, name: &str) -> Option<usize> {
        let (statement, next) = (self.row.as_ref(), self.next.get());
        let index = match statement.column_name(next) {
            Ok(found) if found == name => next,
            _ => statement.column_index(name).ok()?,
        };
        self.next.set(index + 1);
        Some(index)
    }
}

impl Row for ByName<'_> {
    fn raw(&self, name: &str) -> Option<Raw<'_>> {
        Some(match self.row.get_ref(self.index(name)?).ok()? {
            ValueRef::Null => Raw::Null,
            ValueRef::Integer(number) => Raw::Int(number),
            ValueRef::Real(number) => Raw::Real(number),
            ValueRef::Text(text) => Raw::Text(std::str::from_utf8(text).ok()?),
            ValueRef::Blob(bytes) => Raw::Bytes(bytes),
        })
    }

    fn names(&self) -> Vec<String> {
        self.row.as_ref().column_names().map(str::to_owned).collect()
    }
}

/// A value in the form in which the tables store it.
pub(crate) struct Bound<'v>(pub(crate) &'v Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Value::Null(_) => ToSqlOutput::from(Null),
            Value::Real(number) => ToSqlOutput::from(*number),
            Value::Bool(truth) => ToSqlOutput::from(*truth),
            Value::Int(number) => ToSqlOutput::from(*number),
            Value::Text(text) => ToSqlOutput::from(text.as_str()),
            Value::Bytes(bytes) => ToSqlOutput::from(bytes.as_slice()),
            Value::Id(id) => ToSqlOutput::Borrowed(ValueRef::Blob(id.as_bytes())),
            Value::Instant(instant) => ToSqlOutput::from(instant.as_microsecond()),
            Value::Day(day) => ToSqlOutput::from(day.to_string()),
        })
    }
}
