//! The tables behind the charts.

use embudo_domain::money::Cents;

use super::words;

/// A figure. An unknown figure is shown as a dash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    Count(i64),
    Money(Cents),
    /// A part and its whole.
    Part(i64, i64),
    /// Seconds.
    Time(Option<i64>),
    Unknown,
}

impl Cell {
    /// The text for people.
    pub fn shown(&self) -> String {
        match self {
            Self::Count(n) => words::count(*n),
            Self::Money(cents) => cents.to_string(),
            Self::Part(part, whole) => words::part(*part, *whole),
            Self::Time(secs) => secs.map_or_else(|| words::UNKNOWN.to_owned(), words::time),
            Self::Unknown => words::UNKNOWN.to_owned(),
        }
    }

    /// The number for a spreadsheet: euros, seconds, or percent.
    #[allow(clippy::cast_precision_loss, reason = "a spreadsheet has nothing finer")]
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Count(n) => Some(*n as f64),
            Self::Money(cents) => Some(cents.0 as f64 / 100.0),
            Self::Part(_, 0) | Self::Unknown => None,
            Self::Part(part, whole) => Some((*part as f64 / *whole as f64 * 1_000.0).round() / 10.0),
            Self::Time(secs) => secs.map(|secs| secs as f64),
        }
    }
}

pub(super) struct Table {
    /// The headings of the column with the names and of every other column.
    pub head: Vec<&'static str>,
    pub rows: Vec<Row>,
}

pub(super) struct Row {
    pub name: String,
    pub cells: Vec<Cell>,
}

impl Row {
    pub fn new(name: impl Into<String>, cells: Vec<Cell>) -> Self {
        Self { name: name.into(), cells }
    }
}
