//! What the page of a lead shows besides what the lead is: forms that came back, and what was asked for.

use embudo_domain::timeline::TimelineCursor;

use super::desk_forms::Back;
use super::fact_views::Typed;
use super::head::Part;
use super::timeline::Filter;
use crate::panel::form_state::FormState;
use crate::parts::FormFields;

#[derive(Default)]
pub(super) struct Shown {
    pub form: FormState,
    pub done: Option<&'static str>,
    /// What was just archived, by its moment in microseconds: it can be undone.
    pub undo: Option<i64>,
    /// A form of facts that came back.
    pub typed: Option<Typed>,
    /// A call that came back.
    pub call: Option<FormFields>,
    /// A form of the desk that came back.
    pub desk: Option<Back>,
    /// An internal note that came back.
    pub nota: String,
    /// A reply that came back.
    pub reply: Option<FormFields>,
    /// Which lines are wanted, and older than what.
    pub filter: Option<&'static Filter>,
    pub before: Option<TimelineCursor>,
    /// The fact that is shown whole, however long it is.
    pub whole: String,
    /// The part that is seen first on a phone, where somebody asked for one.
    pub part: Option<Part>,
    /// The form that is open.
    pub open: String,
    /// Whether a person sees it, who has read it then.
    pub is_seen: bool,
}

impl Shown {
    /// The part of the page that a phone shows: the one that was asked for, or where something came back.
    pub fn part(&self) -> Part {
        match self {
            Self { typed: Some(_), .. } => Part::Facts,
            Self { form, .. } if form.of("fotos").is_some() => Part::Photos,
            Self { part: Some(part), .. } => *part,
            Self { whole, .. } if !whole.is_empty() => Part::Facts,
            _ => Part::Conversation,
        }
    }
}
