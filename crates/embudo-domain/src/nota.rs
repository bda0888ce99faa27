//! A note as it is kept.

use jiff::Timestamp;

use crate::{NotaId, Zona};

/// A note that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nota {
    pub id: NotaId,
    pub text: String,
    /// Its zone, absent if none was named.
    pub zona: Option<Zona>,
    pub creada_en: Timestamp,
}
