//! Reads a JSON body guided by its table of fields, without failing at the first mistake.
//!
//! Only what the table names is kept; everything else is read past (and still checked to be well-formed), so a body
//! of millions of unknown values costs no memory. Strings are borrowed from the body where JSON allows it. Of duplicate
//! keys the last wins. This module knows JSON only: whether a value fits its field is decided in `body`.

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

/// Levels of nesting that a body may have (contract §1). serde_json stops there by itself; a raw value needs the count.
const MAX_LEVELS: usize = 127;

/// A value as it stood in the body.
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
    pub without_null_char: bool,
}

/// A list in a body: under which field it stands, and what its elements become.
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
        Ok(Value::Object(read_ones)) => Ok(read_ones),
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

/// The column of a mistake in the body as it came, where `bytes` is what is left of it.
fn column(rest: &Rest, bytes: &[u8], bom: usize, line: usize, column: usize) -> usize {
    let ends = bytes[bom..].iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(n, _)| bom + n + 1);
    let from = std::iter::once(bom).chain(ends).nth(line.saturating_sub(1)).unwrap_or(bytes.len());
    rest.column(from, column)
}

/// The photos that were set aside, by where they stand in memory.
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

/// Reads a value at the place where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'s> {
    expected: Expected,
    photos: Photos<'s>,
}

/// What is expected there.
#[derive(Clone, Copy)]
enum Expected {
    /// Anything; structures are only named, not kept.
    Scale,
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
            _ => lists.iter().find(|l| l.nombre == field.nombre).map_or(Expected::Scale, Expected::List),
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
            return Vigilante::ROOT.visit_seq(seq).map(seen);
        };
        let mut list = (kind.empty)();
        let mut wrong = Invalid::default();
        let mut n = 0_usize;
        while let Some(element) = seq.next_element_seed(self.expects(Expected::Object(kind.fields, &[])))? {
            let base = format!("/{}/{n}", kind.nombre);
            match element {
                Value::Object(read_ones) => list.read(read_ones, &base, &mut wrong),
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
            _ => Vigilante::ROOT.visit_map(map).map(seen),
        }
    }
}

fn read_object<'de, A: MapAccess<'de>>(
    mut map: A,
    reader: Reader<'_>,
    fields: &'static [Field],
    lists: &'static [ListKind],
) -> Result<ParsedValues<'de>, A::Error> {
    let mut read_ones =
        ParsedValues { fields, values: fields.iter().map(|_| None).collect(), without_null_char: false };
    while let Some(key) = map.next_key_seed(Key)? {
        match fields.iter().position(|c| c.nombre == key) {
            Some(n) if matches!(fields[n].kind, Kind::FreeObject) => {
                read_ones.values[n] = Some(free_value(map.next_value::<&RawValue>()?.get())?);
            }
            Some(n) => {
                read_ones.values[n] = Some(map.next_value_seed(reader.for_field(&fields[n], lists))?);
            }
            None => {
                let in_value = map.next_value_seed(Vigilante::ROOT)?;
                read_ones.without_null_char |= in_value || key.contains('\0');
            }
        }
    }
    Ok(read_ones)
}

fn read_map<'de, A: MapAccess<'de>>(mut map: A, reader: Reader<'_>) -> Result<Value<'de>, A::Error> {
    // Where each key stands, because a caller may send as many keys as fit into a body. One that comes again leaves a
    // gap where it stood before.
    let mut pairs: Vec<Option<(String, Option<String>)>> = Vec::new();
    let mut where_: HashMap<Cow<'de, str>, usize> = HashMap::new();
    let mut null = false;
    while let Some(key) = map.next_key_seed(Key)? {
        let value = match map.next_value_seed(reader.expects(Expected::Scale))? {
            Value::Text(t) => Some(t.into_owned()),
            Value::WithNullChar => {
                null = true;
                None
            }
            _ => None,
        };
        null |= key.contains('\0');
        pairs.push(Some((key.clone().into_owned(), value)));
        if let Some(before) = where_.insert(key, pairs.len() - 1) {
            pairs[before] = None;
        }
    }
    Ok(if null { Value::WithNullChar } else { Value::Map(pairs.into_iter().flatten().collect()) })
}

/// Reading past a value raw skips the checks on nesting and lone surrogates, so it is read once more.
fn free_value<'a, E: serde::de::Error>(text: &'a str) -> Result<Value<'a>, E> {
    if !text.starts_with('{') {
        return Ok(if text == "null" { Value::Null } else { Value::OtherKind });
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let null = Vigilante { levels: MAX_LEVELS - 1 }.deserialize(&mut reader).map_err(E::custom)?;
    Ok(if null { Value::WithNullChar } else { Value::Free(text) })
}

fn seen<'a>(null: bool) -> Value<'a> {
    if null { Value::WithNullChar } else { Value::OtherKind }
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

/// Reads past a value and tells whether it holds U+0000 anywhere.
#[derive(Clone, Copy)]
struct Vigilante {
    /// Levels that may still be opened.
    levels: usize,
}

impl Vigilante {
    /// serde_json itself counts the levels of the document being read.
    const ROOT: Self = Self { levels: MAX_LEVELS + 1 };

    fn descend<E: serde::de::Error>(self) -> Result<Self, E> {
        let levels = self.levels.checked_sub(1).ok_or_else(|| E::custom("too many levels"))?;
        Ok(Self { levels })
    }
}

impl<'de> DeserializeSeed<'de> for Vigilante {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<bool, D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Vigilante {
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
        let mut null = false;
        while let Some(n) = seq.next_element_seed(inside)? {
            null |= n;
        }
        Ok(null)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        let inside = self.descend()?;
        let mut null = false;
        while let Some(key) = map.next_key_seed(Key)? {
            null |= key.contains('\0');
            null |= map.next_value_seed(inside)?;
        }
        Ok(null)
    }
}
