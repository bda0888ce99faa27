//! Decodes bytes to pixels, within the limits.

use std::io::Cursor;

use image::codecs::gif::GifDecoder;
use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, Limits, RgbImage, RgbaImage};

use crate::header::{self, measures, webp::Parts};
use crate::pixels::Raw;
use crate::{Format, MAX_MEMORY, MAX_SIDE, Reason};

/// Reads a photo: opaque, upright, no side longer than `side` pixels.
pub(crate) fn foto(bytes: &[u8], side: u32) -> Result<RgbImage, Reason> {
    let (mut raw, orientation) = decode(bytes, 0)?;
    raw.flatten()?;
    // The picture is rotated after shrinking, because before it every pixel of the large picture would have to be
    // moved.
    let mut picture = DynamicImage::ImageRgb8(raw.shrink(side)?.in_rgb()?);
    picture.apply_orientation(orientation);
    Ok(picture.into_rgb8())
}

/// Reads a logo with its transparency: upright, no side longer than `side` pixels.
pub(crate) fn logo(bytes: &[u8], side: u32) -> Result<RgbaImage, Reason> {
    // Four bytes per pixel, and four more while the scaling handles transparency.
    let (mut raw, orientation) = decode(bytes, 8)?;
    raw.with_alpha()?;
    let raw = raw.shrink(side)?;
    let picture = RgbaImage::from_raw(raw.width, raw.height, raw.data).ok_or(Reason::Damaged)?;
    let mut picture = DynamicImage::ImageRgba8(picture);
    picture.apply_orientation(orientation);
    Ok(picture.into_rgba8())
}

/// A decoder that has read its headers, and the memory that it will need.
struct Opened<'a> {
    decoder: Box<dyn ImageDecoder + 'a>,
    orientation: Orientation,
    /// The memory in addition to the pixels that it returns.
    besides: u64,
}

/// The format of a file whose headers are valid and within the limits, and that contains data after them.
pub(crate) fn inspect(bytes: &[u8]) -> Result<Format, Reason> {
    let format = Format::of(bytes)?;
    needs(&open(bytes)?, 0)?;
    header::body::is_there(format, bytes).then_some(format).ok_or(Reason::Damaged)
}

/// The memory that a picture needs, if it is within the limit.
fn needs(open: &Opened<'_>, extra: u64) -> Result<u64, Reason> {
    let (width, height) = open.decoder.dimensions();
    let pixels = measures(width, height)?;
    let total = open.decoder.total_bytes();
    let needs = total.saturating_add(open.besides).saturating_add(pixels * extra);
    if needs > MAX_MEMORY { Err(Reason::TooMuchMemory) } else { Ok(needs) }
}

/// Decodes all pixels. `extra` is the number of further bytes per pixel that the caller will need.
fn decode(bytes: &[u8], extra: u64) -> Result<(Raw, Orientation), Reason> {
    let open = open(bytes)?;
    let needs = needs(&open, extra)?;
    let mut decoder = open.decoder;
    let (width, height) = decoder.dimensions();
    let total = decoder.total_bytes();
    // A GIF's frame may be larger than its screen. The decoder needs five bytes for each pixel of the frame, but counts
    // only four of them against this limit.
    decoder.set_limits(limits((MAX_MEMORY - needs) / 5 * 4)).map_err(|e| reason_of(&e))?;
    let total = usize::try_from(total).map_err(|_| Reason::TooMuchMemory)?;
    let color = decoder.color_type();
    let mut data = Vec::new();
    data.try_reserve_exact(total).map_err(|_| Reason::TooMuchMemory)?;
    data.resize(total, 0);
    decoder.read_image_boxed(&mut data).map_err(|e| reason_of(&e))?;
    Ok((Raw { data, width, height, color }, open.orientation))
}

fn open(bytes: &[u8]) -> Result<Opened<'_>, Reason> {
    let cursor = Cursor::new(bytes);
    let damaged = |e: ImageError| reason_of(&e);
    Ok(match Format::of(bytes)? {
        Format::Jpeg => {
            let besides = header::jpeg::memory(bytes)?;
            let mut decoder = JpegDecoder::new(cursor).map_err(damaged)?;
            let exif = decoder.exif_metadata().ok().flatten();
            Opened { decoder: Box::new(decoder), orientation: orientation(exif.as_deref()), besides }
        }
        Format::Png => {
            // PNG chunks may be compressed, so the limit is set before the first of them is read.
            let mut decoder = PngDecoder::with_limits(cursor, limits(MAX_MEMORY / 4)).map_err(damaged)?;
            let exif = decoder.exif_metadata().ok().flatten();
            Opened { decoder: Box::new(decoder), orientation: orientation(exif.as_deref()), besides: 0 }
        }
        Format::WebP => {
            let parts = Parts::of(bytes)?;
            let decoder = WebPDecoder::new(cursor).map_err(damaged)?;
            let (width, height) = decoder.dimensions();
            let per_pixel = parts.bytes_per_pixel() - u64::from(decoder.color_type().bytes_per_pixel());
            let besides = measures(width, height)? * per_pixel;
            Opened { decoder: Box::new(decoder), orientation: orientation(parts.exif), besides }
        }
        Format::Gif => {
            let decoder = GifDecoder::new(cursor).map_err(damaged)?;
            Opened { decoder: Box::new(decoder), orientation: Orientation::NoTransforms, besides: 0 }
        }
    })
}

fn limits(memory: u64) -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(memory);
    limits
}

/// The orientation in an Exif block. Some writers of WebP and PNG put JPEG's prefix before it.
fn orientation(exif: Option<&[u8]>) -> Orientation {
    exif.map(|e| e.strip_prefix(b"Exif\0\0").unwrap_or(e))
        .and_then(Orientation::from_exif_chunk)
        .unwrap_or(Orientation::NoTransforms)
}

fn reason_of(error: &ImageError) -> Reason {
    use image::error::LimitErrorKind;
    match error {
        ImageError::Limits(e) if matches!(e.kind(), LimitErrorKind::DimensionError) => Reason::TooLong,
        ImageError::Limits(_) => Reason::TooMuchMemory,
        _ => Reason::Damaged,
    }
}
