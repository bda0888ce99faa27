//! Forms that were made from something older than what is there now: what others wrote in fields that were left alone
//! is kept, and what both wrote is shown side by side.

use embudo_domain::Digest;

use crate::parts::FormFields;

pub(crate) const STALE: &str = "Alguien ha cambiado lo mismo mientras escribías. No se ha guardado nada: compara las dos versiones y guarda la buena.";

/// What a form carries to know later what it was made from: a fingerprint of each value, in order.
pub(crate) fn version<'v>(values: impl IntoIterator<Item = &'v str>) -> String {
    values.into_iter().map(fingerprint).collect::<Vec<_>>().join("-")
}

/// Enough of a value to see that it is another.
pub(crate) fn fingerprint(value: &str) -> String {
    Digest::of(value.as_bytes()).to_string().chars().take(10).collect()
}

/// What came back, put together with what is there now.
pub(crate) struct Merged {
    /// What was typed, with what others wrote in the fields that were left alone.
    pub fields: FormFields,
    /// The fields that both changed.
    pub conflicts: Vec<&'static str>,
}

/// Merges a form with what its fields say now, in the order of its version.
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
