//! Photos made right: untrusted bytes in, small clean renditions out.
//!
//! A picture is known by its bytes, never by what somebody declared. Its size in pixels and the memory that it will
//! take are decided from its headers **before** anything of that size is allocated. What comes out is ours: upright,
//! on white, without GPS or any other metadata.
//!
//! Everything here is pure and blocking: no I/O, no clock, no threads. A call on a large photo takes some hundred
//! milliseconds and at most [`MEMORIA_MAX`]; the caller puts it on a blocking thread and bounds how many run at once.
//! The original is none of our business: whoever keeps it keeps it byte for byte.
//!
//! Colours are taken as sRGB; an embedded profile is dropped with the rest of the metadata. The same input gives the
//! same bytes on the same kind of processor (the vector code paths may round differently elsewhere).

mod cabecera;
mod escribir;
mod formato;
mod leer;
mod motivo;
mod pixeles;

use std::panic::catch_unwind;

pub use formato::Formato;
pub use motivo::Motivo;

/// The most pixels that a picture may have.
pub const PIXELES_MAX: u64 = 50_000_000;
/// The longest side that a picture may have, in pixels.
pub const LADO_MAX: u32 = 30_000;
/// The most memory that one call may need beside its input, in bytes. Estimated from the headers, and refused above.
pub const MEMORIA_MAX: u64 = 256 * 1024 * 1024;
/// The longest side of [`Rendiciones::impresion`].
pub const LADO_IMPRESION: u32 = 800;
/// The longest side of [`Rendiciones::miniatura`].
pub const LADO_MINIATURA: u32 = 320;
/// The longest side of a [`logo`].
pub const LADO_LOGO: u32 = 800;

const CALIDAD_IMPRESION: u8 = 82;
const CALIDAD_MINIATURA: u8 = 78;

/// A picture that we made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imagen {
    /// The encoded picture.
    pub bytes: Vec<u8>,
    /// Its width in pixels, as it is shown.
    pub ancho: u32,
    /// Its height in pixels, as it is shown.
    pub alto: u32,
}

/// What is made of a photo once and kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendiciones {
    /// For the quote: a JPEG of at most [`LADO_IMPRESION`] pixels.
    pub impresion: Imagen,
    /// For lists: a JPEG of at most [`LADO_MINIATURA`] pixels.
    pub miniatura: Imagen,
}

/// Makes the renditions of a photo: JPEG, PNG, WebP or the first picture of a GIF. Nothing is ever enlarged.
pub fn preparar(bytes: &[u8]) -> Result<Rendiciones, Motivo> {
    sin_panico(|| {
        let grande = leer::foto(bytes, LADO_IMPRESION)?;
        let pequena = pixeles::encoger_rgb(&grande, LADO_MINIATURA)?;
        Ok(Rendiciones {
            impresion: escribir::jpeg(&grande, CALIDAD_IMPRESION)?,
            miniatura: escribir::jpeg(&pequena, CALIDAD_MINIATURA)?,
        })
    })
}

/// Tells what a file is by its headers, or why it cannot be shown, without decoding it. What it lets pass may still be damaged
/// further in.
pub fn inspect(bytes: &[u8]) -> Result<Formato, Motivo> {
    sin_panico(|| leer::inspect(bytes))
}

/// Makes a rendition smaller still, for a document that must keep to a number of bytes. `calidad` is 1 to 100.
///
/// Takes any picture that [`preparar`] takes, with the same limits: that its bytes are our own is nothing to rely on.
pub fn rebajar(jpeg: &[u8], lado_max: u32, calidad: u8) -> Result<Imagen, Motivo> {
    sin_panico(|| escribir::jpeg(&leer::foto(jpeg, lado_max)?, calidad))
}

/// Makes a clean PNG of a company's logo, its transparency kept, of at most [`LADO_LOGO`] pixels.
pub fn logo(bytes: &[u8]) -> Result<Imagen, Motivo> {
    sin_panico(|| escribir::png(&leer::logo(bytes, LADO_LOGO)?))
}

/// The one border at which a panic is caught. Decoders of hostile bytes are large and not ours; a wrong index in one
/// of them must cost a placeholder, not the job that was handling forty other photos. Nothing outlives the call that
/// could be left half changed.
fn sin_panico<T>(f: impl FnOnce() -> Result<T, Motivo> + std::panic::UnwindSafe) -> Result<T, Motivo> {
    catch_unwind(f).unwrap_or(Err(Motivo::Danada))
}
