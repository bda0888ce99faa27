//! What is wrong with a body: every mistake with its JSON pointer, never the refused value itself.

/// How many mistakes one answer lists. A body can hold millions; a person cannot read them.
pub const MAX_ERRORES: usize = 1_000;

/// One mistake in a body.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ErrorCampo {
    /// JSON pointer to the place (`/items/0/zona`); empty for the body as a whole.
    pub campo: String,
    /// Stable machine word, one of [`CODIGOS`].
    pub codigo: &'static str,
    /// What to do about it, in Spanish.
    pub mensaje: String,
}

/// Every machine word that [`ErrorCampo::codigo`] may hold.
pub const CODIGOS: &[&str] = &[
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
pub struct Invalido {
    /// The mistakes, in the order in which they stand in the body's table.
    pub errores: Vec<ErrorCampo>,
}

impl Invalido {
    /// A body with a single mistake.
    pub fn uno(campo: impl Into<String>, codigo: &'static str, mensaje: impl Into<String>) -> Self {
        let mut todo = Self::default();
        todo.anotar(campo, codigo, mensaje);
        todo
    }

    /// Adds one mistake, up to [`MAX_ERRORES`].
    pub fn anotar(&mut self, campo: impl Into<String>, codigo: &'static str, mensaje: impl Into<String>) {
        debug_assert!(CODIGOS.contains(&codigo), "{codigo} is not a documented code");
        if self.errores.len() < MAX_ERRORES {
            self.errores.push(ErrorCampo { campo: campo.into(), codigo, mensaje: mensaje.into() });
        }
    }

    /// Adds the mistakes of a part.
    pub fn sumar(&mut self, otro: Invalido) {
        let hueco = MAX_ERRORES - self.errores.len();
        self.errores.extend(otro.errores.into_iter().take(hueco));
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.errores.is_empty()
    }
}

impl std::fmt::Display for Invalido {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (n, e) in self.errores.iter().enumerate() {
            let separador = if n == 0 { "" } else { "; " };
            write!(f, "{separador}{}: {}", e.campo, e.mensaje)?;
        }
        Ok(())
    }
}

impl std::error::Error for Invalido {}
