//! Notes as they are kept.

use jiff::Timestamp;

use crate::{NotaId, UserId, Zona};

/// A note that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nota {
    pub id: NotaId,
    pub text: String,
    /// Its zone, absent if none was named.
    pub zona: Option<Zona>,
    pub creada_en: Timestamp,
}

/// A note that people of the company write for each other; the client never sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotaInterna {
    pub id: NotaId,
    pub author: UserId,
    pub text: String,
    pub creada_en: Timestamp,
}
