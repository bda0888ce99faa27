//! One row of a result, read by the names of its columns, on either engine.
//!
//! An engine gives a column in a plain form that both have in common: an id or a digest is bytes, an instant is
//! microseconds since 1970, a boolean is 0 or 1. The type that the caller asks for decides what the value means.

use embudo_domain::{Digest, Timestamp};
use jiff::civil::Date;
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use crate::{Result, StoreError};

/// The plain value of a column.
#[derive(Debug, Clone, Copy)]
pub enum Raw<'r> {
    Null,
    Int(i64),
    Real(f64),
    Text(&'r str),
    Bytes(&'r [u8]),
    Day(Date),
}

/// A row of an engine.
pub trait Row {
    /// `None`: the row has no such column, or its type is used by no table of ours.
    fn raw(&self, name: &str) -> Option<Raw<'_>>;
    /// Its columns, in order.
    fn names(&self) -> Vec<String>;
}

/// A type that can be read from a column.
pub trait FromRaw: Sized {
    fn from_raw(raw: Raw<'_>) -> Option<Self>;
}

#[derive(Clone, Copy)]
pub struct Columns<'r>(&'r dyn Row);

impl<'r> Columns<'r> {
    pub fn of(row: &'r dyn Row) -> Self {
        Self(row)
    }

    /// A value that our code could not have written is a defect or a damaged database; the error names the column,
    /// never the value.
    pub fn get<T: FromRaw>(&self, name: &str) -> Result<T> {
        T::from_raw(self.raw(name)?).ok_or_else(|| damaged(name))
    }

    /// The whole row as it is stored, for a full export: ids and digests as texts, instants in a readable form.
    pub fn json(&self) -> Result<Map<String, Json>> {
        let cell = |name: String| Ok((name.clone(), json_of(&name, self.raw(&name)?)));
        self.0.names().into_iter().map(cell).collect()
    }

    pub(crate) fn raw(&self, name: &str) -> Result<Raw<'r>> {
        self.0.raw(name).ok_or_else(|| damaged(name))
    }

    /// A text that is parsed into a domain type.
    pub fn word<T>(&self, name: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T> {
        self.word_opt(name, read)?.ok_or_else(|| damaged(name))
    }

    pub fn word_opt<T>(&self, name: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>> {
        match self.raw(name)? {
            Raw::Null => Ok(None),
            Raw::Text(text) => read(text).ok_or_else(|| damaged(name)).map(Some),
            _ => Err(damaged(name)),
        }
    }
}

/// Columns of instants whose name does not end in `_en`.
const INSTANTS: [&str; 12] = [
    "en",
    "caduca",
    "desde",
    "archivado_desde",
    "inicio",
    "fin",
    "vigente_hasta",
    "fotos_solicitadas_at",
    "bucle_desde",
    "bucle_limite",
    "arrendado_hasta",
    "bloqueado_hasta",
];

fn json_of(name: &str, raw: Raw<'_>) -> Json {
    match raw {
        Raw::Null => Json::Null,
        Raw::Int(micros) if name.ends_with("_en") || INSTANTS.contains(&name) => {
            Timestamp::from_microsecond(micros).map_or(Json::from(micros), |at| Json::from(at.to_string()))
        }
        Raw::Int(number) => Json::from(number),
        Raw::Real(number) => Json::from(number),
        Raw::Text(text) => Json::from(text),
        Raw::Day(day) => Json::from(day.to_string()),
        Raw::Bytes(bytes) => Json::from(match Uuid::from_slice(bytes) {
            Ok(id) => id.to_string(),
            Err(_) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        }),
    }
}

pub(crate) fn damaged(column: &str) -> StoreError {
    StoreError::Internal(format!("column {column} holds a value that is not of this program"))
}

impl<T: FromRaw> FromRaw for Option<T> {
    fn from_raw(raw: Raw<'_>) -> Option<Self> {
        match raw {
            Raw::Null => Some(None),
            other => T::from_raw(other).map(Some),
        }
    }
}

macro_rules! from_raw {
    ($($type:ty: $pattern:pat => $value:expr;)+) => {
        $(impl FromRaw for $type {
            fn from_raw(raw: Raw<'_>) -> Option<Self> {
                match raw {
                    $pattern => $value,
                    _ => None,
                }
            }
        })+
    };
}

from_raw! {
    String: Raw::Text(text) => Some(text.to_owned());
    f64: Raw::Real(number) => Some(number);
    bool: Raw::Int(truth @ (0 | 1)) => Some(truth == 1);
    i16: Raw::Int(number) => number.try_into().ok();
    i32: Raw::Int(number) => number.try_into().ok();
    i64: Raw::Int(number) => Some(number);
    u16: Raw::Int(number) => number.try_into().ok();
    u32: Raw::Int(number) => number.try_into().ok();
    u64: Raw::Int(number) => number.try_into().ok();
    Timestamp: Raw::Int(micros) => Timestamp::from_microsecond(micros).ok();
    Uuid: Raw::Bytes(bytes) => Uuid::from_slice(bytes).ok();
    Vec<u8>: Raw::Bytes(bytes) => Some(bytes.to_owned());
    [u8; 32]: Raw::Bytes(bytes) => bytes.try_into().ok();
    Digest: Raw::Bytes(bytes) => bytes.try_into().ok().map(Digest);
}

impl FromRaw for Date {
    fn from_raw(raw: Raw<'_>) -> Option<Self> {
        match raw {
            Raw::Day(day) => Some(day),
            Raw::Text(text) => text.parse().ok(),
            _ => None,
        }
    }
}
