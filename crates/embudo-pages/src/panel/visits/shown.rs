//! What the page of a visit shows in addition to the visit: a form with errors, and a message.

use super::words::Warned;
use crate::panel::form_state::FormState;
use crate::parts::FormFields;

#[derive(Default)]
pub(super) struct Shown {
    pub form: FormState,
    pub done: Option<&'static str>,
    /// The fields of a form that had errors.
    pub fields: Option<FormFields>,
    pub warned: Warned,
    pub clash: Vec<(&'static str, String, String)>,
    pub data_open: bool,
}

/// Whether the fields belong to the form of the measurements.
pub(super) fn is_of_measured(fields: &&FormFields) -> bool {
    fields.0.iter().any(|(name, _)| name == "medidas")
}
