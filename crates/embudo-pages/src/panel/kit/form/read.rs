//! What was posted, read into a record; or what its form has to say when it comes back.

use http::StatusCode;

use super::{Form, Merged, STALE, merge};
use crate::panel::form_state::FormState;
use crate::parts::FormFields;

/// A form that came back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Returned {
    pub status: StatusCode,
    pub form: FormState,
    /// What was typed, with what others wrote in the fields that were left alone.
    pub typed: FormFields,
    /// Fields that somebody else changed meanwhile.
    pub conflicts: Vec<&'static str>,
}

impl Returned {
    pub fn wrong(form: FormState, typed: FormFields) -> Self {
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, form, typed, conflicts: Vec::new() }
    }

    /// Somebody else was quicker, again and again.
    pub fn stale(typed: FormFields) -> Self {
        Self { status: StatusCode::CONFLICT, form: FormState::wrong("", STALE), typed, conflicts: Vec::new() }
    }

    /// Two parts of one form came back.
    pub fn and(mut self, other: Self) -> Self {
        self.status = self.status.min(other.status);
        self.form.append(other.form);
        self.typed.0.extend(other.typed.0);
        self.conflicts.extend(other.conflicts);
        self
    }

    /// The value of an input: what was typed, else the saved value.
    pub fn value(&self, name: &str, now: impl FnOnce() -> String) -> String {
        if self.typed.is_sent(name) { self.typed.text(name) } else { now() }
    }
}

impl<R: Clone> Form<R> {
    /// The record with what was typed; all mistakes at once. What somebody else changed meanwhile is kept where the
    /// form was left alone, and shown where it was not.
    pub fn read(&self, sent: &FormFields, now: &R) -> Result<R, Box<Returned>> {
        let Merged { fields: typed, conflicts } = merge(sent, &self.values(now));
        let (mut form, mut edited) = (FormState::default(), now.clone());
        for field in self.fields() {
            let text = typed.text(field.name);
            // What is left as it was may be older than its rule.
            if text == field.typed(now) {
                continue;
            }
            if let Err(wrong) = field.write(&mut edited, &text) {
                form.add(field.name, wrong);
            }
        }
        (self.rules)(&edited, &mut form);
        let mut status = StatusCode::UNPROCESSABLE_ENTITY;
        if !conflicts.is_empty() {
            form.add("", STALE);
            status = StatusCode::CONFLICT;
        }
        match form.is_good() {
            true => Ok(edited),
            false => Err(Box::new(Returned { status, form, typed, conflicts })),
        }
    }
}
