//! The description of request bodies: the name, the kind and the meaning of each field.
//!
//! This module only describes. `json` reads a body by such a table, `body` checks it, and the HTTP crate converts the
//! same table into OpenAPI.

/// The largest integer that every JSON implementation represents exactly, 2^53 − 1 (contract §1).
pub const MAX_INTEGER: i64 = 9_007_199_254_740_991;

/// One field of a body.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The name on the wire.
    pub nombre: &'static str,
    /// Whether the body is refused without it.
    pub required: bool,
    /// What it may hold.
    pub kind: Kind,
    /// What it means, in Spanish, for the API's documentation.
    pub doc: &'static str,
    /// An example as JSON text, for the API's documentation.
    pub example: &'static str,
}

/// What a field may hold. An explicit `null` is never allowed.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Text,
    /// A string of at least one character.
    NonEmptyText,
    One(&'static [&'static str]),
    /// `true` or `false`.
    Boolean,
    /// A whole number within bounds; `5`, `5.0` and `5e0` are the same.
    Integer {
        min: i64,
        max: i64,
    },
    /// A number greater than zero.
    Positive,
    /// A finite number that sorts photos.
    Orden,
    /// An instant, RFC 3339 with a zone.
    DateTime,
    /// Any JSON object, kept as the text that was sent.
    FreeObject,
    /// A data URI or an http(s) URL.
    Image,
    /// A telephone number in any usual spelling.
    Telefono,
    /// An e-mail address.
    Email,
    /// A Spanish postal code.
    CodigoPostal,
    /// A street address.
    Direccion,
    Id,
    /// An object whose values are all strings.
    TextMap,
    /// The items of an ingestion.
    Items,
    /// Consents given with the lead.
    Consentimientos,
}

impl Field {
    /// A field that must be there.
    pub const fn required(
        nombre: &'static str,
        kind: Kind,
        doc: &'static str,
        example: &'static str,
    ) -> Self {
        Self { nombre, required: true, kind, doc, example }
    }

    /// A field that may be left out.
    pub const fn optional(
        nombre: &'static str,
        kind: Kind,
        doc: &'static str,
        example: &'static str,
    ) -> Self {
        Self { nombre, required: false, kind, doc, example }
    }
}
