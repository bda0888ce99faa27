//! Reads the data files that people edit (price tables, taxes): TOML, with every mistake of the file and its line.
//!
//! A person who fixes a file wants the whole list at once, in Spanish, with the place. This module knows TOML and
//! plain types only; the caller decides what a field means.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use jiff::civil::Date;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::decimal;

/// How many mistakes one list holds: a person cannot read more.
const MAX_ERRORS: usize = 500;
/// The longest text a field may hold.
const MAX_TEXT: usize = 2_000;

/// One mistake in a data file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DataError {
    /// The line, from 1.
    pub line: usize,
    /// The field (`partida[3].media.precio`); empty for the file as a whole.
    pub field: String,
    /// What to do about the mistake, in Spanish.
    pub mensaje: String,
}

/// A data file that was refused, with all its mistakes in the order of their lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InvalidData {
    pub errors: Vec<DataError>,
}

impl std::fmt::Display for InvalidData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (n, e) in self.errors.iter().enumerate() {
            let jump = if n == 0 { "" } else { "\n" };
            let field = if e.field.is_empty() { String::new() } else { format!(", {}", e.field) };
            write!(f, "{jump}línea {}{field}: {}", e.line, e.mensaje)?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidData {}

/// Collects mistakes while a file is read.
pub(crate) struct Reader<'t> {
    text: &'t str,
    errors: Vec<DataError>,
}

impl<'t> Reader<'t> {
    /// Parses a file; mistakes of syntax are noted and what could be understood is still read.
    pub fn open(text: &'t str) -> (Self, Table<'t>) {
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut reader = Self { text, errors: Vec::new() };
        for e in errors {
            let place = e.span().unwrap_or(0..0);
            let mensaje = match e.message() {
                m if m.contains("duplicate key") => "La clave está repetida.",
                _ => "No se entiende como TOML: revisa comillas, corchetes y el signo =.",
            };
            reader.note_down(place.start, "", mensaje);
        }
        let all = table.span();
        (reader, Table::new(String::new(), all, table.into_inner()))
    }

    /// Notes a mistake at a place of the text.
    pub fn note_down(&mut self, position: usize, field: impl Into<String>, mensaje: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            let before = &self.text.as_bytes()[..position.min(self.text.len())];
            let line = 1 + before.iter().filter(|b| **b == b'\n').count();
            self.errors.push(DataError { line, field: field.into(), mensaje: mensaje.into() });
        }
    }

    /// The value if nothing was wrong, else every mistake.
    pub fn close<T>(mut self, value: Option<T>) -> Result<T, InvalidData> {
        match value {
            Some(value) if self.errors.is_empty() => Ok(value),
            _ => {
                self.errors.sort();
                self.errors.dedup();
                Err(InvalidData { errors: self.errors })
            }
        }
    }
}

/// One table of a file. Each field is taken once; a field that is never taken is reported as unknown.
pub(crate) struct Table<'t> {
    path: String,
    place: Range<usize>,
    fields: BTreeMap<String, (usize, Spanned<DeValue<'t>>)>,
}

impl<'t> Table<'t> {
    fn new(path: String, place: Range<usize>, table: DeTable<'t>) -> Self {
        let fields = table
            .into_iter()
            .map(|(key, value)| (key.get_ref().to_string(), (key.span().start, value)))
            .collect();
        Self { path, place, fields }
    }

    /// The full name of a field.
    pub fn path(&self, field: &str) -> String {
        if self.path.is_empty() { field.to_owned() } else { format!("{}.{field}", self.path) }
    }

    /// Notes a mistake of one field, at the table's own place.
    pub fn wrong(&self, l: &mut Reader<'_>, field: &str, mensaje: impl Into<String>) {
        l.note_down(self.place.start, self.path(field), mensaje);
    }

    /// Whether the field is there.
    pub fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// The names of the fields not taken yet, with their places.
    pub fn remaining(&self) -> Vec<(String, usize)> {
        self.fields.iter().map(|(field, (position, _))| (field.clone(), *position)).collect()
    }

    /// Reports every field that was not taken.
    pub fn close(self, l: &mut Reader<'_>) {
        for (field, (position, _)) in &self.fields {
            l.note_down(*position, self.path(field), "Campo desconocido: ¿está bien escrito?");
        }
    }

    fn take(&mut self, l: &mut Reader<'_>, field: &str) -> Option<(usize, DeValue<'t>)> {
        match self.fields.remove(field) {
            Some((_, value)) => Some((value.span().start, value.into_inner())),
            None => {
                self.wrong(l, field, "Falta este campo.");
                None
            }
        }
    }

    fn require<T>(
        &mut self,
        l: &mut Reader<'_>,
        field: &str,
        mensaje: &str,
        parse: impl FnOnce(&DeValue<'t>) -> Option<T>,
    ) -> Option<T> {
        let (position, value) = self.take(l, field)?;
        let read = parse(&value);
        if read.is_none() {
            l.note_down(position, self.path(field), mensaje);
        }
        read
    }

    /// A text: not empty, of one line.
    pub fn text(&mut self, l: &mut Reader<'_>, field: &str) -> Option<String> {
        self.require(l, field, TEXT, |v| v.as_str().filter(|t| is_text(t)).map(str::to_owned))
    }

    /// A text that a function must understand.
    pub fn interpret<T>(
        &mut self,
        l: &mut Reader<'_>,
        field: &str,
        mensaje: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        self.require(l, field, mensaje, |v| parse(v.as_str()?))
    }

    /// One word of a closed list.
    pub fn word<T>(
        &mut self,
        l: &mut Reader<'_>,
        field: &str,
        parse: impl FnOnce(&str) -> Option<T>,
        words: &[&str],
    ) -> Option<T> {
        self.interpret(l, field, &format!("Debe ser una de: {}.", words.join(", ")), parse)
    }

    /// A list of texts, each understood by a function.
    pub fn list<T>(
        &mut self,
        l: &mut Reader<'_>,
        field: &str,
        mensaje: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<Vec<T>> {
        let (position, value) = self.take(l, field)?;
        let Some(list) = value.as_array() else {
            l.note_down(position, self.path(field), "Debe ser una lista: [\"…\", \"…\"].");
            return None;
        };
        let mut parsed = Vec::new();
        for (n, v) in list.iter().enumerate() {
            match v.get_ref().as_str().and_then(&parse) {
                Some(t) => parsed.push(t),
                None => l.note_down(v.span().start, format!("{}[{n}]", self.path(field)), mensaje),
            }
        }
        (parsed.len() == list.len()).then_some(parsed)
    }

    pub fn texts(&mut self, l: &mut Reader<'_>, field: &str) -> Option<Vec<String>> {
        self.list(l, field, TEXT, |t| is_text(t).then(|| t.to_owned()))
    }

    /// An exact decimal within limits, counted in units of `10^-decimals`.
    pub fn decimal(
        &mut self,
        l: &mut Reader<'_>,
        field: &str,
        decimals: u32,
        limits: RangeInclusive<i64>,
    ) -> Option<i64> {
        let short = |n| decimal::write_short(n, decimals);
        let mensaje = format!(
            "Debe ser un número entre {} y {} con {decimals} decimales como máximo, con punto decimal.",
            short(*limits.start()),
            short(*limits.end())
        );
        let parse = |v: &DeValue<'_>| match v {
            DeValue::Integer(n) if n.radix() == 10 => decimal::parse(n.as_str(), decimals),
            DeValue::Float(n) => decimal::parse(n.as_str(), decimals),
            _ => None,
        };
        self.require(l, field, &mensaje, |v| parse(v).filter(|n| limits.contains(n)))
    }

    pub fn date(&mut self, l: &mut Reader<'_>, field: &str) -> Option<Date> {
        self.require(l, field, "Debe ser una fecha que exista, sin comillas: 2026-01-31.", |v| {
            let momento = v.as_datetime().filter(|m| m.time.is_none() && m.offset.is_none())?;
            let day = momento.date?;
            Date::new(
                i16::try_from(day.year).ok()?,
                i8::try_from(day.month).ok()?,
                i8::try_from(day.day).ok()?,
            )
            .ok()
        })
    }

    /// Yes or no.
    pub fn boolean(&mut self, l: &mut Reader<'_>, field: &str) -> Option<bool> {
        self.require(l, field, "Debe ser true o false.", DeValue::as_bool)
    }

    /// A table inside this one.
    pub fn table(&mut self, l: &mut Reader<'_>, field: &str) -> Option<Table<'t>> {
        let (position, value) = self.take(l, field)?;
        match value {
            DeValue::Table(t) => Some(Table::new(self.path(field), position..position, t)),
            _ => {
                l.note_down(position, self.path(field), "Debe ser una tabla de campos.");
                None
            }
        }
    }

    /// The tables of a list (`[[partida]]`), each with its own place.
    pub fn tables(&mut self, l: &mut Reader<'_>, field: &str) -> Vec<Table<'t>> {
        let Some((position, value)) = self.take(l, field) else { return Vec::new() };
        let DeValue::Array(list) = value else {
            l.note_down(position, self.path(field), format!("Debe escribirse como [[{field}]]."));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for (n, element) in list.into_iter().enumerate() {
            let place = element.span();
            let path = format!("{}[{n}]", self.path(field));
            match element.into_inner() {
                DeValue::Table(t) => tables.push(Table::new(path, place, t)),
                _ => l.note_down(place.start, path, format!("Debe escribirse como [[{field}]].")),
            }
        }
        tables
    }
}

const TEXT: &str = "Debe ser un texto entre comillas, de una línea, sin quedar vacío.";

pub(crate) fn is_text(t: &str) -> bool {
    !t.trim().is_empty() && t.chars().count() <= MAX_TEXT && !t.chars().any(char::is_control)
}

/// A key that files use to name things: lower-case letters, digits and hyphens.
pub(crate) fn is_key(t: &str) -> bool {
    !t.is_empty()
        && t.len() <= 64
        && t.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// A text as TOML writes it. Texts hold no control characters, so two escapes are enough.
pub(crate) fn in_quotes(t: &str) -> String {
    format!("\"{}\"", t.replace('\\', "\\\\").replace('"', "\\\""))
}
