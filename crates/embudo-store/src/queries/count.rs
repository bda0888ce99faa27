//! Counts that several processes share.

use super::Query;
use crate::counts::CountKey;

/// The counts of the key's kind and subject by window number, beginning with the key's window.
pub fn since(key: CountKey) -> Query<(i64, i64)> {
    Query::new(include_str!("../../sql/conteo/of_subject.sql"), |c| Ok((c.get("ventana")?, c.get("n")?)))
        .bind("tipo", key.kind)
        .bind("sujeto", key.subject)
        .bind("desde", key.window)
}
