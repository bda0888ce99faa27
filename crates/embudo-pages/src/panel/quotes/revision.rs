//! What a form of a draft was made from: the draft's revision. Where the draft was not stored yet, also a fingerprint
//! of it: it is made again from the lead at the next look, and may say something else by then.

use embudo_store::drafts::StoredDraft;

use crate::panel::kit::form::fingerprint;

pub(super) struct FormRevision {
    revision: i64,
    fingerprint: Option<String>,
}

impl FormRevision {
    /// As the form carries it.
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

    /// Whether the form was made from the draft as it is stored now.
    pub fn is_of(&self, stored: &StoredDraft) -> bool {
        self.revision == stored.revision
            && self.fingerprint.as_ref().is_none_or(|seen| *seen == fingerprint(&stored.json))
    }
}
