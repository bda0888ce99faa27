//! The revision of the draft that a form was loaded from. For a draft that was not stored yet, a fingerprint of the
//! draft is added: such a draft is generated again from the lead for every page, so it may have changed.

use embudo_store::drafts::StoredDraft;

use crate::panel::kit::form::fingerprint;

pub(super) struct FormRevision {
    revision: i64,
    fingerprint: Option<String>,
}

impl FormRevision {
    /// The text in the form.
    pub fn write(draft: &StoredDraft, is_saved: bool) -> String {
        match is_saved {
            true => draft.revision.to_string(),
            false => format!("{}.{}", draft.revision, fingerprint(&draft.json)),
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        let (revision, fingerprint) = match text.split_once('.') {
            Some((revision, fingerprint)) => (revision, Some(fingerprint.to_owned())),
            None => (text, None),
        };
        Some(Self { revision: revision.parse().ok()?, fingerprint })
    }

    /// Whether the form was loaded from the draft that is stored now.
    pub fn is_of(&self, stored: &StoredDraft) -> bool {
        self.revision == stored.revision
            && self.fingerprint.as_ref().is_none_or(|seen| *seen == fingerprint(&stored.json))
    }
}
