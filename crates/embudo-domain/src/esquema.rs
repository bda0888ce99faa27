//! The little language in which bodies are described: a field's name, kind and meaning.
//!
//! It only describes. `json` reads a body by such a table, `cuerpo` checks it, and the HTTP crate turns
//! the same table into OpenAPI.

/// The largest integer that survives in every JSON implementation, 2^53 − 1 (contract §1).
pub const MAX_ENTERO: i64 = 9_007_199_254_740_991;

/// One field of a body.
#[derive(Debug, Clone, Copy)]
pub struct Campo {
    /// The name on the wire.
    pub nombre: &'static str,
    /// Whether the body is refused without it.
    pub requerido: bool,
    /// What it may hold.
    pub tipo: Tipo,
    /// What it means, in Spanish, for the API's documentation.
    pub doc: &'static str,
    /// An example as JSON text, for the API's documentation.
    pub ejemplo: &'static str,
}

/// What a field may hold. An explicit `null` is never allowed.
#[derive(Debug, Clone, Copy)]
pub enum Tipo {
    /// Any string.
    Texto,
    /// A string of at least one character.
    TextoNoVacio,
    /// One of these words.
    Uno(&'static [&'static str]),
    /// `true` or `false`.
    Booleano,
    /// A whole number within bounds; `5`, `5.0` and `5e0` are the same.
    Entero {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// A number greater than zero.
    Positivo,
    /// A finite number that orders photos.
    Orden,
    /// An instant, RFC 3339 with a zone.
    FechaHora,
    /// Any JSON object, kept as the text that was sent.
    ObjetoLibre,
    /// A data URI or an http(s) URL.
    Imagen,
    /// A telephone number in any usual spelling.
    Telefono,
    /// An e-mail address.
    Email,
    /// A hyphenated UUID.
    Id,
    /// An object whose values are all strings.
    MapaDeTextos,
    /// The items of an ingestion.
    Items,
    /// Consents given with the lead.
    Consentimientos,
}

impl Campo {
    /// A field that must be there.
    pub const fn requerido(
        nombre: &'static str,
        tipo: Tipo,
        doc: &'static str,
        ejemplo: &'static str,
    ) -> Self {
        Self { nombre, requerido: true, tipo, doc, ejemplo }
    }

    /// A field that may be left out.
    pub const fn opcional(
        nombre: &'static str,
        tipo: Tipo,
        doc: &'static str,
        ejemplo: &'static str,
    ) -> Self {
        Self { nombre, requerido: false, tipo, doc, ejemplo }
    }
}
