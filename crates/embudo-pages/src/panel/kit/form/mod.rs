//! Forms as tables. A table names the fields of a record, and everything else is derived from it.
//!
//! The same code reads a posted form and reports all errors at once, merges a form that was loaded before somebody
//! else's change, writes the changes to the audit log, and draws the page. A new field is one line in its table.

mod field;
mod page;
mod read;
mod stale;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use field::{Field, Kind, Whole, Wrong, choice, read_whole, text, tick, whole};
pub(crate) use page::{FormPage, Place};
pub(crate) use read::Returned;
pub(crate) use stale::{Merged, STALE, TRIES, fingerprint, merge, version};
pub(crate) use view::FormView;

use crate::panel::form_state::FormState;
use crate::parts::FormFields;

/// A form for the fields of `R`.
pub(crate) struct Form<R: 'static> {
    /// The address to which the form is posted.
    pub action: &'static str,
    pub button: &'static str,
    pub groups: &'static [Group<R>],
    /// Rules about several fields together. They run after every field was read; a wrong field keeps its old value.
    pub rules: fn(&R, &mut FormState),
}

/// Fields that are shown together.
pub(crate) struct Group<R: 'static> {
    /// Empty if the fields need no title.
    pub title: &'static str,
    pub class: &'static str,
    pub fields: &'static [Field<R>],
}

impl<R> Form<R> {
    /// A form without rules about several fields.
    pub const fn new(action: &'static str, button: &'static str, groups: &'static [Group<R>]) -> Self {
        Self { action, button, groups, rules: |_, _| {} }
    }

    pub fn fields(&self) -> impl Iterator<Item = &'static Field<R>> {
        self.groups.iter().flat_map(|group| group.fields)
    }

    /// The value of every field, as its box shows it.
    pub fn values(&self, record: &R) -> Vec<(&'static str, String)> {
        self.fields().map(|field| (field.name, field.typed(record))).collect()
    }

    /// The value of every field, as a form sends it.
    pub fn fields_of(&self, record: &R) -> FormFields {
        FormFields(self.values(record).into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The version of the record, which the form carries so that a concurrent change can be detected.
    pub fn version(&self, record: &R) -> String {
        let values = self.values(record);
        version(values.iter().map(|(_, value)| value.as_str()))
    }

    /// The changed values before and after, for the audit log.
    pub fn audit_text(&self, before: &R, after: &R) -> (String, String) {
        let changed = |field: &&Field<R>| field.typed(before) != field.typed(after);
        let side = |record: &R| {
            let line = |title: &str, field: &Field<R>| {
                let of = if title.is_empty() { String::new() } else { format!("{title}, ") };
                format!("{of}{}: {}", field.label, field.audit_text(record))
            };
            let of_group = |group: &Group<R>| {
                group.fields.iter().filter(changed).map(|f| line(group.title, f)).collect()
            };
            self.groups.iter().flat_map(|group| -> Vec<_> { of_group(group) }).collect::<Vec<_>>().join("; ")
        };
        (side(before), side(after))
    }
}

impl<R> Group<R> {
    pub const fn new(title: &'static str, class: &'static str, fields: &'static [Field<R>]) -> Self {
        Self { title, class, fields }
    }
}
