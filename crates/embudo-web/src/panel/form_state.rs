//! What a form shows that came back: what is wrong with which field.

use std::borrow::Cow;

/// Mistakes by field; a field named empty is the form itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormState {
    mistakes: Vec<(Cow<'static, str>, String)>,
}

impl FormState {
    /// A form with one mistake.
    pub fn wrong(field: impl Into<Cow<'static, str>>, text: impl Into<String>) -> Self {
        let mut form = Self::default();
        form.add(field, text);
        form
    }

    pub fn add(&mut self, field: impl Into<Cow<'static, str>>, text: impl Into<String>) {
        self.mistakes.push((field.into(), text.into()));
    }

    /// What was read, or nothing and its mistake.
    pub fn check<T>(&mut self, field: &'static str, read: Result<T, &'static str>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(text) => {
                self.add(field, text);
                None
            }
        }
    }

    pub fn of(&self, field: &str) -> Option<&str> {
        self.mistakes.iter().find(|(of, _)| *of == field).map(|(_, text)| text.as_str())
    }

    pub fn is_good(&self) -> bool {
        self.mistakes.is_empty()
    }
}
