//! The facts of a lead, as the page and its forms show them.

use embudo_domain::Timestamp;
use embudo_domain::facts::Facts;
use embudo_domain::lead::Lead;
use embudo_domain::words::beginning;

use crate::panel::kit::facts::{GROUPS, Group, fact_label, is_cut};
use crate::panel::kit::form::{Field, FormView, Returned};
use crate::quote::words::{mail_link, phone_link};

/// The maximum length of a fact, unless the person asks for all of it.
const VALUE_CHARS: usize = 1_000;
const CUT: &str = "Aquí solo cabe el principio. Si lo cambias, se guarda lo que ves; si no, sigue entero.";

/// The prefix of the ids of facts, because other forms of the page have fields with the same names.
pub(super) const PREFIX: &str = "d-";

/// A form that is shown again.
pub(super) struct Typed {
    pub group: &'static Group,
    pub returned: Returned,
}

pub(super) struct GroupView {
    pub id: &'static str,
    pub title: &'static str,
    /// Whether the form of the group is open, because it had errors.
    pub is_open: bool,
    pub facts: Vec<FactView>,
    pub view: FormView,
}

pub(super) struct FactView {
    pub name: &'static str,
    pub label: &'static str,
    /// The value formatted for people.
    pub value: String,
    /// Whether the value is longer than what is shown.
    pub goes_on: bool,
    /// The link that starts a call or a mail.
    pub href: Option<String>,
}

impl GroupView {
    /// Whether no fact of the group is known.
    pub fn is_empty(&self) -> bool {
        self.facts.iter().all(|fact| fact.value.is_empty())
    }
}

/// The facts by group. `whole` is the name of the fact that is not shortened.
pub(super) fn groups(lead: &Lead, typed: Option<&Typed>, whole: &str, now: Timestamp) -> Vec<GroupView> {
    let facts = Facts::of(lead);
    let none = Returned::default();
    let fact = |field: &'static Field<Facts>| {
        let all = fact_label(field, &facts, now);
        let goes_on = field.name != whole && all.chars().nth(VALUE_CHARS).is_some();
        let value = if goes_on { beginning(&all, VALUE_CHARS) } else { all };
        let href = match field.name {
            "telefono" => phone_link(&lead.telefono_e164),
            "email" => mail_link(&lead.email, "Tu reforma"),
            _ => None,
        };
        FactView { name: field.name, label: field.label, value, goes_on, href }
    };
    let view = |group: &'static Group| {
        let back = typed.filter(|typed| typed.group.id == group.id);
        let mut view = group.form.view(&facts, back.map_or(&none, |back| &back.returned));
        for input in view.inputs() {
            input.id = format!("{PREFIX}{}", input.name);
            if back.is_none() && is_cut(&facts, &input.name) {
                CUT.clone_into(&mut input.hint);
            }
        }
        GroupView {
            id: group.id,
            title: group.title,
            is_open: back.is_some(),
            facts: group.form.fields().map(fact).collect(),
            view,
        }
    };
    GROUPS.iter().map(view).collect()
}
