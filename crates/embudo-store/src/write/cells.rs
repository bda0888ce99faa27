//! Builds statements from a template and a list of columns: each column is named, and its value is a parameter.

use embudo_domain::columns::{Cell, CellType, Column};

use crate::columns::{fill_of, untyped};
use crate::queries::{Kind, Query, Statement, Value};

/// A statement whose lists are filled with these columns, and whose parameters are their cells.
pub(super) fn filled<'c>(
    template: &str,
    columns: &[Column],
    cells: impl IntoIterator<Item = Option<Cell<'c>>>,
) -> Statement {
    let statement = Query::of(fill_of(columns, template, untyped), |_| Ok(()));
    columns.iter().zip(cells).fold(statement, |statement, (column, cell)| {
        statement.bind(column.name, cell.map_or(Value::Null(kind(column.holds)), value))
    })
}

fn value(cell: Cell<'_>) -> Value {
    match cell {
        Cell::Text(text) => text.into(),
        Cell::Boolean(flag) => flag.into(),
        Cell::Number(number) => number.into(),
        Cell::Integer(integer) => integer.into(),
        Cell::Instant(instant) => instant.into(),
    }
}

fn kind(holds: CellType) -> Kind {
    match holds {
        CellType::Text => Kind::Text,
        CellType::Boolean => Kind::Bool,
        CellType::Number => Kind::Real,
        CellType::Integer => Kind::Int,
        CellType::Instant => Kind::Instant,
    }
}
