//! Macros for shapes that repeat: closed lists of words, lists of fields, and typed ids.

/// A closed list of words as on the wire: the enum, its words, and the conversions between both.
macro_rules! enumeration {
    ($(#[$doc:meta])* $nombre:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $nombre { $($(#[$vdoc])* #[doc = concat!("`", $word, "` on the wire.")] $variant),+ }

        impl $nombre {
            /// The words, in the order of the specification.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word as on the wire and in the database.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Parses a word; words are exact, also in case.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $nombre {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $nombre {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $nombre {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let word = std::borrow::Cow::<'de, str>::deserialize(d)?;
                Self::parse(&word).ok_or_else(|| serde::de::Error::custom(concat!("not a ", stringify!($nombre))))
            }
        }
    };
}

/// The label that people read for each value of an enumeration. Every page uses the same label.
macro_rules! labels {
    ($nombre:ident { $($variant:ident => $label:literal),+ $(,)? }) => {
        impl $nombre {
            /// Every word with its label.
            pub const LABELS: &'static [(&'static str, &'static str)] = &[$((Self::$variant.as_str(), $label)),+];

            /// The label that people read.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label),+ }
            }
        }
    };
}

/// One list of fields that a lead may have: column and type, name on the wire, meaning, example as JSON. The struct,
/// the body's field table, the columns of the databases, their binding and reading, the record of the API and its
/// documentation all come from this list.
macro_rules! field_list {
    ($(#[$sdoc:meta])* $Name:ident { $($(#[$fdoc:meta])* $name:ident: $type:ty, $wire:literal, $doc:literal, $example:literal;)+ }) => {
        $(#[$sdoc])*
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct $Name {
            $($(#[$fdoc])* pub $name: Option<$type>,)+
        }

        const FIELDS: usize = [$($wire),+].len();

        pub(crate) const FIELD_TABLE: [$crate::schema::Field; FIELDS] = [$($crate::schema::Field::optional(
            $wire,
            <$type as $crate::columns::Stored>::KIND,
            $doc,
            $example,
        )),+];

        impl $Name {
            /// Its columns, in the order of [`Self::cells`].
            pub const COLUMNS: &'static [$crate::columns::Column; FIELDS] = &[$($crate::columns::Column {
                name: stringify!($name),
                kind: <$type as $crate::columns::Stored>::KIND,
                holds: <$type as $crate::columns::Stored>::HOLDS,
            }),+];

            /// Its fields, in their order.
            pub fn fields() -> &'static [$crate::schema::Field] {
                &FIELD_TABLE
            }

            pub fn cells(&self) -> [Option<$crate::columns::Cell<'_>>; FIELDS] {
                [$(self.$name.as_ref().map($crate::columns::Stored::cell)),+]
            }

            /// Reads the fields back, column by column in their order. `damaged` makes the error for a cell that the
            /// program cannot have written.
            pub fn from_cells<'r, E>(
                mut read: impl FnMut(&'static $crate::columns::Column) -> Result<Option<$crate::columns::Cell<'r>>, E>,
                damaged: impl Fn(&'static $crate::columns::Column) -> E,
            ) -> Result<Self, E> {
                let [$($name),+] = Self::COLUMNS;
                Ok(Self { $($name: $crate::columns::field($name, &mut read, &damaged)?,)+ })
            }

            /// Overwrites its fields with the fields that `over` knows.
            pub fn overlay(&mut self, over: &Self) {
                $(if over.$name.is_some() { self.$name.clone_from(&over.$name); })+
            }

            /// The field of this name on the wire, if there is one and it is known.
            pub fn cell(&self, wire: &str) -> Option<$crate::columns::Cell<'_>> {
                match wire {
                    $($wire => self.$name.as_ref().map($crate::columns::Stored::cell),)+
                    _ => None,
                }
            }

            /// Copies one field from `from`, known or not.
            pub fn take_over(&mut self, wire: &str, from: &Self) {
                match wire {
                    $($wire => self.$name.clone_from(&from.$name),)+
                    _ => {}
                }
            }

            pub(crate) fn assemble(d: &mut $crate::body::Data) -> Self {
                Self { $($name: $crate::columns::Stored::take(d, $wire),)+ }
            }

            /// Writes every field under its name on the wire, and `null` where the field is not known.
            pub fn write<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $crate::columns::write(&FIELD_TABLE, &self.cells(), map)
            }
        }
    };
}

/// A UUID with the type of what it identifies.
macro_rules! identity {
    ($($(#[$doc:meta])* $nombre:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $nombre(pub uuid::Uuid);

        impl $nombre {
            /// Reads the hyphenated form, in any case.
            pub fn parse(text: &str) -> Option<Self> {
                $crate::ids::parse_uuid(text).map(Self)
            }
        }

        impl std::fmt::Display for $nombre {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl serde::Serialize for $nombre {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(self.0.hyphenated().encode_lower(&mut uuid::Uuid::encode_buffer()))
            }
        }

        impl<'de> serde::Deserialize<'de> for $nombre {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
                Self::parse(&text).ok_or_else(|| serde::de::Error::custom(concat!("not a ", stringify!($nombre))))
            }
        }
    )+};
}
