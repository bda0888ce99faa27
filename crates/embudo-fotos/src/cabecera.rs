//! What the headers of a file tell before its pixels are touched, where the decoders do not look by themselves.
//!
//! Nothing is decoded here. Offsets are untrusted: every read is checked, and every walk moves forward.

pub(crate) mod body;
pub(crate) mod jpeg;
pub(crate) mod webp;

use crate::{LADO_MAX, Motivo, PIXELES_MAX};

/// Refuses a size that is nothing, or more than we read.
pub(crate) fn medidas(ancho: u32, alto: u32) -> Result<u64, Motivo> {
    let pixeles = u64::from(ancho) * u64::from(alto);
    if pixeles == 0 {
        Err(Motivo::Danada)
    } else if pixeles > PIXELES_MAX {
        Err(Motivo::DemasiadosPixeles)
    } else if ancho.max(alto) > LADO_MAX {
        Err(Motivo::DemasiadoLarga)
    } else {
        Ok(pixeles)
    }
}
