//! What the page shows in addition to the lead: forms with errors, and the choices in the address.

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
    /// The moment of an archiving that was just done, in microseconds. It can be undone.
    pub undo: Option<i64>,
    /// A form of facts that is shown again.
    pub typed: Option<Typed>,
    /// A call that is shown again.
    pub call: Option<FormFields>,
    /// A form of the desk that is shown again.
    pub desk: Option<Back>,
    /// An internal note that is shown again.
    pub nota: String,
    /// A reply that is shown again.
    pub reply: Option<FormFields>,
    /// The filter of the timeline, and the cursor of the wanted page.
    pub filter: Option<&'static Filter>,
    pub before: Option<TimelineCursor>,
    /// The name of the fact that is shown without shortening it.
    pub whole: String,
    /// The part that a phone shows first, if the address names one.
    pub part: Option<Part>,
    /// The name of the open form.
    pub open: String,
    /// Whether a person sees the page. If so, the lead counts as read.
    pub is_seen: bool,
}

impl Shown {
    /// The part that a phone shows first: the part with errors, or else the part in the address.
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
