//! What the type of a value says of it in the document, and types for what plain ones do not say.

use std::fmt::Display;

use embudo_domain::Tipo;
use embudo_domain::dinero::Cents;
use embudo_domain::number::PlainNumber;
use jiff::civil::Date;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::schema::{de_tipo, entero, id, instante, lista, o_nulo};

/// A type whose values stand in answers.
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
        o_nulo(T::schema())
    }
}

impl<T: Shape> Shape for Vec<T> {
    fn schema() -> Value {
        lista(&T::schema())
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
    bool => de_tipo(Tipo::Booleano);
    str => de_tipo(Tipo::Texto);
    String => de_tipo(Tipo::Texto);
    std::borrow::Cow<'_, str> => de_tipo(Tipo::Texto);
    u32 => entero(0);
    usize => entero(0);
    i64 => json!({ "type": "integer" });
    Cents => json!({ "type": "integer" });
    PlainNumber => json!({ "type": "number" });
    RawValue => de_tipo(Tipo::ObjetoLibre);
    embudo_domain::presupuesto::NumeroPresupuesto => de_tipo(Tipo::Texto);
}

macro_rules! ids {
    ($($type:ident),+) => {$(
        shapes! { embudo_domain::$type => id(); }
    )+};
}

ids!(LeadId, EmpresaId, FotoId, NotaId, TurnoId, IntentoId);

macro_rules! words {
    ($($type:ty),+ $(,)?) => {$(
        shapes! { $type => de_tipo(Tipo::Uno(<$type>::PALABRAS)); }
    )+};
}

words!(
    embudo_domain::Zona,
    embudo_domain::bucle::PasoBucle,
    embudo_domain::calificacion::Nivel,
    embudo_domain::conversacion::Rol,
    embudo_domain::evento::TipoEvento,
    embudo_domain::ingesta::Momento,
    embudo_domain::intento::Canal,
    embudo_domain::intento::Resultado,
    embudo_domain::presupuesto::CanalEntrega,
    embudo_domain::presupuesto::EstadoEntrega,
    embudo_domain::presupuesto::EstadoPresupuesto,
);

/// Types that are written as the text of what they hold.
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
    Instant(jiff::Timestamp) => instante();
    Day(Date) => json!({ "type": "string", "format": "date" });
    /// An address, absolute or on this server.
    Href(String) => json!({ "type": "string", "format": "uri-reference" });
    NonEmpty<'a>(&'a str) => de_tipo(Tipo::TextoNoVacio);
    /// The id of something whose kind does not matter.
    AnyId<'a>(&'a dyn Display) => id();
}

/// `true`: had it gone otherwise, there would be a problem document instead.
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
    TextMap<'_> => de_tipo(Tipo::MapaDeTextos);
}
