//! Photos made right: untrusted bytes in, small clean renditions out.
//!
//! A picture is known by its bytes, never by what somebody declared. Its size in pixels and the memory that it will
//! take are decided from its headers **before** anything of that size is allocated. What comes out is ours: upright,
//! on white, without GPS or any other metadata.
//!
//! Everything here is pure and blocking: no I/O, no clock, no threads. A call on a large photo takes some hundred
//! milliseconds and at most [`MAX_MEMORY`]; the caller puts it on a blocking thread and bounds how many run at once.
//! The original is not touched here: the caller keeps it byte for byte.
//!
//! Colours are taken as sRGB; an embedded profile is dropped with the rest of the metadata. The same input gives the
//! same bytes on the same kind of processor (the vector code paths may round differently elsewhere).

mod format;
mod header;
mod pixels;
mod read;
mod reason;
mod write;

use std::panic::catch_unwind;

pub use format::Format;
pub use reason::Reason;

/// The most pixels that a picture may have.
pub const MAX_PIXELS: u64 = 50_000_000;
/// The longest side that a picture may have, in pixels.
pub const MAX_SIDE: u32 = 30_000;
/// The most memory that one call may need beside its input, in bytes. Estimated from the headers, and refused above.
pub const MAX_MEMORY: u64 = 256 * 1024 * 1024;
/// The longest side of [`Renditions::print`].
pub const PRINT_SIDE: u32 = 800;
/// The longest side of [`Renditions::thumbnail`].
pub const THUMBNAIL_SIDE: u32 = 320;
/// The longest side of a [`logo`].
pub const LOGO_SIDE: u32 = 800;

const PRINT_QUALITY: u8 = 82;
const THUMBNAIL_QUALITY: u8 = 78;

/// A picture that we made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub bytes: Vec<u8>,
    /// Its width in pixels, as it is shown.
    pub width: u32,
    /// Its height in pixels, as it is shown.
    pub height: u32,
}

/// What is made of a photo once and kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renditions {
    /// For the quote: a JPEG of at most [`PRINT_SIDE`] pixels.
    pub print: Image,
    /// For lists: a JPEG of at most [`THUMBNAIL_SIDE`] pixels.
    pub thumbnail: Image,
}

/// Makes the renditions of a photo: JPEG, PNG, WebP or the first picture of a GIF. Nothing is ever enlarged.
pub fn prepare(bytes: &[u8]) -> Result<Renditions, Reason> {
    without_panic(|| {
        let big = read::foto(bytes, PRINT_SIDE)?;
        let small = pixels::shrink_rgb(&big, THUMBNAIL_SIDE)?;
        Ok(Renditions {
            print: write::jpeg(&big, PRINT_QUALITY)?,
            thumbnail: write::jpeg(&small, THUMBNAIL_QUALITY)?,
        })
    })
}

/// Tells what a file is by its headers, or why it cannot be shown, without decoding it. What it lets pass may still be
/// damaged further in.
pub fn inspect(bytes: &[u8]) -> Result<Format, Reason> {
    without_panic(|| read::inspect(bytes))
}

/// Makes a rendition smaller still, for a document that must keep to a number of bytes. `calidad` is 1 to 100.
///
/// Takes any picture that [`prepare`] takes, with the same limits: that its bytes are our own is nothing to rely on.
pub fn reduce(jpeg: &[u8], max_side: u32, calidad: u8) -> Result<Image, Reason> {
    without_panic(|| write::jpeg(&read::foto(jpeg, max_side)?, calidad))
}

/// Makes a clean PNG of a company's logo, its transparency kept, of at most [`LOGO_SIDE`] pixels.
pub fn logo(bytes: &[u8]) -> Result<Image, Reason> {
    without_panic(|| write::png(&read::logo(bytes, LOGO_SIDE)?))
}

/// The one border at which a panic is caught. Decoders of hostile bytes are large and not ours; a wrong index in one
/// of them must cost a placeholder, not the job that was handling forty other photos. Nothing outlives the call that
/// could be left half changed.
fn without_panic<T>(f: impl FnOnce() -> Result<T, Reason> + std::panic::UnwindSafe) -> Result<T, Reason> {
    catch_unwind(f).unwrap_or(Err(Reason::Damaged))
}
