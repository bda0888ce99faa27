//! How a field is stored in a database: the name of its column and the type of its cells.
//!
//! The engines bind and read whole lists of fields by these columns, so no engine names a field. This module knows no
//! engine: each engine decides how it writes a cell.

use jiff::Timestamp;
use serde::ser::SerializeMap;

use crate::Zona;
use crate::body::Data;
use crate::direccion::Direccion;
use crate::number::PlainNumber;
use crate::provincia::CodigoPostal;
use crate::schema::{Field, Kind, MAX_INTEGER};

/// One column of a list of fields.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    /// What the field may hold, as on the wire.
    pub kind: Kind,
    pub holds: CellType,
}

/// The type of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellType {
    Text,
    Boolean,
    Number,
    Integer,
    Instant,
}

/// The value of one field in one row, on its way to a database or back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    Text(&'a str),
    Boolean(bool),
    Number(f64),
    Integer(i64),
    Instant(Timestamp),
}

/// A type that a field may have.
pub(crate) trait Stored: Sized {
    const KIND: Kind;
    const HOLDS: CellType;

    /// Takes the field out of a body that has passed its checks.
    fn take(data: &mut Data, nombre: &str) -> Option<Self>;

    fn cell(&self) -> Cell<'_>;

    /// `None` if the program cannot have written such a cell.
    fn from_cell(cell: Cell<'_>) -> Option<Self>;
}

macro_rules! stored {
    ($($type:ty: $kind:expr, $cell:ident, $take:ident, $out:expr, $back:expr;)+) => {$(
        impl Stored for $type {
            const KIND: Kind = $kind;
            const HOLDS: CellType = CellType::$cell;

            fn take(data: &mut Data, nombre: &str) -> Option<Self> {
                data.$take(nombre)
            }

            fn cell(&self) -> Cell<'_> {
                Cell::$cell($out(self))
            }

            fn from_cell(cell: Cell<'_>) -> Option<Self> {
                match cell {
                    Cell::$cell(value) => Some($back(value)),
                    _ => None,
                }
            }
        }
    )+};
}

stored! {
    String: Kind::Text, Text, text, String::as_str, str::to_owned;
    bool: Kind::Boolean, Boolean, boolean, Clone::clone, |b| b;
    f64: Kind::Positive, Number, number, Clone::clone, |n| n;
    i64: Kind::Integer { min: 0, max: MAX_INTEGER }, Integer, integer, Clone::clone, |n| n;
    Timestamp: Kind::DateTime, Instant, date, Clone::clone, |t| t;
}

/// Enumerations are stored as their words.
macro_rules! stored_words {
    ($($type:ty),+ $(,)?) => {$(
        impl $crate::columns::Stored for $type {
            const KIND: $crate::Kind = $crate::Kind::One(Self::WORDS);
            const HOLDS: $crate::columns::CellType = $crate::columns::CellType::Text;

            fn take(data: &mut $crate::body::Data, nombre: &str) -> Option<Self> {
                data.word(nombre, Self::parse)
            }

            fn cell(&self) -> $crate::columns::Cell<'_> {
                $crate::columns::Cell::Text(self.as_str())
            }

            fn from_cell(cell: $crate::columns::Cell<'_>) -> Option<Self> {
                match cell {
                    $crate::columns::Cell::Text(word) => Self::parse(word),
                    _ => None,
                }
            }
        }
    )+};
}

pub(crate) use stored_words;

stored_words!(Zona);

/// Whole numbers that are small by nature. The bounds are wider than any real value.
macro_rules! stored_small {
    ($($type:ty: $min:literal..=$max:literal;)+) => {$(
        impl Stored for $type {
            const KIND: Kind = Kind::Integer { min: $min, max: $max };
            const HOLDS: CellType = CellType::Integer;

            fn take(data: &mut Data, nombre: &str) -> Option<Self> {
                data.integer(nombre).and_then(|n| n.try_into().ok())
            }

            fn cell(&self) -> Cell<'_> {
                Cell::Integer(i64::from(*self))
            }

            fn from_cell(cell: Cell<'_>) -> Option<Self> {
                match cell {
                    Cell::Integer(n) => n.try_into().ok(),
                    _ => None,
                }
            }
        }
    )+};
}

stored_small! {
    u8: 0..=99;
    i8: -9..=99;
}

impl Stored for CodigoPostal {
    const KIND: Kind = Kind::CodigoPostal;
    const HOLDS: CellType = CellType::Text;

    fn take(data: &mut Data, nombre: &str) -> Option<Self> {
        data.text(nombre).and_then(|text| Self::parse(&text))
    }

    fn cell(&self) -> Cell<'_> {
        Cell::Text(self.as_str())
    }

    fn from_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Text(text) => Self::parse(text),
            _ => None,
        }
    }
}

impl Stored for Direccion {
    const KIND: Kind = Kind::Direccion;
    const HOLDS: CellType = CellType::Text;

    fn take(data: &mut Data, nombre: &str) -> Option<Self> {
        data.text(nombre).and_then(|text| Self::parse(&text))
    }

    fn cell(&self) -> Cell<'_> {
        Cell::Text(self.as_str())
    }

    fn from_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Text(text) => Self::parse(text),
            _ => None,
        }
    }
}

/// Writes fields under their names on the wire; a field that is not known is written as `null`.
pub(crate) fn write<M: SerializeMap>(
    fields: &[Field],
    cells: &[Option<Cell<'_>>],
    map: &mut M,
) -> Result<(), M::Error> {
    for (field, cell) in fields.iter().zip(cells) {
        map.serialize_key(field.nombre)?;
        match cell {
            None => map.serialize_value(&())?,
            Some(Cell::Text(text)) => map.serialize_value(text)?,
            Some(Cell::Boolean(flag)) => map.serialize_value(flag)?,
            Some(Cell::Number(n)) => map.serialize_value(&PlainNumber(*n))?,
            Some(Cell::Integer(n)) => map.serialize_value(n)?,
            Some(Cell::Instant(t)) => map.serialize_value(&t.to_string())?,
        }
    }
    Ok(())
}

/// Reads one field from its column.
pub(crate) fn field<'r, T: Stored, E>(
    column: &'static Column,
    read: &mut impl FnMut(&'static Column) -> Result<Option<Cell<'r>>, E>,
    damaged: &impl Fn(&'static Column) -> E,
) -> Result<Option<T>, E> {
    match read(column)? {
        None => Ok(None),
        Some(cell) => T::from_cell(cell).map(Some).ok_or_else(|| damaged(column)),
    }
}
