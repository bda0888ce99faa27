//! How a value's type appears in the document, and types for values that plain Rust types do not describe.

use std::fmt::Display;

use embudo_domain::Kind;
use embudo_domain::money::Cents;
use embudo_domain::number::PlainNumber;
use jiff::civil::Date;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::schema::{id, instant, integer, list, of_kind, or_null};

/// A type whose values appear in answers.
pub(crate) trait Shape: Serialize {
    const IS_NULLABLE: bool = false;

    fn schema() -> Value;
}

impl<T: Shape + ?Sized> Shape for &T {
    const IS_NULLABLE: bool = T::IS_NULLABLE;

    fn schema() -> Value {
        T::schema()
    }
}

impl<T: Shape> Shape for Option<T> {
    const IS_NULLABLE: bool = true;

    fn schema() -> Value {
        or_null(T::schema())
    }
}

impl<T: Shape> Shape for Vec<T> {
    fn schema() -> Value {
        list(&T::schema())
    }
}

macro_rules! shapes {
    ($($type:ty => $schema:expr;)+) => {$(
        impl Shape for $type {
            fn schema() -> Value {
                $schema
            }
        }
    )+};
}

shapes! {
    bool => of_kind(Kind::Boolean);
    str => of_kind(Kind::Text);
    String => of_kind(Kind::Text);
    std::borrow::Cow<'_, str> => of_kind(Kind::Text);
    u32 => integer(0);
    usize => integer(0);
    i64 => json!({ "type": "integer" });
    Cents => json!({ "type": "integer" });
    PlainNumber => json!({ "type": "number" });
    RawValue => of_kind(Kind::FreeObject);
    embudo_domain::presupuesto::PresupuestoNumber => of_kind(Kind::Text);
}

macro_rules! ids {
    ($($type:ident),+) => {$(
        shapes! { embudo_domain::$type => id(); }
    )+};
}

ids!(LeadId, EmpresaId, FotoId, NotaId, TurnoId, IntentoId);

macro_rules! words {
    ($($type:ty),+ $(,)?) => {$(
        shapes! { $type => of_kind(Kind::One(<$type>::WORDS)); }
    )+};
}

words!(
    embudo_domain::Zona,
    embudo_domain::etapa::Etapa,
    embudo_domain::next_action::ActionKind,
    embudo_domain::tarifa::Unidad,
    embudo_domain::visita::VisitaState,
    embudo_domain::watched_loop::LoopStep,
    embudo_domain::calificacion::Nivel,
    embudo_domain::conversacion::Rol,
    embudo_domain::event::EventKind,
    embudo_domain::ingesta::Momento,
    embudo_domain::intento::Channel,
    embudo_domain::intento::IntentoResult,
    embudo_domain::presupuesto::DeliveryChannel,
    embudo_domain::presupuesto::DeliveryState,
    embudo_domain::presupuesto::PresupuestoState,
);

/// Types that are written as the text of the value inside them.
macro_rules! written {
    ($($(#[$doc:meta])* $name:ident $(<$life:lifetime>)? ($inner:ty) => $schema:expr;)+) => {$(
        $(#[$doc])*
        pub(crate) struct $name $(<$life>)? (pub $inner);

        impl $(<$life>)? Serialize for $name $(<$life>)? {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(&self.0)
            }
        }

        impl $(<$life>)? Shape for $name $(<$life>)? {
            fn schema() -> Value {
                $schema
            }
        }
    )+};
}

written! {
    Instant(jiff::Timestamp) => instant();
    Day(Date) => json!({ "type": "string", "format": "date" });
    /// An address, absolute or on this server.
    Href(String) => json!({ "type": "string", "format": "uri-reference" });
    NonEmpty<'a>(&'a str) => of_kind(Kind::NonEmptyText);
    /// The id of something whose kind does not matter.
    AnyId<'a>(&'a dyn Display) => id();
}

/// `true`: a call that failed is answered with a problem document instead.
pub(crate) struct True;

impl Serialize for True {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_bool(true)
    }
}

/// Pairs as an object of texts.
pub(crate) struct TextMap<'a>(pub &'a [(String, String)]);

impl Serialize for TextMap<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.0.iter().map(|(name, text)| (name, text)))
    }
}

shapes! {
    True => json!({ "type": "boolean", "const": true });
    TextMap<'_> => of_kind(Kind::TextMap);
}
