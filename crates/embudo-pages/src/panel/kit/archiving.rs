//! Archiving of leads: the reasons, and the field with which a form undoes an archiving.

use embudo_domain::Timestamp;

use crate::parts::FormFields;

/// The maximum length of a reason, in characters.
const LONGEST_REASON: usize = 200;

/// The usual reasons.
pub(in crate::panel) const REASONS: &[&str] =
    &["Precio", "Eligió a otra empresa", "No contesta", "Fuera de zona", "No es viable", "Duplicado", "Otro"];

/// The reason in the form. A lead cannot be archived without one.
pub(in crate::panel) fn archive_reason(fields: &FormFields) -> Option<String> {
    let reason: String = fields.text("motivo").chars().take(LONGEST_REASON).collect();
    Some(reason).filter(|reason| !reason.is_empty())
}

/// The moment at which a group of leads was archived together. A form that undoes it sends this moment.
pub(in crate::panel) fn archived_at(fields: &FormFields) -> Option<Timestamp> {
    Timestamp::from_microsecond(fields.raw("lote").parse().ok()?).ok()
}
