//! Forms as tables: a table names the fields of a record, and everything else follows from it.
//!
//! One path reads what was posted with all mistakes at once, merges a form that is older than what is there now, tells
//! the audit log what changed, and draws the page. A new field costs a line in its table.

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
pub(crate) use stale::{Merged, STALE, fingerprint, merge, version};
pub(crate) use view::FormView;

use crate::panel::form_state::FormState;
use crate::parts::FormFields;

/// A form of the fields of `R`.
pub(crate) struct Form<R: 'static> {
    /// The address that it is posted to.
    pub action: &'static str,
    pub button: &'static str,
    pub groups: &'static [Group<R>],
    /// What several fields must be together. Every field was read before, wrong ones are as they were.
    pub rules: fn(&R, &mut FormState),
}

/// Fields that stand together.
pub(crate) struct Group<R: 'static> {
    /// Empty: they need no title.
    pub title: &'static str,
    pub class: &'static str,
    pub fields: &'static [Field<R>],
}

impl<R> Form<R> {
    /// A form without rules of several fields.
    pub const fn new(action: &'static str, button: &'static str, groups: &'static [Group<R>]) -> Self {
        Self { action, button, groups, rules: |_, _| {} }
    }

    pub fn fields(&self) -> impl Iterator<Item = &'static Field<R>> {
        self.groups.iter().flat_map(|group| group.fields)
    }

    /// What every field says, as its box shows it.
    pub fn values(&self, record: &R) -> Vec<(&'static str, String)> {
        self.fields().map(|field| (field.name, field.typed(record))).collect()
    }

    /// The same, as a form sends it.
    pub fn fields_of(&self, record: &R) -> FormFields {
        FormFields(self.values(record).into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// What a form that shows this record carries, to know later what it was made from.
    pub fn version(&self, record: &R) -> String {
        let values = self.values(record);
        version(values.iter().map(|(_, value)| value.as_str()))
    }

    /// Both sides of what changed, for the audit log.
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
