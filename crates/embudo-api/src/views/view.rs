//! A view: one list of fields, each with its name on the wire, the value that is written and, if the value's type is
//! not enough, its description in the document.

use serde::ser::SerializeMap;
use serde_json::Value;

use super::shape::Shape;
use crate::schema::{closed, with};

/// Fields that belong to one view or to several.
pub(crate) trait Fields {
    /// Their schemas.
    fn properties() -> Vec<(&'static str, Value)>;

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
}

/// Fields that have a name among the schemas.
pub(crate) trait View: Fields {
    const NAME: &'static str;
    const MEANING: &'static str;

    fn named() -> (String, Value) {
        (Self::NAME.to_owned(), with(closed(Self::properties()), Self::MEANING))
    }
}

/// The schema that follows from a value's type.
pub(crate) struct Described {
    pub schema: Value,
    pub is_nullable: bool,
}

/// Describes the type that `value` returns; `value` is not called.
pub(crate) fn described<'a, V: 'a, T: Shape>(_value: impl FnOnce(&'a V) -> T) -> Described {
    Described { schema: T::schema(), is_nullable: T::IS_NULLABLE }
}

/// The schemas of the fields that `part` returns; `part` is not called.
pub(crate) fn properties_of<'a, V: 'a, T: Fields>(
    _part: impl FnOnce(&'a V) -> T,
) -> Vec<(&'static str, Value)> {
    T::properties()
}

/// A group of fields: `"name": value`, preceded or followed by `..others`.
///
/// Parentheses after a name contain what the value's type cannot express: a description as text, `of TABLE` for a field
/// whose schema is that of the same field in a table of request fields, or `as SCHEMA` for a schema of its own.
macro_rules! fields {
    // All fields come from another group.
    ($name:ident $(<$life:lifetime>)? { $($part:ident: $type:ty),* $(,)? } |$view:ident| { ..$all:expr }) => {
        pub(crate) struct $name $(<$life>)? {
            $(pub(crate) $part: $type,)*
        }

        impl $(<$life>)? $crate::views::view::Fields for $name $(<$life>)? {
            fn properties() -> Vec<(&'static str, serde_json::Value)> {
                $crate::views::view::properties_of::<Self, _>(|$view| $all)
            }

            fn write<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                let $view = self;
                $crate::views::view::Fields::write(&$all, map)
            }
        }
    };
    (
        $name:ident $(<$life:lifetime>)? { $($part:ident: $type:ty),* $(,)? } |$view:ident| {
            $(..$head:expr;)?
            $($wire:literal $(($($spec:tt)+))?: $value:expr,)+
            $(..$tail:expr)?
        }
    ) => {
        pub(crate) struct $name $(<$life>)? {
            $(pub(crate) $part: $type,)*
        }

        impl $(<$life>)? $crate::views::view::Fields for $name $(<$life>)? {
            #[allow(unused_variables)]
            fn properties() -> Vec<(&'static str, serde_json::Value)> {
                [
                    $($crate::views::view::properties_of::<Self, _>(|$view| $head),)?
                    vec![$((
                        $wire,
                        property!($wire, $crate::views::view::described::<Self, _>(|$view| $value) $(, $($spec)+)?),
                    )),+],
                    $($crate::views::view::properties_of::<Self, _>(|$view| $tail),)?
                ]
                .concat()
            }

            fn write<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                #[allow(unused_variables)]
                let $view = self;
                $($crate::views::view::Fields::write(&$head, map)?;)?
                $(map.serialize_entry($wire, &$value)?;)+
                $($crate::views::view::Fields::write(&$tail, map)?;)?
                Ok(())
            }
        }
    };
}

/// A group of fields that is an answer or a part of one, with its name and meaning in the document.
macro_rules! view {
    ($name:ident $(<$life:lifetime>)? { $($parts:tt)* } = $schema:literal, $meaning:literal, |$view:ident| $fields:tt) => {
        fields! { $name $(<$life>)? { $($parts)* } |$view| $fields }

        impl $(<$life>)? $crate::views::view::View for $name $(<$life>)? {
            const NAME: &'static str = $schema;
            const MEANING: &'static str = $meaning;
        }

        impl $(<$life>)? $crate::views::shape::Shape for $name $(<$life>)? {
            fn schema() -> serde_json::Value {
                $crate::schema::reference($schema)
            }
        }

        impl $(<$life>)? serde::Serialize for $name $(<$life>)? {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                let mut map = s.serialize_map(None)?;
                $crate::views::view::Fields::write(self, &mut map)?;
                serde::ser::SerializeMap::end(map)
            }
        }
    };
}

macro_rules! property {
    ($wire:literal, $described:expr) => {
        $described.schema
    };
    ($wire:literal, $described:expr, of $table:expr) => {
        $crate::schema::read_back($table, $wire, $described.is_nullable)
    };
    ($wire:literal, $described:expr, as $schema:expr) => {{
        let _ = $described;
        $schema
    }};
    ($wire:literal, $described:expr, $meaning:literal) => {
        $crate::schema::with($described.schema, $meaning)
    };
}
