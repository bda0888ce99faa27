//! Reads a posted form into a record, or returns the form with its errors.

use http::StatusCode;

use super::{Form, Merged, STALE, merge};
use crate::panel::form_state::FormState;
use crate::parts::FormFields;

/// A form that is shown again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Returned {
    pub status: StatusCode,
    pub form: FormState,
    /// The typed values. Fields that the person did not change contain the current stored values.
    pub typed: FormFields,
    /// The fields that both this person and somebody else changed.
    pub conflicts: Vec<&'static str>,
}

impl Returned {
    pub fn wrong(form: FormState, typed: FormFields) -> Self {
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, form, typed, conflicts: Vec::new() }
    }

    /// Somebody else saved first at every attempt.
    pub fn stale(typed: FormFields) -> Self {
        Self { status: StatusCode::CONFLICT, form: FormState::wrong("", STALE), typed, conflicts: Vec::new() }
    }

    /// Combines two parts of one form that are both shown again.
    pub fn and(mut self, other: Self) -> Self {
        self.status = self.status.min(other.status);
        self.form.append(other.form);
        self.typed.0.extend(other.typed.0);
        self.conflicts.extend(other.conflicts);
        self
    }

    /// The value of an input: the typed value, or else the stored one.
    pub fn value(&self, name: &str, now: impl FnOnce() -> String) -> String {
        if self.typed.is_sent(name) { self.typed.text(name) } else { now() }
    }
}

impl<R: Clone> Form<R> {
    /// Applies the form to the record, or returns all errors at once. If somebody else changed a field meanwhile, their
    /// value is kept where this person did not change the field. If both changed it, the form is returned with both
    /// values.
    pub fn read(&self, sent: &FormFields, now: &R) -> Result<R, Box<Returned>> {
        let Merged { fields: typed, conflicts } = merge(sent, &self.values(now));
        let (mut form, mut edited) = (FormState::default(), now.clone());
        for field in self.fields() {
            let text = typed.text(field.name);
            // An unchanged value is not checked, because it may have been stored before its rule existed.
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
