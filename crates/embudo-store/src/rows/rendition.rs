//! Rows of renditions: the copies of photos that can be shown.

use embudo_domain::rendition::{Derived, Rendition, RenditionOutcome};
use embudo_domain::{FotoId, LeadId};

use crate::Result;
use crate::row::{Columns, damaged};

/// The rendition of a photo.
pub fn rendition(c: &Columns<'_>) -> Result<Rendition> {
    let made = (c.get("impresion")?, c.get("ancho")?, c.get("alto")?, c.get("miniatura")?);
    let result = match (made, c.get("motivo")?) {
        ((Some(print), Some(width), Some(height), Some(thumbnail)), None) => {
            RenditionOutcome::Done(Derived { print, width, height, thumbnail })
        }
        ((None, None, None, None), Some(reason)) => RenditionOutcome::Failed(reason),
        _ => return Err(damaged("motivo")),
    };
    Ok(Rendition {
        lead: LeadId(c.get("lead_id")?),
        foto: FotoId(c.get("foto_id")?),
        copy: c.get("copia")?,
        result,
        creada_en: c.get("creado_en")?,
    })
}

/// The columns `impresion`, `ancho`, `alto`, `miniatura`, `motivo`.
pub type RenditionColumns<'a> =
    (Option<&'a [u8]>, Option<i64>, Option<i64>, Option<&'a [u8]>, Option<&'a str>);

/// The columns from which [`rendition`] reads.
pub fn rendition_columns(result: &RenditionOutcome) -> RenditionColumns<'_> {
    match result {
        RenditionOutcome::Done(d) => {
            (Some(&d.print.0), Some(d.width.into()), Some(d.height.into()), Some(&d.thumbnail.0), None)
        }
        RenditionOutcome::Failed(reason) => (None, None, None, None, Some(reason)),
    }
}
