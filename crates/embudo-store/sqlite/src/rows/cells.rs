//! The profile's cells between SQLite and the domain.

use std::sync::LazyLock;

use embudo_domain::columns::{Cell, Column};
use embudo_domain::perfil::Perfil;
use rusqlite::ToSql;
use rusqlite::types::{Null, ToSqlOutput, ValueRef};

/// A cell as a parameter; `NULL` if it is absent.
pub(crate) struct CellParam<'a>(pub(crate) Option<Cell<'a>>);

impl ToSql for CellParam<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            None => Null.into(),
            Some(Cell::Text(text)) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Some(Cell::Boolean(flag)) => flag.into(),
            Some(Cell::Number(number)) => number.into(),
            Some(Cell::Integer(integer)) => integer.into(),
            Some(Cell::Instant(instant)) => instant.as_microsecond().into(),
        })
    }
}

static PERFIL: LazyLock<Vec<String>> = LazyLock::new(|| names(Perfil::COLUMNS));

fn names(columns: &[Column]) -> Vec<String> {
    columns.iter().map(|column| format!(":{}", column.name)).collect()
}

/// The profile's parameters: each has the name of its column.
pub(crate) fn perfil_params<'c>(
    cells: &'c [CellParam<'_>],
) -> impl Iterator<Item = (&'static str, &'c dyn ToSql)> {
    PERFIL.iter().zip(cells).map(|(name, cell)| (name.as_str(), cell as &dyn ToSql))
}
