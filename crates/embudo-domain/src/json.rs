//! Reads a JSON body guided by its table of fields, without failing at the first mistake.
//!
//! Only the fields in the table are kept. Everything else is skipped (but still checked to be well-formed), so a body
//! of millions of unknown values costs no memory. Strings are borrowed from the body where JSON allows it. Of duplicate
//! keys the last one wins. This module knows JSON only: whether a value fits its field is decided in `body`.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::Digest;
use crate::errors::Invalid;
use crate::schema::{Field, Kind};
use crate::sieve::{Rest, SetAside};

/// The maximum depth of nesting in a body (contract §1). serde_json enforces it by itself, but not inside a raw value.
const MAX_LEVELS: usize = 127;

/// A value as it was in the body.
#[derive(Debug)]
pub enum Value<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'a, str>),
    /// The head of a data URI whose payload was set aside.
    Photo(&'a str, Digest),
    /// An object read by its table.
    Object(ParsedValues<'a>),
    /// The text of an object of any shape.
    Free(&'a str),
    /// Pairs of an object whose values should be strings; `None` marks one that is not.
    Map(Vec<(String, Option<String>)>),
    /// A list whose elements were checked while reading.
    List(Box<dyn Elements>, Invalid),
    /// Well-formed, but of a kind that this field does not take.
    OtherKind,
    /// Holds U+0000 somewhere.
    WithNullChar,
}

/// The fields of one object: a slot per entry of its table.
#[derive(Debug)]
pub struct ParsedValues<'a> {
    pub fields: &'static [Field],
    pub values: Vec<Option<Value<'a>>>,
    /// A key or value outside the table holds U+0000.
    pub has_null_char: bool,
}

/// A list in a body: the name of its field, and the type of its elements.
pub struct ListKind {
    pub(crate) nombre: &'static str,
    pub(crate) fields: &'static [Field],
    pub(crate) empty: fn() -> Box<dyn Elements>,
}

/// A list whose elements become types of the business while the body is read, so that a long one is never held twice.
pub trait Elements: Any + fmt::Debug {
    /// Parses an element, or notes under `base` what is wrong with it.
    fn read(&mut self, element: ParsedValues<'_>, base: &str, wrong: &mut Invalid);

    fn count(&self) -> usize;

    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// Reads a body, of which photos may have been set aside.
pub(crate) fn read<'a>(
    bytes: &'a [u8],
    rest: &Rest,
    fields: &'static [Field],
    lists: &'static [ListKind],
) -> Result<ParsedValues<'a>, Invalid> {
    let without_bom = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut reader = serde_json::Deserializer::from_slice(without_bom);
    let photos = Photos { begin: bytes.as_ptr().addr(), all: &rest.photos };
    let object = Reader { expected: Expected::Object(fields, lists), photos };
    let value = object.deserialize(&mut reader).and_then(|v| reader.end().map(|()| v));
    match value {
        Ok(Value::Object(parsed)) => Ok(parsed),
        Ok(_) => Err(Invalid::one("", "tipo", "El cuerpo debe ser un objeto JSON: { … }.")),
        Err(_) if without_bom.is_empty() => {
            Err(Invalid::one("", "json", "El cuerpo está vacío: envía un objeto JSON."))
        }
        Err(e) => {
            let line = e.line();
            let column = column(rest, bytes, bytes.len() - without_bom.len(), line, e.column());
            let mensaje = format!("El cuerpo no es JSON válido: revisa la línea {line}, columna {column}.");
            Err(Invalid::one("", "json", mensaje))
        }
    }
}

/// The column of a mistake in the original body, where `bytes` is what is left of that body.
fn column(rest: &Rest, bytes: &[u8], bom: usize, line: usize, column: usize) -> usize {
    let ends = bytes[bom..].iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(n, _)| bom + n + 1);
    let from = std::iter::once(bom).chain(ends).nth(line.saturating_sub(1)).unwrap_or(bytes.len());
    rest.column(from, column)
}

/// The photos that were set aside, found by their addresses in memory.
#[derive(Clone, Copy)]
pub(crate) struct Photos<'s> {
    begin: usize,
    all: &'s [SetAside],
}

impl Photos<'_> {
    fn find(self, text: &str) -> Option<Digest> {
        let at = text.as_ptr().addr().wrapping_sub(self.begin);
        let found = self.all.binary_search_by_key(&at, |photo| photo.at).ok()?;
        Some(self.all[found].digest)
    }
}

/// Reads the value at the current position.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'s> {
    expected: Expected,
    photos: Photos<'s>,
}

/// What is expected at that position.
#[derive(Clone, Copy)]
enum Expected {
    /// Anything. Of a list or an object only the kind is kept, not the content.
    Any,
    /// An object with these fields, some of them lists.
    Object(&'static [Field], &'static [ListKind]),
    /// An object of strings.
    Map,
    /// A list whose elements are objects with these fields.
    List(&'static ListKind),
}

impl Reader<'_> {
    fn expects(self, expected: Expected) -> Self {
        Self { expected, ..self }
    }

    fn for_field(self, field: &Field, lists: &'static [ListKind]) -> Self {
        self.expects(match field.kind {
            Kind::TextMap => Expected::Map,
            _ => lists.iter().find(|l| l.nombre == field.nombre).map_or(Expected::Any, Expected::List),
        })
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Value<'de>, D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, v: bool) -> Result<Self::Value, E> {
        Ok(Value::Bool(v))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Self::Value, E> {
        Ok(Value::Number(v as f64))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Self::Value, E> {
        Ok(Value::Number(v as f64))
    }

    fn visit_f64<E>(self, v: f64) -> Result<Self::Value, E> {
        Ok(Value::Number(v))
    }

    /// A borrowed string had no escapes, so it cannot hold U+0000.
    fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
        Ok(match self.photos.find(v) {
            Some(digest) => Value::Photo(v, digest),
            None => Value::Text(Cow::Borrowed(v)),
        })
    }

    fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
        if v.contains('\0') {
            return Ok(Value::WithNullChar);
        }
        Ok(Value::Text(Cow::Owned(v.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let Expected::List(kind) = self.expected else {
            return NullCharFinder::ROOT.visit_seq(seq).map(seen);
        };
        let mut list = (kind.empty)();
        let mut wrong = Invalid::default();
        let mut n = 0_usize;
        while let Some(element) = seq.next_element_seed(self.expects(Expected::Object(kind.fields, &[])))? {
            let base = format!("/{}/{n}", kind.nombre);
            match element {
                Value::Object(parsed) => list.read(parsed, &base, &mut wrong),
                Value::Null => wrong.note_down(base, "nulo", "No puede ser null: envía un objeto."),
                _ => wrong.note_down(base, "tipo", "Debe ser un objeto."),
            }
            n += 1;
        }
        Ok(Value::List(list, wrong))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        match self.expected {
            Expected::Object(fields, lists) => read_object(map, self, fields, lists).map(Value::Object),
            Expected::Map => read_map(map, self),
            _ => NullCharFinder::ROOT.visit_map(map).map(seen),
        }
    }
}

fn read_object<'de, A: MapAccess<'de>>(
    mut map: A,
    reader: Reader<'_>,
    fields: &'static [Field],
    lists: &'static [ListKind],
) -> Result<ParsedValues<'de>, A::Error> {
    let mut parsed =
        ParsedValues { fields, values: fields.iter().map(|_| None).collect(), has_null_char: false };
    while let Some(key) = map.next_key_seed(Key)? {
        match fields.iter().position(|c| c.nombre == key) {
            Some(n) if matches!(fields[n].kind, Kind::FreeObject) => {
                parsed.values[n] = Some(free_value(map.next_value::<&RawValue>()?.get())?);
            }
            Some(n) => {
                parsed.values[n] = Some(map.next_value_seed(reader.for_field(&fields[n], lists))?);
            }
            None => {
                let in_value = map.next_value_seed(NullCharFinder::ROOT)?;
                parsed.has_null_char |= in_value || key.contains('\0');
            }
        }
    }
    Ok(parsed)
}

fn read_map<'de, A: MapAccess<'de>>(mut map: A, reader: Reader<'_>) -> Result<Value<'de>, A::Error> {
    // The position of each key, so that repeated keys are found quickly: a caller may send as many keys as fit into a
    // body. A repeated key leaves a gap at its earlier position.
    let mut pairs: Vec<Option<(String, Option<String>)>> = Vec::new();
    let mut positions: HashMap<Cow<'de, str>, usize> = HashMap::new();
    let mut has_null_char = false;
    while let Some(key) = map.next_key_seed(Key)? {
        let value = match map.next_value_seed(reader.expects(Expected::Any))? {
            Value::Text(t) => Some(t.into_owned()),
            Value::WithNullChar => {
                has_null_char = true;
                None
            }
            _ => None,
        };
        has_null_char |= key.contains('\0');
        pairs.push(Some((key.clone().into_owned(), value)));
        if let Some(before) = positions.insert(key, pairs.len() - 1) {
            pairs[before] = None;
        }
    }
    Ok(if has_null_char { Value::WithNullChar } else { Value::Map(pairs.into_iter().flatten().collect()) })
}

/// Skipping a value as raw text omits the checks on nesting and lone surrogates, so the value is read a second time.
fn free_value<'a, E: serde::de::Error>(text: &'a str) -> Result<Value<'a>, E> {
    if !text.starts_with('{') {
        return Ok(if text == "null" { Value::Null } else { Value::OtherKind });
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let has_null_char =
        NullCharFinder { levels: MAX_LEVELS - 1 }.deserialize(&mut reader).map_err(E::custom)?;
    Ok(if has_null_char { Value::WithNullChar } else { Value::Free(text) })
}

fn seen<'a>(has_null_char: bool) -> Value<'a> {
    if has_null_char { Value::WithNullChar } else { Value::OtherKind }
}

/// Reads an object's key, borrowed where it has no escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(v))
    }

    fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(v.to_owned()))
    }
}

/// Skips a value and tells whether it holds U+0000 anywhere.
#[derive(Clone, Copy)]
struct NullCharFinder {
    /// How many more levels may be opened.
    levels: usize,
}

impl NullCharFinder {
    /// One level more than the maximum, because serde_json itself counts the levels of the document being read.
    const ROOT: Self = Self { levels: MAX_LEVELS + 1 };

    fn descend<E: serde::de::Error>(self) -> Result<Self, E> {
        let levels = self.levels.checked_sub(1).ok_or_else(|| E::custom("too many levels"))?;
        Ok(Self { levels })
    }
}

impl<'de> DeserializeSeed<'de> for NullCharFinder {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<bool, D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NullCharFinder {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_borrowed_str<E>(self, _: &'de str) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_str<E>(self, v: &str) -> Result<bool, E> {
        Ok(v.contains('\0'))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<bool, A::Error> {
        let inside = self.descend()?;
        let mut has_null_char = false;
        while let Some(n) = seq.next_element_seed(inside)? {
            has_null_char |= n;
        }
        Ok(has_null_char)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        let inside = self.descend()?;
        let mut has_null_char = false;
        while let Some(key) = map.next_key_seed(Key)? {
            has_null_char |= key.contains('\0');
            has_null_char |= map.next_value_seed(inside)?;
        }
        Ok(has_null_char)
    }
}
