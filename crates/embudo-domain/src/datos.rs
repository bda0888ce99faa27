//! Reads the data files that people edit (price tables, taxes): TOML, with every mistake of the file and its line.
//!
//! A person who mends a file wants the whole list at once, in Spanish, with the place. This module knows TOML and
//! plain types only; what a field means is the business of whoever asks for it.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use jiff::civil::Date;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::decimal;

/// How many mistakes one list holds: a person cannot read more.
const MAX_ERRORES: usize = 500;
/// The longest text a field may hold.
const MAX_TEXTO: usize = 2_000;

/// One mistake in a data file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ErrorDatos {
    /// The line, from 1.
    pub linea: usize,
    /// The field (`partida[3].media.precio`); empty for the file as a whole.
    pub campo: String,
    /// What to do about it, in Spanish.
    pub mensaje: String,
}

/// A data file that was refused, with all its mistakes in the order of their lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DatosInvalidos {
    /// The mistakes.
    pub errores: Vec<ErrorDatos>,
}

impl std::fmt::Display for DatosInvalidos {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (n, e) in self.errores.iter().enumerate() {
            let salto = if n == 0 { "" } else { "\n" };
            let campo = if e.campo.is_empty() { String::new() } else { format!(", {}", e.campo) };
            write!(f, "{salto}línea {}{campo}: {}", e.linea, e.mensaje)?;
        }
        Ok(())
    }
}

impl std::error::Error for DatosInvalidos {}

/// Collects mistakes while a file is read.
pub(crate) struct Lector<'t> {
    texto: &'t str,
    errores: Vec<ErrorDatos>,
}

impl<'t> Lector<'t> {
    /// Parses a file; mistakes of syntax are noted and what could be understood is still read.
    pub fn abrir(texto: &'t str) -> (Self, Tabla<'t>) {
        let (tabla, errores) = DeTable::parse_recoverable(texto);
        let mut lector = Self { texto, errores: Vec::new() };
        for e in errores {
            let lugar = e.span().unwrap_or(0..0);
            let mensaje = match e.message() {
                m if m.contains("duplicate key") => "La clave está repetida.",
                _ => "No se entiende como TOML: revisa comillas, corchetes y el signo =.",
            };
            lector.anotar(lugar.start, "", mensaje);
        }
        let todo = tabla.span();
        (lector, Tabla::new(String::new(), todo, tabla.into_inner()))
    }

    /// Notes a mistake at a place of the text.
    pub fn anotar(&mut self, posicion: usize, campo: impl Into<String>, mensaje: impl Into<String>) {
        if self.errores.len() < MAX_ERRORES {
            let antes = &self.texto.as_bytes()[..posicion.min(self.texto.len())];
            let linea = 1 + antes.iter().filter(|b| **b == b'\n').count();
            self.errores.push(ErrorDatos { linea, campo: campo.into(), mensaje: mensaje.into() });
        }
    }

    /// The value if nothing was wrong, else every mistake.
    pub fn cerrar<T>(mut self, valor: Option<T>) -> Result<T, DatosInvalidos> {
        match valor {
            Some(valor) if self.errores.is_empty() => Ok(valor),
            _ => {
                self.errores.sort();
                self.errores.dedup();
                Err(DatosInvalidos { errores: self.errores })
            }
        }
    }
}

/// One table of a file. Each field is taken once; what nobody took is reported as unknown.
pub(crate) struct Tabla<'t> {
    ruta: String,
    lugar: Range<usize>,
    campos: BTreeMap<String, (usize, Spanned<DeValue<'t>>)>,
}

impl<'t> Tabla<'t> {
    fn new(ruta: String, lugar: Range<usize>, tabla: DeTable<'t>) -> Self {
        let campos = tabla
            .into_iter()
            .map(|(clave, valor)| (clave.get_ref().to_string(), (clave.span().start, valor)))
            .collect();
        Self { ruta, lugar, campos }
    }

    /// The full name of a field.
    pub fn ruta(&self, campo: &str) -> String {
        if self.ruta.is_empty() { campo.to_owned() } else { format!("{}.{campo}", self.ruta) }
    }

    /// Notes a mistake of one field, at the table's own place.
    pub fn mal(&self, l: &mut Lector<'_>, campo: &str, mensaje: impl Into<String>) {
        l.anotar(self.lugar.start, self.ruta(campo), mensaje);
    }

    /// Whether the field is there.
    pub fn tiene(&self, campo: &str) -> bool {
        self.campos.contains_key(campo)
    }

    /// The names of the fields not taken yet, with their places.
    pub fn restantes(&self) -> Vec<(String, usize)> {
        self.campos.iter().map(|(campo, (posicion, _))| (campo.clone(), *posicion)).collect()
    }

    /// Reports every field that nobody asked for.
    pub fn cerrar(self, l: &mut Lector<'_>) {
        for (campo, (posicion, _)) in &self.campos {
            l.anotar(*posicion, self.ruta(campo), "Campo desconocido: ¿está bien escrito?");
        }
    }

    fn tomar(&mut self, l: &mut Lector<'_>, campo: &str) -> Option<(usize, DeValue<'t>)> {
        match self.campos.remove(campo) {
            Some((_, valor)) => Some((valor.span().start, valor.into_inner())),
            None => {
                self.mal(l, campo, "Falta este campo.");
                None
            }
        }
    }

    fn exigir<T>(
        &mut self,
        l: &mut Lector<'_>,
        campo: &str,
        mensaje: &str,
        parse: impl FnOnce(&DeValue<'t>) -> Option<T>,
    ) -> Option<T> {
        let (posicion, valor) = self.tomar(l, campo)?;
        let leido = parse(&valor);
        if leido.is_none() {
            l.anotar(posicion, self.ruta(campo), mensaje);
        }
        leido
    }

    /// A text: not empty, of one line.
    pub fn texto(&mut self, l: &mut Lector<'_>, campo: &str) -> Option<String> {
        self.exigir(l, campo, TEXTO, |v| v.as_str().filter(|t| es_texto(t)).map(str::to_owned))
    }

    /// A text that a function must understand.
    pub fn interpretar<T>(
        &mut self,
        l: &mut Lector<'_>,
        campo: &str,
        mensaje: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        self.exigir(l, campo, mensaje, |v| parse(v.as_str()?))
    }

    /// One word of a closed list.
    pub fn palabra<T>(
        &mut self,
        l: &mut Lector<'_>,
        campo: &str,
        parse: impl FnOnce(&str) -> Option<T>,
        palabras: &[&str],
    ) -> Option<T> {
        self.interpretar(l, campo, &format!("Debe ser una de: {}.", palabras.join(", ")), parse)
    }

    /// A list of texts, each understood by a function.
    pub fn lista<T>(
        &mut self,
        l: &mut Lector<'_>,
        campo: &str,
        mensaje: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<Vec<T>> {
        let (posicion, valor) = self.tomar(l, campo)?;
        let Some(lista) = valor.as_array() else {
            l.anotar(posicion, self.ruta(campo), "Debe ser una lista: [\"…\", \"…\"].");
            return None;
        };
        let mut leidos = Vec::new();
        for (n, v) in lista.iter().enumerate() {
            match v.get_ref().as_str().and_then(&parse) {
                Some(t) => leidos.push(t),
                None => l.anotar(v.span().start, format!("{}[{n}]", self.ruta(campo)), mensaje),
            }
        }
        (leidos.len() == lista.len()).then_some(leidos)
    }

    /// A list of texts.
    pub fn textos(&mut self, l: &mut Lector<'_>, campo: &str) -> Option<Vec<String>> {
        self.lista(l, campo, TEXTO, |t| es_texto(t).then(|| t.to_owned()))
    }

    /// An exact decimal within limits, as an integer of `10^-decimales`.
    pub fn decimal(
        &mut self,
        l: &mut Lector<'_>,
        campo: &str,
        decimales: u32,
        limites: RangeInclusive<i64>,
    ) -> Option<i64> {
        let corto = |n| decimal::escribir_corto(n, decimales);
        let mensaje = format!(
            "Debe ser un número entre {} y {} con {decimales} decimales como máximo, con punto decimal.",
            corto(*limites.start()),
            corto(*limites.end())
        );
        let parse = |v: &DeValue<'_>| match v {
            DeValue::Integer(n) if n.radix() == 10 => decimal::parse(n.as_str(), decimales),
            DeValue::Float(n) => decimal::parse(n.as_str(), decimales),
            _ => None,
        };
        self.exigir(l, campo, &mensaje, |v| parse(v).filter(|n| limites.contains(n)))
    }

    /// A day.
    pub fn fecha(&mut self, l: &mut Lector<'_>, campo: &str) -> Option<Date> {
        self.exigir(l, campo, "Debe ser una fecha que exista, sin comillas: 2026-01-31.", |v| {
            let momento = v.as_datetime().filter(|m| m.time.is_none() && m.offset.is_none())?;
            let dia = momento.date?;
            Date::new(
                i16::try_from(dia.year).ok()?,
                i8::try_from(dia.month).ok()?,
                i8::try_from(dia.day).ok()?,
            )
            .ok()
        })
    }

    /// Yes or no.
    pub fn booleano(&mut self, l: &mut Lector<'_>, campo: &str) -> Option<bool> {
        self.exigir(l, campo, "Debe ser true o false.", DeValue::as_bool)
    }

    /// A table inside this one.
    pub fn tabla(&mut self, l: &mut Lector<'_>, campo: &str) -> Option<Tabla<'t>> {
        let (posicion, valor) = self.tomar(l, campo)?;
        match valor {
            DeValue::Table(t) => Some(Tabla::new(self.ruta(campo), posicion..posicion, t)),
            _ => {
                l.anotar(posicion, self.ruta(campo), "Debe ser una tabla de campos.");
                None
            }
        }
    }

    /// The tables of a list (`[[partida]]`), each with its own place.
    pub fn tablas(&mut self, l: &mut Lector<'_>, campo: &str) -> Vec<Tabla<'t>> {
        let Some((posicion, valor)) = self.tomar(l, campo) else { return Vec::new() };
        let DeValue::Array(lista) = valor else {
            l.anotar(posicion, self.ruta(campo), format!("Debe escribirse como [[{campo}]]."));
            return Vec::new();
        };
        let mut tablas = Vec::new();
        for (n, elemento) in lista.into_iter().enumerate() {
            let lugar = elemento.span();
            let ruta = format!("{}[{n}]", self.ruta(campo));
            match elemento.into_inner() {
                DeValue::Table(t) => tablas.push(Tabla::new(ruta, lugar, t)),
                _ => l.anotar(lugar.start, ruta, format!("Debe escribirse como [[{campo}]].")),
            }
        }
        tablas
    }
}

const TEXTO: &str = "Debe ser un texto entre comillas, de una línea, sin quedar vacío.";

fn es_texto(t: &str) -> bool {
    !t.trim().is_empty() && t.chars().count() <= MAX_TEXTO && !t.chars().any(char::is_control)
}

/// A key that files use to name things: lower-case letters, digits and hyphens.
pub(crate) fn es_clave(t: &str) -> bool {
    !t.is_empty()
        && t.len() <= 64
        && t.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// A text as TOML writes it. Texts hold no control characters, so two escapes are enough.
pub(crate) fn entre_comillas(t: &str) -> String {
    format!("\"{}\"", t.replace('\\', "\\\\").replace('"', "\\\""))
}
