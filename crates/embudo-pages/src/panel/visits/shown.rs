//! What the page of a visit shows besides the visit: a form that came back, and what was done.

use super::words::Warned;
use crate::panel::form_state::FormState;
use crate::parts::FormFields;

/// What the page shows besides the visit.
#[derive(Default)]
pub(super) struct Shown {
    pub form: FormState,
    pub done: Option<&'static str>,
    /// A form that came back.
    pub fields: Option<FormFields>,
    pub warned: Warned,
    pub clash: Vec<(&'static str, String, String)>,
    pub data_open: bool,
}

/// Whether a form that came back is the one of what was measured.
pub(super) fn is_of_measured(fields: &&FormFields) -> bool {
    fields.0.iter().any(|(name, _)| name == "medidas")
}
