//! The profile's cells between SQLite and the domain.

use embudo_domain::columns::{Cell, CellType};
use embudo_domain::perfil::Perfil;
use rusqlite::ToSql;
use rusqlite::types::{Null, ToSqlOutput, ValueRef};

use super::Columns;
use crate::failure::Step;

/// A cell as a parameter; absent, it is `NULL`.
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

/// The profile in a lead's row.
pub(super) fn perfil(c: &mut Columns<'_>) -> Step<Perfil> {
    let table = c.table;
    Perfil::from_cells(
        |column| {
            Ok(match column.holds {
                CellType::Text => c.text_opt()?.map(Cell::Text),
                CellType::Boolean => c.take::<Option<bool>>()?.map(Cell::Boolean),
                CellType::Number => c.take::<Option<f64>>()?.map(Cell::Number),
                CellType::Integer => c.take::<Option<i64>>()?.map(Cell::Integer),
                CellType::Instant => c.instant_opt()?.map(Cell::Instant),
            })
        },
        |column| super::damaged(table, column.name),
    )
}
