//! Turns a body's bytes into a type of the business, or into the list of everything that is wrong with the body.

use std::any::Any;
use std::fmt;

use jiff::Timestamp;

use crate::contact::{Email, Telefono};
use crate::direccion::Direccion;
use crate::errors::{Invalid, MAX_ERRORS};
use crate::image::{Content, Image};
use crate::json::{self, Elements, ListKind, ParsedValues, Value};
use crate::orden::MAX_ORDEN;
use crate::provincia::CodigoPostal;
use crate::schema::{Field, Kind, MAX_INTEGER};
use crate::sieve::Rest;
use crate::{date, ids};

/// A request body: its table of fields, and how its type is built once every field is right.
pub trait Body: Sized {
    /// The fields, in the order of the specification.
    const FIELD_TABLE: &'static [Field];

    /// The fields in the table that are lists.
    const LISTS: &'static [ListKind] = &[];

    /// Whether an empty body counts as an object without fields.
    const MAY_BE_ABSENT: bool = false;

    /// Rules across fields (for example "at least one").
    fn rules(_: &Data, _: &mut Invalid) {}

    /// Whether two calls with the same bytes and without an idempotency key may be one repeated call (contract §2.6).
    fn is_repeatable(&self) -> bool {
        false
    }

    /// Builds the value. Every field has passed its check, and the required ones are there.
    fn assemble(data: Data) -> Self;

    /// Reads a body: JSON, then each field, then the rules across fields.
    fn read(bytes: &[u8]) -> Result<Self, Invalid> {
        let bytes = if Self::MAY_BE_ABSENT && bytes.is_empty() { b"{}" } else { bytes };
        Self::read_from(bytes, &Rest::default())
    }

    /// Reads the rest of a body after its photos were set aside.
    fn read_rest(rest: &Rest) -> Result<Self, Invalid> {
        Self::read_from(&rest.kept, rest)
    }

    #[doc(hidden)]
    fn read_from(bytes: &[u8], rest: &Rest) -> Result<Self, Invalid> {
        let mut wrong = Invalid::default();
        let data = review(json::read(bytes, rest, Self::FIELD_TABLE, Self::LISTS)?, "", &mut wrong);
        if wrong.is_empty() {
            Self::rules(&data, &mut wrong);
        }
        if wrong.is_empty() { Ok(Self::assemble(data)) } else { Err(wrong) }
    }
}

/// The checked fields of a body, taken out one by one while the type is built.
pub struct Data {
    fields: &'static [Field],
    data: Vec<Option<Datum>>,
}

enum Datum {
    Text(String),
    Number(f64),
    Bool(bool),
    Date(Timestamp),
    Image(Image),
    Telefono(Telefono),
    Email(Email),
    Id(uuid::Uuid),
    Map(Vec<(String, String)>),
    List(Box<dyn Elements>),
}

macro_rules! take {
    ($($(#[$doc:meta])* $method:ident: $variant:ident -> $kind:ty;)+) => {$(
        $(#[$doc])*
        pub fn $method(&mut self, nombre: &str) -> Option<$kind> {
            match self.take(nombre)? {
                Datum::$variant(v) => Some(v),
                _ => unreachable!("{nombre}: the table gives this field another kind"),
            }
        }
    )+};
}

impl Data {
    fn position(&self, nombre: &str) -> usize {
        let found = self.fields.iter().position(|c| c.nombre == nombre);
        found.expect("every field that is read stands in the table")
    }

    fn take(&mut self, nombre: &str) -> Option<Datum> {
        let n = self.position(nombre);
        self.data[n].take()
    }

    /// Whether a field was sent.
    pub fn has(&self, nombre: &str) -> bool {
        self.data[self.position(nombre)].is_some()
    }

    /// Whether a flag was sent as `true`.
    pub fn is_true(&self, nombre: &str) -> bool {
        matches!(self.data[self.position(nombre)], Some(Datum::Bool(true)))
    }

    /// The names of the fields that were sent, in table order.
    pub fn sent(&self) -> Vec<&'static str> {
        let pairs = self.fields.iter().zip(&self.data);
        pairs.filter(|(_, d)| d.is_some()).map(|(c, _)| c.nombre).collect()
    }

    /// How many elements a list has; 0 when it was not sent.
    pub fn elements(&self, nombre: &str) -> usize {
        match &self.data[self.position(nombre)] {
            Some(Datum::List(list)) => list.count(),
            _ => 0,
        }
    }

    take! {
        /// A string, or the text of a free object.
        text: Text -> String;
        boolean: Bool -> bool;
        number: Number -> f64;
        date: Date -> Timestamp;
        /// A photo's picture.
        image: Image -> Image;
        telefono: Telefono -> Telefono;
        /// An e-mail address.
        email: Email -> Email;
        id: Id -> uuid::Uuid;
        map: Map -> Vec<(String, String)>;
    }

    /// A whole number, in the bounds of its table entry.
    pub fn integer(&mut self, nombre: &str) -> Option<i64> {
        self.number(nombre).map(|n| n as i64)
    }

    /// One word of a closed list.
    pub fn word<T>(&mut self, nombre: &str, parse: fn(&str) -> Option<T>) -> Option<T> {
        self.text(nombre).map(|t| parse(&t).expect("the table holds the same words as the enum"))
    }

    /// The elements of a list; none when it was not sent.
    pub(crate) fn list<T: Element>(&mut self, nombre: &str) -> Vec<T> {
        match self.take(nombre) {
            Some(Datum::List(list)) => {
                let collected = list.into_any().downcast::<Collected<T>>();
                collected.expect("the body names the kind of this list").0
            }
            _ => Vec::new(),
        }
    }
}

/// A body without any known field counts as empty, and an empty body is a mistake (contract §2).
pub(crate) fn require_any(d: &Data, wrong: &mut Invalid) {
    if d.sent().is_empty() {
        wrong.note_down("", "cuerpo_vacio", "Envía al menos un campo.");
    }
}

/// The type that the elements of a list are read into.
pub(crate) trait Element: Sized + fmt::Debug + 'static {
    const FIELD_TABLE: &'static [Field];

    /// `None` if something is wrong; the mistakes are then noted under `base`.
    fn read(parsed: ParsedValues<'_>, base: &str, wrong: &mut Invalid) -> Option<Self>;
}

/// The list field `nombre`, whose elements are read into `T`.
pub(crate) const fn list_of<T: Element>(nombre: &'static str) -> ListKind {
    ListKind { nombre, fields: T::FIELD_TABLE, empty: || Box::new(Collected::<T>(Vec::new())) }
}

#[derive(Debug)]
struct Collected<T>(Vec<T>);

impl<T: Element> Elements for Collected<T> {
    fn read(&mut self, element: ParsedValues<'_>, base: &str, wrong: &mut Invalid) {
        self.0.extend(T::read(element, base, wrong));
    }

    fn count(&self) -> usize {
        self.0.len()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// The fields of an object if all of them are valid; otherwise the mistakes are noted under `base`.
pub(crate) fn all_right(parsed: ParsedValues<'_>, base: &str, wrong: &mut Invalid) -> Option<Data> {
    let before = wrong.errors.len();
    let data = review(parsed, base, wrong);
    // A full list of mistakes no longer grows, so its length cannot show whether this object is valid.
    (wrong.errors.len() == before && before < MAX_ERRORS).then_some(data)
}

/// Checks every field of one object and notes what is wrong under `base`.
fn review(parsed: ParsedValues<'_>, base: &str, wrong: &mut Invalid) -> Data {
    if parsed.has_null_char {
        wrong.note_down(base, "caracter_nulo", NULL_CHAR);
    }
    let mut data = Vec::with_capacity(parsed.fields.len());
    for (field, value) in parsed.fields.iter().zip(parsed.values) {
        data.push(match value {
            Some(value) => review_field(field, value, base, wrong),
            None => {
                if field.required {
                    wrong.note_down(format!("{base}/{}", field.nombre), "requerido", "Falta este campo.");
                }
                None
            }
        });
    }
    Data { fields: parsed.fields, data }
}

const NULL_CHAR: &str = "No se admite el carácter nulo (U+0000).";

fn review_field(field: &Field, value: Value<'_>, base: &str, wrong: &mut Invalid) -> Option<Datum> {
    if let Value::List(list, wrong_inside) = value {
        wrong.add(wrong_inside);
        return Some(Datum::List(list));
    }
    match convert(field.kind, value) {
        Ok(datum) => Some(datum),
        Err((code, mensaje)) => {
            wrong.note_down(format!("{base}/{}", field.nombre), code, mensaje);
            None
        }
    }
}

type Mistake = (&'static str, String);

fn convert(kind: Kind, value: Value<'_>) -> Result<Datum, Mistake> {
    match value {
        Value::Null => {
            return Err(("nulo", "No puede ser null: envía un valor u omite el campo.".to_owned()));
        }
        Value::WithNullChar => return Err(("caracter_nulo", NULL_CHAR.to_owned())),
        _ => {}
    }
    match (kind, value) {
        (Kind::Boolean, Value::Bool(b)) => Ok(Datum::Bool(b)),
        (Kind::Boolean, _) => mistake("tipo", "Debe ser true o false."),
        (Kind::Integer { min, max }, Value::Number(n)) => integer(n, min, max),
        (Kind::Integer { .. }, _) => mistake("tipo", "Debe ser un número entero."),
        (Kind::Positive, Value::Number(n)) if n > 0.0 => Ok(Datum::Number(n)),
        (Kind::Positive, Value::Number(_)) => mistake("rango", "Debe ser mayor que 0."),
        // Adding zero turns −0 into 0, which both engines store in the same way.
        (Kind::Orden, Value::Number(n)) if n.abs() <= MAX_ORDEN => Ok(Datum::Number(n + 0.0)),
        (Kind::Orden, Value::Number(_)) => mistake("rango", "Debe estar entre -1e308 y 1e308."),
        (Kind::Positive | Kind::Orden, _) => mistake("tipo", "Debe ser un número."),
        (Kind::FreeObject, Value::Free(t)) => Ok(Datum::Text(t.to_owned())),
        (Kind::FreeObject, _) => mistake("tipo", "Debe ser un objeto."),
        (Kind::TextMap, Value::Map(pairs)) => map(pairs),
        (Kind::TextMap, _) => mistake("tipo", "Debe ser un objeto cuyos valores son textos."),
        (Kind::Items | Kind::Consentimientos, _) => mistake("tipo", "Debe ser una lista."),
        (Kind::Image, Value::Photo(head, digest)) => {
            Ok(Datum::Image(Image::DataUri { prefix: head.to_owned(), content: Content::Aside(digest) }))
        }
        (kind, Value::Text(t)) => text(kind, t),
        _ => mistake("tipo", "Debe ser un texto."),
    }
}

fn text(kind: Kind, t: std::borrow::Cow<'_, str>) -> Result<Datum, Mistake> {
    match kind {
        Kind::NonEmptyText if t.is_empty() => mistake("vacio", "No puede estar vacío."),
        Kind::One(words) if !words.contains(&t.as_ref()) => {
            mistake("valor", &format!("Debe ser uno de estos valores: {}.", words.join(", ")))
        }
        Kind::DateTime => date::parse(&t).map(Datum::Date).ok_or_else(|| {
            ("formato", "Debe ser una fecha y hora RFC 3339 con zona: 2026-11-14T10:30:00Z.".to_owned())
        }),
        Kind::Image => Image::parse(&t).map(Datum::Image).ok_or_else(|| {
            (
                "formato",
                "Debe ser un data URI «data:image/…;base64,…» o una URL http(s) con servidor.".to_owned(),
            )
        }),
        Kind::Telefono => Telefono::parse(&t).map(Datum::Telefono).map_err(|m| ("formato", m.to_owned())),
        Kind::Email => Email::parse(&t).map(Datum::Email).map_err(|m| ("formato", m.to_owned())),
        Kind::CodigoPostal if CodigoPostal::parse(&t).is_none() => {
            mistake("formato", "Debe ser un código postal español de cinco cifras, por ejemplo 28013.")
        }
        Kind::Direccion if Direccion::parse(&t).is_none() => {
            mistake("rango", "Debe tener entre 1 y 250 caracteres.")
        }
        Kind::Id => ids::parse_uuid(&t)
            .map(Datum::Id)
            .ok_or_else(|| ("formato", "Debe ser un UUID con guiones.".to_owned())),
        _ => Ok(Datum::Text(t.into_owned())),
    }
}

fn integer(n: f64, min: i64, max: i64) -> Result<Datum, Mistake> {
    if n.fract() != 0.0 {
        return mistake("tipo", "Debe ser un número entero.");
    }
    if n < min as f64 || n > max as f64 {
        let range = match (min, max) {
            (min, MAX_INTEGER) => format!("Debe ser {min} o más (hasta 2^53 − 1)."),
            (min, max) => format!("Debe estar entre {min} y {max}."),
        };
        return mistake("rango", &range);
    }
    Ok(Datum::Number(n))
}

fn map(pairs: Vec<(String, Option<String>)>) -> Result<Datum, Mistake> {
    let texts: Option<Vec<(String, String)>> = pairs.into_iter().map(|(k, v)| v.map(|v| (k, v))).collect();
    texts.map(Datum::Map).ok_or_else(|| ("tipo", "Debe ser un objeto cuyos valores son textos.".to_owned()))
}

fn mistake(code: &'static str, mensaje: &str) -> Result<Datum, Mistake> {
    Err((code, mensaje.to_owned()))
}
