//! One value of a row, for either engine.

use std::fmt::Write as _;

use uuid::Uuid;

#[derive(Debug, Clone)]
pub(crate) enum Cell {
    Null,
    Id(Uuid),
    Text(String),
    Word(&'static str),
    Int(i64),
    Real(f64),
    Bool(bool),
    /// Microseconds since 1970.
    At(i64),
    Bytes(Vec<u8>),
}

impl Cell {
    /// Appends the value in the text format of PostgreSQL's COPY.
    pub(crate) fn copy(&self, out: &mut String) {
        let written = match self {
            Self::Null => write!(out, "\\N"),
            Self::Id(id) => write!(out, "{id}"),
            Self::Text(text) => {
                let text = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t");
                write!(out, "{text}")
            }
            Self::Word(word) => write!(out, "{word}"),
            Self::Int(number) => write!(out, "{number}"),
            Self::Real(number) => write!(out, "{number}"),
            Self::Bool(truth) => write!(out, "{truth}"),
            Self::At(micros) => {
                let at = jiff::Timestamp::from_microsecond(*micros).unwrap_or_default();
                write!(out, "{at}")
            }
            Self::Bytes(bytes) => {
                out.push_str("\\\\x");
                bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
            }
        };
        written.expect("a String takes everything");
    }
}

impl rusqlite::ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        use rusqlite::types::ToSqlOutput;
        Ok(match self {
            Self::Null => ToSqlOutput::from(rusqlite::types::Null),
            Self::Id(id) => ToSqlOutput::from(&id.as_bytes()[..]),
            Self::Text(text) => ToSqlOutput::from(text.as_str()),
            Self::Word(word) => ToSqlOutput::from(*word),
            Self::Int(number) | Self::At(number) => ToSqlOutput::from(*number),
            Self::Real(number) => ToSqlOutput::from(*number),
            Self::Bool(truth) => ToSqlOutput::from(*truth),
            Self::Bytes(bytes) => ToSqlOutput::from(bytes.as_slice()),
        })
    }
}
