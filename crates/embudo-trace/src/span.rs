//! A span: what is recorded about a piece of work when it ends.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use crate::context::SpanContext;

/// On which side of a call a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// It answers a call.
    Server,
    /// It calls another program.
    Client,
    /// It does neither.
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

/// What was done, from when, and how long it took.
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
    /// Adds an attribute. It must not tell who somebody is.
    pub fn set(&mut self, key: &'static str, value: impl Into<Value>) {
        self.attributes.push((key, value.into()));
    }
}
