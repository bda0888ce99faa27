//! Concurrent changes: forms that were loaded before somebody else's change. Fields that the person did not change keep
//! the other person's value. Fields that both changed are shown with both values.

use embudo_domain::Digest;

use crate::parts::FormFields;

pub(crate) const STALE: &str = "Alguien ha cambiado lo mismo mientras escribías. No se ha guardado nada: compara las dos versiones y guarda la buena.";

/// How often an edit is tried if somebody else saves between its read and its write every time. After that the person
/// gets the form back with [`STALE`].
pub(crate) const TRIES: usize = 4;

/// The version that a form carries: a fingerprint of each value in order, so that a concurrent change can be detected.
pub(crate) fn version<'v>(values: impl IntoIterator<Item = &'v str>) -> String {
    values.into_iter().map(fingerprint).collect::<Vec<_>>().join("-")
}

/// The beginning of a digest, long enough to notice that a value differs.
pub(crate) fn fingerprint(value: &str) -> String {
    Digest::of(value.as_bytes()).to_string().chars().take(10).collect()
}

/// The result of merging a posted form with the stored values.
pub(crate) struct Merged {
    /// The typed values. Fields that the person did not change contain the current stored values.
    pub fields: FormFields,
    /// The fields that both people changed.
    pub conflicts: Vec<&'static str>,
}

/// Merges a posted form with the current values of its fields. `now` has the order of the form's version.
pub(crate) fn merge(sent: &FormFields, now: &[(&'static str, String)]) -> Merged {
    let version: Vec<&str> = sent.raw("version").split('-').collect();
    let (mut fields, mut conflicts) = (Vec::new(), Vec::new());
    for (n, (name, current)) in now.iter().enumerate() {
        let typed = sent.text(name);
        let seen = version.get(n).copied().unwrap_or_default();
        let is_sent = sent.is_sent(name);
        if !is_sent || fingerprint(&typed) == seen {
            fields.push(((*name).to_owned(), current.clone()));
            continue;
        }
        if fingerprint(current) != seen && typed != *current {
            conflicts.push(*name);
        }
        fields.push(((*name).to_owned(), typed));
    }
    Merged { fields: FormFields(fields), conflicts }
}
