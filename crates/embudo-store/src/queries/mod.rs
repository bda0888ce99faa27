//! Queries written once for both engines: one SQL text with named parameters (`:lead`), their values, and a function
//! that reads a row.
//!
//! The texts are in `sql/<table>/<verb>.sql`. They may use only SQL that both engines understand and answer alike: see
//! `docs/adr/0017-reads-written-once.md`.

pub mod access;
pub mod blob;
pub mod company_key;
pub mod count;
pub mod desk;
pub mod draft;
pub mod empresa;
pub mod etapa;
pub mod figures;
pub mod inbox;
pub mod job;
pub mod lead;
pub mod notice;
pub mod projection;
pub mod push;
pub mod quote;
pub mod reminders;
pub mod reply;
pub mod rights;
pub mod search;
pub mod timeline;
pub mod visit;

use std::borrow::Cow;

use embudo_domain::{Digest, Timestamp};
use jiff::civil::Date;
use uuid::Uuid;

use crate::Result;
use crate::row::Columns;

/// The value of a parameter. The value of a condition is never null: a condition that is not needed is left out of the
/// text.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A null of this type.
    Null(Kind),
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
    Id(Uuid),
    Instant(Timestamp),
    Day(Date),
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Int,
    Real,
    Text,
    Bytes,
    Id,
    Instant,
    Day,
}

impl Value {
    pub fn kind(&self) -> Kind {
        match self {
            Self::Null(kind) => *kind,
            Self::Bool(_) => Kind::Bool,
            Self::Int(_) => Kind::Int,
            Self::Real(_) => Kind::Real,
            Self::Text(_) => Kind::Text,
            Self::Bytes(_) => Kind::Bytes,
            Self::Id(_) => Kind::Id,
            Self::Instant(_) => Kind::Instant,
            Self::Day(_) => Kind::Day,
        }
    }
}

/// Parameters: names, without the colon, and values.
pub type Values = [(Cow<'static, str>, Value)];

/// A query without rows in its answer.
pub type Statement = Query<()>;

/// How much an engine may have to read for a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only rows that an index finds.
    Found,
    /// Possibly a whole table. Engines limit how many such scans run at once, so that other reads do not wait for them.
    Walk,
}

/// The function that reads a row.
pub type Meaning<T> = fn(&Columns<'_>) -> Result<T>;

/// A query that answers with rows of `T`.
pub struct Query<T> {
    text: Cow<'static, str>,
    values: Vec<(Cow<'static, str>, Value)>,
    read: Meaning<T>,
    reach: Reach,
    joint: &'static str,
}

impl<T> Query<T> {
    pub fn new(text: &'static str, read: Meaning<T>) -> Self {
        Self { text: text.into(), values: Vec::new(), read, reach: Reach::Found, joint: "WHERE " }
    }

    /// A query whose text is composed at run time.
    pub fn of(text: String, read: Meaning<T>) -> Self {
        Self { text: text.into(), values: Vec::new(), read, reach: Reach::Found, joint: "WHERE " }
    }

    /// Gives a parameter its value.
    pub fn bind(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        self.values.push((name.into(), value.into()));
        self
    }

    /// Adds a condition to a text that ends before its `WHERE`.
    fn only(mut self, condition: &str) -> Self {
        let text = self.text.to_mut();
        text.push_str(self.joint);
        text.push_str(condition);
        self.joint = " AND ";
        self
    }

    /// Adds a condition on the parameter `name` if there is a value for it, so that the planner sees only the
    /// conditions that are needed.
    fn only_if(self, condition: &str, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.only(condition).bind(name, value),
            None => self,
        }
    }

    /// Adds the condition that a column has one of these values.
    fn only_in(self, column: &str, ids: impl IntoIterator<Item = Uuid>) -> Self {
        self.only_among(column, column, ids)
    }

    /// Like `only_in`, with parameters of another name than the column. An empty list matches nothing.
    fn only_among(mut self, column: &str, name: &str, ids: impl IntoIterator<Item = Uuid>) -> Self {
        let mut names = Vec::new();
        let mut ids: Vec<Uuid> = ids.into_iter().collect();
        // The list is padded to a power of two, so that lists of similar lengths share one prepared statement.
        if let Some(last) = ids.last().copied() {
            ids.resize(ids.len().next_power_of_two(), last);
        }
        for (i, id) in ids.into_iter().enumerate() {
            names.push(format!(":{name}{i}"));
            self = self.bind(format!("{name}{i}"), id);
        }
        match names.is_empty() {
            true => self.only("1 = 0"),
            false => self.only(&format!("{column} IN ({})", names.join(", "))),
        }
    }

    /// Adds the end of the text: order and limit.
    fn then(mut self, tail: &str) -> Self {
        let text = self.text.to_mut();
        text.push('\n');
        text.push_str(tail);
        self
    }

    fn reaching(mut self, reach: Reach) -> Self {
        self.reach = reach;
        self
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Names, without the colon, and values of the parameters.
    pub fn values(&self) -> &Values {
        &self.values
    }

    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// Reads a row of the answer.
    pub fn read(&self, row: &Columns<'_>) -> Result<T> {
        (self.read)(row)
    }
}

impl Statement {
    pub fn statement(text: &'static str) -> Self {
        Self::new(text, |_| Ok(()))
    }
}

/// A column as an expression that no index has. If few rows are found by another condition, sorting them is cheaper
/// than scanning many rows in the order of an index; planners without statistics choose the scan otherwise.
fn unindexed(column: &str) -> String {
    format!("coalesce({column}, {column})")
}

macro_rules! value_from {
    ($($type:ty => $variant:ident($value:expr);)+) => {
        $(impl From<$type> for Value {
            fn from(value: $type) -> Self {
                #[allow(clippy::redundant_closure_call)]
                Self::$variant($value(value))
            }
        }

        impl From<Option<$type>> for Value {
            fn from(value: Option<$type>) -> Self {
                value.map_or(Self::Null(Kind::$variant), <Self as From<$type>>::from)
            }
        })+
    };
}

value_from! {
    bool => Bool(|b| b);
    i64 => Int(|n| n);
    u16 => Int(i64::from);
    i16 => Int(i64::from);
    u32 => Int(i64::from);
    i32 => Int(i64::from);
    f64 => Real(|n| n);
    String => Text(|t| t);
    &str => Text(str::to_owned);
    &String => Text(String::clone);
    Digest => Bytes(|h: Digest| h.0.to_vec());
    [u8; 32] => Bytes(|digest: [u8; 32]| digest.to_vec());
    &[u8] => Bytes(<[u8]>::to_vec);
    Uuid => Id(|id| id);
    Timestamp => Instant(|t| t);
    Date => Day(|d| d);
}

impl From<&Option<String>> for Value {
    fn from(value: &Option<String>) -> Self {
        value.as_ref().into()
    }
}
