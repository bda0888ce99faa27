//! Rows that only a timeline shows.

use embudo_domain::Zona;
use embudo_domain::ingesta::Momento;
use embudo_domain::timeline::{FotoGroup, QuoteAnswer};

use super::quote::{acceptance, number};
use crate::Result;
use crate::row::Columns;

/// Photos of one zona and momento that were saved at the same time.
pub fn foto_group(c: &Columns<'_>) -> Result<FotoGroup> {
    Ok(FotoGroup {
        zona: c.word("zona", Zona::parse)?,
        momento: c.word("momento", Momento::parse)?,
        how_many: c.get("how_many")?,
        creada_en: c.get("creado_en")?,
    })
}

pub fn quote_answer(c: &Columns<'_>) -> Result<QuoteAnswer> {
    Ok(QuoteAnswer {
        number: number(c)?,
        accepted: c.get("aceptado")?,
        reason: c.get("motivo")?,
        acceptance: acceptance(c)?,
        at: c.get("respondido_en")?,
    })
}
