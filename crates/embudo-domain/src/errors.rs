//! What is wrong with a body: every mistake with its JSON pointer, never the refused value itself.

/// How many mistakes one answer lists. A body can hold millions; a person cannot read them.
pub const MAX_ERRORS: usize = 1_000;

/// One mistake in a body.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FieldError {
    /// JSON pointer to the place (`/items/0/zona`); empty for the body as a whole.
    #[serde(rename = "campo")]
    pub field: String,
    /// Stable machine word, one of [`CODES`].
    #[serde(rename = "codigo")]
    pub code: &'static str,
    /// What to do about the mistake, in Spanish.
    pub mensaje: String,
}

/// Every machine word that [`FieldError::code`] may hold.
pub const CODES: &[&str] = &[
    "json",
    "requerido",
    "tipo",
    "nulo",
    "vacio",
    "valor",
    "rango",
    "formato",
    "caracter_nulo",
    "cuerpo_vacio",
    "clave_reutilizada",
];

/// A body that was refused, with all its mistakes (422).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Invalid {
    /// The mistakes, in the order of the body's field table.
    pub errors: Vec<FieldError>,
}

impl Invalid {
    /// A body with a single mistake.
    pub fn one(field: impl Into<String>, code: &'static str, mensaje: impl Into<String>) -> Self {
        let mut all = Self::default();
        all.note_down(field, code, mensaje);
        all
    }

    /// Adds one mistake, up to [`MAX_ERRORS`].
    pub fn note_down(&mut self, field: impl Into<String>, code: &'static str, mensaje: impl Into<String>) {
        debug_assert!(CODES.contains(&code), "{code} is not a documented code");
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(FieldError { field: field.into(), code, mensaje: mensaje.into() });
        }
    }

    /// Adds the mistakes of a part.
    pub fn add(&mut self, other: Invalid) {
        let gap = MAX_ERRORS - self.errors.len();
        self.errors.extend(other.errors.into_iter().take(gap));
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }
}

impl std::fmt::Display for Invalid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (n, e) in self.errors.iter().enumerate() {
            let separator = if n == 0 { "" } else { "; " };
            write!(f, "{separator}{}: {}", e.field, e.mensaje)?;
        }
        Ok(())
    }
}

impl std::error::Error for Invalid {}
