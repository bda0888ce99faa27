//! The names of the editor's fields, their typed values, and their errors.

use std::collections::HashMap;

use embudo_domain::decimal;
use embudo_domain::errors::Invalid;
use embudo_domain::presupuesto::Draft;

use crate::parts::{FormFields, clean};

/// The values of a posted form. If a name occurs twice, the last value counts, as for a checkbox with a hidden «no».
#[derive(Default)]
pub(super) struct Typed(HashMap<String, String>);

impl Typed {
    pub fn of(fields: FormFields) -> Self {
        Self(fields.0.into_iter().collect())
    }

    /// A text of several lines. `None` if the form has no such field.
    pub fn prose(&self, name: &str) -> Option<String> {
        self.0.get(name).map(|text| clean(text))
    }

    /// A text of one line. `None` if the form has no such field.
    pub fn line(&self, name: &str) -> Option<String> {
        self.prose(name).map(|text| text.replace('\n', " "))
    }

    /// The names of all fields, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// A text of one line. Empty if the form has no such field.
    pub fn word(&self, name: &str) -> String {
        self.line(name).unwrap_or_default()
    }
}

/// Errors by field. An error of the form itself has an empty name.
#[derive(Default)]
pub(super) struct Mistakes(Vec<(String, String)>);

impl Mistakes {
    pub fn add(&mut self, field: impl Into<String>, text: impl Into<String>) {
        self.0.push((field.into(), text.into()));
    }

    pub fn one(field: impl Into<String>, text: impl Into<String>) -> Self {
        let mut all = Self::default();
        all.add(field, text);
        all
    }

    pub fn of(&self, field: &str) -> Option<&str> {
        self.0.iter().find(|(of, _)| of == field).map(|(_, text)| text.as_str())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &(String, String)> {
        self.0.iter()
    }

    /// The errors that keep a draft from being sent, each with its field.
    pub fn of_draft(invalid: &Invalid, draft: &Draft) -> Self {
        let named = |error: &embudo_domain::errors::FieldError| {
            (field_of(&error.field, draft).unwrap_or_default(), error.mensaje.clone())
        };
        Self(invalid.errors.iter().map(named).collect())
    }
}

pub(super) fn of_line(id: &str, part: &str) -> String {
    format!("linea.{id}.{part}")
}

pub(super) fn of_room(id: u32, part: &str) -> String {
    format!("estancia.{id}.{part}")
}

pub(super) fn of_capitulo(room: u32, n: usize) -> String {
    format!("capitulo.{room}.{n}")
}

pub(super) fn of_adjustment(room: u32, n: usize) -> String {
    format!("ajuste.{room}.{n}")
}

pub(super) fn of_payment(n: usize, part: &str) -> String {
    format!("pago.{n}.{part}")
}

/// The name of a hidden field beside a field whose value is inherited from the company or the lead. It contains the
/// inherited value at the time when the page was shown. If the person left the field alone, both values agree, and the
/// field keeps following the company or the lead.
pub(super) fn usual_of(name: &str) -> String {
    format!("habitual.{name}")
}

/// The field that shows this place of a draft. `None` if no field shows it.
fn field_of(pointer: &str, draft: &Draft) -> Option<String> {
    let parts: Vec<&str> = pointer.split('/').skip(1).collect();
    let at = |n: usize| parts.get(n)?.parse::<usize>().ok();
    let whole = match *parts.first()? {
        "estancias" => {
            let room = draft.rooms.get(at(1)?)?;
            return Some(match *parts.get(2)? {
                "capitulos" => {
                    let n = at(3)?;
                    match *parts.get(4)? {
                        "lineas" => {
                            let line = room.capitulos.get(n)?.lines.get(at(5)?)?;
                            of_line(&line.id, parts.get(6)?)
                        }
                        _ => of_capitulo(room.id, n),
                    }
                }
                "ajustes" => of_adjustment(room.id, at(3)?),
                part => of_room(room.id, part),
            });
        }
        "terminos" => match *parts.get(1)? {
            "pagos" if parts.len() > 3 => of_payment(at(2)?, parts[3]),
            "pagos" => "pagos".to_owned(),
            part => format!("terminos.{part}"),
        },
        "descuento" if parts.get(1) == Some(&"motivo") => "descuento.motivo".to_owned(),
        "descuento" => "descuento.valor".to_owned(),
        "condiciones" => "condiciones".to_owned(),
        "obra" => format!("obra.{}", parts.get(1)?),
        "diasValidez" => "dias".to_owned(),
        _ => return None,
    };
    Some(whole)
}

/// Parses a number with at most two decimals, as people type it («1.234,56»). Returns it in hundredths.
pub(super) fn number(text: &str) -> Result<i64, String> {
    decimal::from_spanish(text, 2).ok_or_else(|| match text.is_empty() {
        true => "Escribe un número.".to_owned(),
        false => "No es un número con dos decimales como mucho: prueba con 12,5 o 1.234,56.".to_owned(),
    })
}

/// Formats such a number for the form, without superfluous zeros.
pub(super) fn format_number(value: i64) -> String {
    let text = decimal::in_spanish(value, 2);
    text.strip_suffix(",00").map_or(text.clone(), str::to_owned)
}

/// An area as the form shows it. Empty if it is unknown.
pub(super) fn area(m2: Option<f64>) -> String {
    #[allow(clippy::cast_possible_truncation, reason = "what does not fit is no area and saturates")]
    m2.map(|m2| format_number((m2 * 100.0).round() as i64)).unwrap_or_default()
}
