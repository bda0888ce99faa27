//! Forms of a lead's desk that are shown again.

use crate::parts::FormFields;

/// Which form of the desk is shown again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeskForm {
    Assign,
    Plan,
    Work,
    Archive,
}

/// A form that is shown again, with the typed values.
pub(super) struct Back {
    pub form: DeskForm,
    pub fields: FormFields,
    /// Set if somebody else changed the same values meanwhile. Both versions are shown.
    pub clash: Option<Clash>,
}

pub(super) struct Clash {
    pub now: String,
    pub typed: String,
}

impl Back {
    pub fn both(&self) -> Option<(String, String)> {
        self.clash.as_ref().map(|clash| (clash.now.clone(), clash.typed.clone()))
    }
}
