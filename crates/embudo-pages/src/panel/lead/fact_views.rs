//! The facts of a lead as the page shows them and their forms.

use embudo_domain::Timestamp;
use embudo_domain::facts::Facts;
use embudo_domain::lead::Lead;
use embudo_domain::words::beginning;

use crate::panel::kit::facts::{GROUPS, Group, fact_label, is_cut};
use crate::panel::kit::form::{Field, FormView, Returned};
use crate::quote::words::{mail_link, phone_link};

/// The most of a fact that the page shows unasked.
const VALUE_CHARS: usize = 1_000;
const CUT: &str = "Aquí solo cabe el principio. Si lo cambias, se guarda lo que ves; si no, sigue entero.";

/// The prefix of a fact's id: other forms of the page have fields of the same names.
pub(super) const PREFIX: &str = "d-";

/// A form that came back.
pub(super) struct Typed {
    pub group: &'static Group,
    pub returned: Returned,
}

pub(super) struct GroupView {
    pub id: &'static str,
    pub title: &'static str,
    /// Its form came back.
    pub is_open: bool,
    pub facts: Vec<FactView>,
    pub view: FormView,
}

pub(super) struct FactView {
    pub name: &'static str,
    pub label: &'static str,
    /// What is known, as people read it.
    pub value: String,
    /// There is more of it, for who asks.
    pub goes_on: bool,
    /// To call or to write.
    pub href: Option<String>,
}

impl GroupView {
    /// Whether nothing is known of it.
    pub fn is_empty(&self) -> bool {
        self.facts.iter().all(|fact| fact.value.is_empty())
    }
}

/// `whole`: the fact that somebody wants to read to its end.
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
