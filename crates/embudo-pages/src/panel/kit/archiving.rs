//! Why leads are archived.

use crate::parts::FormFields;

/// The longest reason, in characters.
const LONGEST_REASON: usize = 200;

/// The usual reasons.
pub(in crate::panel) const REASONS: &[&str] =
    &["Precio", "Eligió a otra empresa", "No contesta", "Fuera de zona", "No es viable", "Duplicado", "Otro"];

/// The reason that a form gives; nobody archives without one.
pub(in crate::panel) fn archive_reason(fields: &FormFields) -> Option<String> {
    let reason: String = fields.text("motivo").chars().take(LONGEST_REASON).collect();
    Some(reason).filter(|reason| !reason.is_empty())
}
