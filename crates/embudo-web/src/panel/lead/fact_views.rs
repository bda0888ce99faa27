//! The facts of a lead as the page shows them and their forms.

use embudo_domain::Timestamp;
use embudo_domain::facts::Facts;
use embudo_domain::lead::Lead;
use embudo_domain::words::beginning;

use super::edit::Typed;
use super::facts::{Fact, GROUPS, Group, Input};
use super::words::{self, Choice};
use crate::panel::form_state::FormState;

/// The most of a fact that the page shows unasked.
const SAID_CHARS: usize = 1_000;

pub(super) struct GroupView {
    pub id: &'static str,
    pub title: &'static str,
    pub version: String,
    /// Its form came back.
    pub is_open: bool,
    pub facts: Vec<FactView>,
}

pub(super) struct FactView {
    pub name: &'static str,
    pub label: &'static str,
    pub input: Input,
    /// What stands in its field.
    pub typed: String,
    /// Its field shows less than there is.
    pub is_cut: bool,
    /// What is known, as people read it.
    pub said: String,
    /// There is more of it, for who asks.
    pub goes_on: bool,
    /// What somebody else wrote meanwhile.
    pub other: Option<String>,
}

impl FactView {
    pub fn choices(&self) -> &'static [Choice] {
        match self.input {
            Input::Choice(choices) => choices,
            Input::YesNo => words::YES_NO,
            _ => &[],
        }
    }

    pub fn kind(&self) -> &'static str {
        match self.input {
            Input::Tel => "tel",
            Input::Mail => "email",
            Input::Moment => "datetime-local",
            _ => "text",
        }
    }

    pub fn is_long(&self) -> bool {
        matches!(self.input, Input::Long)
    }

    pub fn is_numeric(&self) -> bool {
        matches!(self.input, Input::Metros | Input::Euros)
    }
}

/// `whole`: the fact that somebody wants to read to its end.
pub(super) fn groups(
    lead: &Lead,
    typed: Option<&Typed>,
    form: &FormState,
    whole: &str,
    now: Timestamp,
) -> Vec<GroupView> {
    let facts = Facts::of(lead);
    let view = |group: &'static Group| {
        let back = typed.filter(|typed| typed.group.id == group.id);
        let fact = |fact: &'static Fact| {
            let all = fact.said(&facts, now);
            let goes_on = fact.name != whole && all.chars().nth(SAID_CHARS).is_some();
            let said = if goes_on { beginning(&all, SAID_CHARS) } else { all };
            let is_contested = back.is_some_and(|back| back.conflicts.contains(&fact.name));
            FactView {
                name: fact.name,
                label: fact.label,
                input: fact.input,
                is_cut: back.is_none() && fact.is_cut(&facts),
                goes_on,
                typed: back.map_or_else(|| fact.typed(&facts), |back| back.fields.text(fact.name)),
                other: is_contested
                    .then(|| if said.is_empty() { "(vacío)".to_owned() } else { said.clone() }),
                said,
            }
        };
        GroupView {
            id: group.id,
            title: group.title,
            version: group.version(&facts),
            is_open: back.is_some() || group.facts.iter().any(|fact| form.of(fact.name).is_some()),
            facts: group.facts.iter().map(fact).collect(),
        }
    };
    GROUPS.iter().map(view).collect()
}
