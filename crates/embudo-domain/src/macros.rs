//! The two shapes that repeat: closed lists of words, and typed ids.

/// A closed list of words as on the wire: the enum, its words, and the way in and out.
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

            /// The value that a word stands for; words are exact, also in case.
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

/// A UUID that knows what it identifies.
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
