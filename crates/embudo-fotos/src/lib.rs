//! Makes small, clean renditions from the untrusted bytes of photos.
//!
//! A picture is identified by its bytes, never by a declared type. Its size in pixels and the memory that it needs are
//! read from its headers **before** anything of that size is allocated. The output is always newly encoded: upright, on
//! white, without GPS or any other metadata.
//!
//! Everything here is pure and blocking: no I/O, no clock, no threads. A call on a large photo takes some hundred
//! milliseconds and at most [`MAX_MEMORY`]; the caller runs it on a blocking thread and limits how many run at once.
//! The original is not changed here: the caller stores it byte for byte.
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

/// The maximum number of pixels of a picture.
pub const MAX_PIXELS: u64 = 50_000_000;
/// The maximum side of a picture, in pixels.
pub const MAX_SIDE: u32 = 30_000;
/// The maximum memory that one call may need in addition to its input, in bytes. It is estimated from the headers; a
/// picture that needs more is refused.
pub const MAX_MEMORY: u64 = 256 * 1024 * 1024;
/// The maximum side of [`Renditions::print`], in pixels.
pub const PRINT_SIDE: u32 = 800;
/// The maximum side of [`Renditions::thumbnail`], in pixels.
pub const THUMBNAIL_SIDE: u32 = 320;
/// The maximum side of a [`logo`], in pixels.
pub const LOGO_SIDE: u32 = 800;

const PRINT_QUALITY: u8 = 82;
const THUMBNAIL_QUALITY: u8 = 78;

/// A picture that this crate encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub bytes: Vec<u8>,
    /// Its width in pixels, as it is shown.
    pub width: u32,
    /// Its height in pixels, as it is shown.
    pub height: u32,
}

/// The pictures that are made from a photo once and stored.
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

/// Reads the format of a file from its headers, or the reason why it cannot be shown, without decoding it. A file that
/// passes may still be damaged further on.
pub fn inspect(bytes: &[u8]) -> Result<Format, Reason> {
    without_panic(|| read::inspect(bytes))
}

/// Makes a rendition smaller, for a document with a maximum size in bytes. `calidad` is 1 to 100.
///
/// Accepts any picture that [`prepare`] accepts, with the same limits: this function does not trust that the bytes are
/// our own.
pub fn reduce(jpeg: &[u8], max_side: u32, calidad: u8) -> Result<Image, Reason> {
    without_panic(|| write::jpeg(&read::foto(jpeg, max_side)?, calidad))
}

/// Makes a clean PNG of a company's logo, with its transparency, of at most [`LOGO_SIDE`] pixels.
pub fn logo(bytes: &[u8]) -> Result<Image, Reason> {
    without_panic(|| write::png(&read::logo(bytes, LOGO_SIDE)?))
}

/// The only place where a panic is caught. The decoders of hostile bytes are large and not our code. A wrong index in
/// one of them must cost one photo, not the job that was handling forty other photos. No state that could be left half
/// changed outlives the call.
fn without_panic<T>(f: impl FnOnce() -> Result<T, Reason> + std::panic::UnwindSafe) -> Result<T, Reason> {
    catch_unwind(f).unwrap_or(Err(Reason::Damaged))
}
