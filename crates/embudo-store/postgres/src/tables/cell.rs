//! A value between PostgreSQL's types and the plain ones that every engine reads the same.

use bytes::BytesMut;
use embudo_store::tables::Value;
use jiff::ToSpan;
use jiff::civil::{Date, date};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use crate::rows::Instant;

type BoxedError = Box<dyn std::error::Error + Sync + Send>;

/// The day from which PostgreSQL counts.
const FIRST_DAY: Date = date(2000, 1, 1);

/// A value that was read.
pub(super) struct Cell(pub(super) Value);

impl<'a> FromSql<'a> for Cell {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, BoxedError> {
        Ok(Self(match *ty {
            Type::BOOL => Value::Int(i64::from(bool::from_sql(ty, raw)?)),
            Type::INT2 => Value::Int(i16::from_sql(ty, raw)?.into()),
            Type::INT4 => Value::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
            Type::FLOAT8 => Value::Real(f64::from_sql(ty, raw)?),
            Type::TEXT => Value::Text(String::from_sql(ty, raw)?),
            Type::UUID => Value::Bytes(raw.to_vec()),
            Type::BYTEA => Value::Bytes(Vec::from_sql(ty, raw)?),
            Type::TIMESTAMPTZ => Value::Int(Instant::from_sql(ty, raw)?.micros()),
            Type::DATE => {
                let days = i32::from_be_bytes(raw.try_into()?);
                Value::Text(FIRST_DAY.checked_add(i64::from(days).days())?.to_string())
            }
            _ => return Err(format!("no way to read the type {ty}").into()),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, BoxedError> {
        Ok(Self(Value::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A value that is to be written.
#[derive(Debug)]
pub(super) struct Param<'v>(pub(super) &'v Value);

impl ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, BoxedError> {
        match (self.0, ty) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Int(flag), &Type::BOOL) => (*flag != 0).to_sql(ty, out),
            (Value::Int(number), &Type::INT2) => i16::try_from(*number)?.to_sql(ty, out),
            (Value::Int(number), &Type::INT4) => i32::try_from(*number)?.to_sql(ty, out),
            (Value::Int(number), &Type::INT8) => number.to_sql(ty, out),
            (Value::Int(micros), &Type::TIMESTAMPTZ) => Instant::of_micros(*micros).to_sql(ty, out),
            (Value::Real(number), &Type::FLOAT8) => number.to_sql(ty, out),
            (Value::Text(text), &Type::TEXT) => text.to_sql(ty, out),
            (Value::Text(day), &Type::DATE) => {
                let days = FIRST_DAY.until(day.parse::<Date>()?)?.get_days();
                out.extend_from_slice(&days.to_be_bytes());
                Ok(IsNull::No)
            }
            (Value::Bytes(id), &Type::UUID) => Uuid::from_slice(id)?.to_sql(ty, out),
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(ty, out),
            (value, ty) => Err(format!("{value:?} cannot be written as {ty}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
