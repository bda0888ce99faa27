//! Why leads are archived, and what undoes it.

use embudo_domain::Timestamp;

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

/// The moment by which a form names what was archived in one go, if it undoes that.
pub(in crate::panel) fn archived_at(fields: &FormFields) -> Option<Timestamp> {
    Timestamp::from_microsecond(fields.raw("lote").parse().ok()?).ok()
}
