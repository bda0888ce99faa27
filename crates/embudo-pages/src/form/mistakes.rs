//! Why a step cannot be left yet: missing values, wrong values, and values odd enough to ask about.
//!
//! The form asks about an odd value once. If the same value is sent again, it is accepted ([`Errors::doubt`]). Hidden
//! fields of the page carry the questions already asked, so this works without JavaScript and stores nothing on the
//! server.

use std::borrow::Cow;

use axum::http::StatusCode;

use crate::parts::{FormFields, Mistake, draws_inputs};

/// The hidden field that lists the odd values that the form has already asked about.
const SECURE: &str = "seguro";

/// How serious the error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Missing,
    Wrong,
    Doubt,
}

/// One value that the person should check.
#[derive(Debug, Clone)]
pub(crate) struct FieldError {
    /// The field, named by the id of its box.
    pub field: Cow<'static, str>,
    /// What the person should do.
    pub mensaje: String,
    /// The value that the person probably meant.
    pub hint: Option<String>,
    class: Class,
}

impl FieldError {
    /// Whether the person may leave the value as it is.
    pub fn is_doubt(&self) -> bool {
        self.class == Class::Doubt
    }
}

/// All values to check, in the order of the form.
#[derive(Debug, Clone, Default)]
pub(crate) struct Errors {
    pub list: Vec<FieldError>,
    /// The questions already asked, for the hidden fields of the page.
    pub asked: Vec<String>,
}

draws_inputs!(Errors);

impl Errors {
    /// Adds the error of a field that was left empty.
    pub fn missing(&mut self, field: impl Into<Cow<'static, str>>, mensaje: impl Into<String>) {
        self.put(field.into(), mensaje.into(), None, Class::Missing);
    }

    /// Adds the error of a field whose value cannot be accepted.
    pub fn note_down(&mut self, field: impl Into<Cow<'static, str>>, mensaje: impl Into<String>) {
        self.put(field.into(), mensaje.into(), None, Class::Wrong);
    }

    /// Adds the question about a value that is probably a typing mistake, unless these fields confirm the value
    /// already.
    pub fn doubt(&mut self, fields: &FormFields, field: &'static str, value: &str, doubt: Doubt) {
        let question = format!("{field}={value}");
        if !fields.0.iter().any(|(n, v)| n == SECURE && *v == question) {
            self.put(field.into(), doubt.mensaje, doubt.hint, Class::Doubt);
        }
        self.asked.push(question);
    }

    fn put(&mut self, field: Cow<'static, str>, mensaje: String, hint: Option<String>, class: Class) {
        self.list.push(FieldError { field, mensaje, hint, class });
    }

    pub fn has(&self) -> bool {
        !self.list.is_empty()
    }

    fn all(&self, class: Class) -> bool {
        self.list.iter().all(|e| e.class == class)
    }

    /// Whether every entry is a question and none is an error.
    pub fn only_doubts(&self) -> bool {
        self.all(Class::Doubt)
    }

    /// The text above the list of values to check.
    pub fn summary(&self) -> String {
        let how_many = match self.list.len() {
            1 => "una cosa".to_owned(),
            n => format!("{n} cosas"),
        };
        match (self.all(Class::Missing), self.only_doubts()) {
            (true, _) if self.list.len() == 1 => format!("Falta {how_many}:"),
            (true, _) => format!("Faltan {how_many}:"),
            (_, true) => format!("Comprueba {how_many} antes de seguir:"),
            _ => format!("Revisa {how_many}:"),
        }
    }

    /// The error of a field.
    pub fn of(&self, field: &str) -> Option<&FieldError> {
        self.list.iter().find(|e| e.field == field)
    }

    pub fn mistake(&self, field: &str) -> Option<Mistake> {
        let error = self.of(field)?;
        Some(Mistake {
            text: error.mensaje.clone(),
            is_doubt: error.is_doubt(),
            suggestion: error.hint.clone(),
            has_focus: self.is_first(field),
        })
    }

    /// Whether this field is the first with an error. The first field gets the focus.
    pub fn is_first(&self, field: &str) -> bool {
        self.list.first().is_some_and(|e| e.field == field)
    }

    /// 422 if there are values to check, otherwise 200.
    pub fn status(&self) -> StatusCode {
        if self.has() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK }
    }

    /// The page's title, which a screen reader says first.
    pub fn title(&self, title: &str) -> String {
        match (self.has(), self.only_doubts()) {
            (false, _) => title.to_owned(),
            (_, true) => format!("Comprueba: {title}"),
            _ => format!("Error: {title}"),
        }
    }
}

/// The question about an odd value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// The question, and how to confirm the value.
    pub mensaje: String,
    /// The value that the person probably meant.
    pub hint: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::read_fields;

    #[test]
    fn missing_wrong_and_odd_are_told_apart() {
        let mut errors = Errors::default();
        errors.missing("nombre", "Dinos cómo te llamas.");
        assert_eq!(errors.summary(), "Falta una cosa:");
        errors.missing("email", "Dinos un correo.");
        assert_eq!(errors.summary(), "Faltan 2 cosas:");
        errors.note_down("telefono", "Faltan cifras.");
        assert_eq!(errors.summary(), "Revisa 3 cosas:");
        assert_eq!(errors.title("Tú"), "Error: Tú");
    }

    #[test]
    fn an_odd_value_is_asked_about_once() {
        let doubt = || Doubt { mensaje: "¿Seguro?".into(), hint: None };
        let mut errors = Errors::default();
        errors.doubt(&FormFields::default(), "m2", "1000", doubt());
        assert!(errors.has() && errors.only_doubts());
        assert_eq!(errors.summary(), "Comprueba una cosa antes de seguir:");
        let [question] = errors.asked.as_slice() else { panic!("one question") };
        let again = |text: &str| read_fields(format!("seguro={}", text.replace('=', "%3D")).as_bytes());
        let mut insists = Errors::default();
        insists.doubt(&again(question), "m2", "1000", doubt());
        assert!(!insists.has());
        insists.doubt(&again(question), "m2", "1200", doubt());
        assert!(insists.has(), "another value is another question");
    }
}
