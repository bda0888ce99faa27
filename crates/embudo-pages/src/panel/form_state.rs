//! The errors of a form that is shown again, by field.

use std::borrow::Cow;

use crate::parts::{Mistake, draws_inputs};

/// Fields whose id differs from their name, because the id is already used on their page.
const IDS: [(&str, &str); 4] = [
    ("condiciones", "c-condiciones"),
    ("fotos", "foto-archivos"),
    ("logo", "archivo"),
    ("remitente", "de-nombre"),
];

/// Errors by field. An empty field name stands for the form itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormState {
    mistakes: Vec<(Cow<'static, str>, String)>,
    /// The prefix of the ids of the fields.
    prefix: String,
}

draws_inputs!(FormState);

impl FormState {
    /// A form with one error.
    pub fn wrong(field: impl Into<Cow<'static, str>>, text: impl Into<String>) -> Self {
        let mut form = Self::default();
        form.add(field, text);
        form
    }

    pub fn add(&mut self, field: impl Into<Cow<'static, str>>, text: impl Into<String>) {
        self.mistakes.push((field.into(), text.into()));
    }

    /// Adds the errors of another form, without duplicates.
    pub fn append(&mut self, other: Self) {
        let new = other.mistakes.into_iter().filter(|mistake| !self.mistakes.contains(mistake));
        let new: Vec<_> = new.collect();
        self.mistakes.extend(new);
    }

    /// Returns the value, or adds the error and returns nothing.
    pub fn check<T>(&mut self, field: &'static str, read: Result<T, &'static str>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(text) => {
                self.add(field, text);
                None
            }
        }
    }

    /// Sets the prefix that the page puts before the id of every field.
    pub fn prefixed(self, prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), ..self }
    }

    pub fn of(&self, field: &str) -> Option<&str> {
        self.mistakes.iter().find(|(of, _)| *of == field).map(|(_, text)| text.as_str())
    }

    pub fn mistake(&self, field: &str) -> Option<Mistake> {
        let first = self.mistakes.iter().find(|(of, _)| !of.is_empty());
        let has_focus = first.is_some_and(|(of, _)| of == field);
        Some(Mistake { text: self.of(field)?.to_owned(), has_focus, ..Mistake::default() })
    }

    pub fn is_good(&self) -> bool {
        self.mistakes.is_empty()
    }

    /// The text above the list of errors.
    pub fn summary(&self) -> Option<String> {
        match self.links().len() {
            0 => None,
            1 => Some("Revisa una cosa:".to_owned()),
            n => Some(format!("Revisa {n} cosas:")),
        }
    }

    /// The id and the error of every wrong field.
    pub fn links(&self) -> Vec<(String, &str)> {
        let of_fields = self.mistakes.iter().filter(|(field, _)| !field.is_empty());
        let id = |field: &str| {
            IDS.iter().find(|(name, _)| *name == field).map_or(field.to_owned(), |(_, id)| (*id).to_owned())
        };
        of_fields.map(|(field, text)| (format!("{}{}", self.prefix, id(field)), text.as_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_leads_to_the_fields() {
        let mut form = FormState::wrong("", "No se ha guardado nada.");
        assert_eq!((form.summary(), form.links().len()), (None, 0));
        form.add("nombre", "Falta.");
        assert_eq!(form.summary().as_deref(), Some("Revisa una cosa:"));
        form.add("logo", "No es una imagen.");
        let form = form.prefixed("d-");
        assert_eq!(
            form.links(),
            [("d-nombre".to_owned(), "Falta."), ("d-archivo".to_owned(), "No es una imagen.")]
        );
    }
}
