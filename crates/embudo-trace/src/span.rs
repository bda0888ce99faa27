//! A span: what is recorded about a piece of work when it ends.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use crate::context::SpanContext;

/// The role of a span in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The span answers a call.
    Server,
    /// The span calls another program.
    Client,
    /// The span does neither.
    Internal,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(Cow<'static, str>),
    Number(i64),
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<u16> for Value {
    fn from(number: u16) -> Self {
        Self::Number(number.into())
    }
}

/// A span: what was done, when it began, and how long it took.
#[derive(Debug, Clone)]
pub struct Span {
    pub(crate) context: SpanContext,
    pub name: Cow<'static, str>,
    pub(crate) side: Side,
    pub(crate) start: SystemTime,
    pub(crate) duration: Duration,
    pub is_error: bool,
    pub(crate) attributes: Vec<(&'static str, Value)>,
}

impl Span {
    /// Adds an attribute. Its value must not identify a person.
    pub fn set(&mut self, key: &'static str, value: impl Into<Value>) {
        self.attributes.push((key, value.into()));
    }
}
