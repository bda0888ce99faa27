//! Forms of a lead's desk that came back.

use crate::parts::FormFields;

/// Which form of the desk came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeskForm {
    Assign,
    Plan,
    Work,
    Archive,
}

/// A form that came back, with what was typed.
pub(super) struct Back {
    pub form: DeskForm,
    pub fields: FormFields,
    /// Somebody else changed the same meanwhile: both versions are shown.
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
