//! The profile's cells between PostgreSQL and the domain.

use bytes::BytesMut;
use embudo_domain::columns::{Cell, CellType};
use embudo_domain::perfil::Perfil;
use tokio_postgres::types::{IsNull, ToSql, Type, accepts, to_sql_checked};

use super::Instant;
use super::instant::BoxedError;
use crate::statement::Value;

/// A cell as a parameter, alone or in an array of its column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellParam<'a>(pub(crate) Cell<'a>);

impl ToSql for CellParam<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, BoxedError> {
        match self.0 {
            Cell::Text(text) => text.to_sql(ty, out),
            Cell::Boolean(flag) => flag.to_sql(ty, out),
            Cell::Number(number) => number.to_sql(ty, out),
            Cell::Integer(integer) => integer.to_sql(ty, out),
            Cell::Instant(instant) => Instant::from(instant).to_sql(ty, out),
        }
    }

    accepts!(TEXT, BOOL, FLOAT8, INT8, TIMESTAMPTZ);
    to_sql_checked!();
}

/// The profile's parameters: each has the name of its column.
pub(crate) fn perfil_params<T: ToSql + Sync>(
    values: &[T],
) -> impl Iterator<Item = (&'static str, Value<'_>)> {
    Perfil::COLUMNS.iter().zip(values).map(|(column, value)| (column.name, value as Value<'_>))
}

/// How the profile's statements name a column's type.
pub(crate) fn type_name(holds: CellType) -> &'static str {
    match holds {
        CellType::Text => "text",
        CellType::Boolean => "boolean",
        CellType::Number => "double precision",
        CellType::Integer => "bigint",
        CellType::Instant => "timestamptz",
    }
}
