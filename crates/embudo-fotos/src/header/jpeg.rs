//! Estimates how much memory and time a JPEG takes. A progressive JPEG keeps every coefficient until its last scan, and
//! a scan over millions of pixels can be written in a few bytes. The decoder's own limit counts scans, not pixels.

use super::measures;
use crate::Reason;

/// The maximum number of pixels that all scans together may cover: eighty scans for a 12-megapixel photo, twenty for a
/// 50-megapixel photo. Encoders write about ten.
const MAX_LAYERED_PIXELS: u64 = 1_000_000_000;

/// The memory in bytes that the decoder needs in addition to the pixels that it returns.
pub(crate) fn memory(bytes: &[u8]) -> Result<u64, Reason> {
    let mut frame = Frame::default();
    let mut keeps = false;
    let mut layers = 0_u64;
    let mut coded = None;
    let mut segments = Segments { bytes, at: 2 };
    while let Some((marker, data)) = segments.next() {
        match marker {
            // If there are several frame headers, the worst one counts, because decoders differ in which one they use.
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                frame = frame.worst(&Frame::of(data)?);
                keeps |= !matches!(marker, 0xC0 | 0xC1);
            }
            0xDA => {
                layers += 1;
                coded = coded.or(bytes.len().checked_sub(segments.at));
                // Components that are in separate scans are also kept until the last scan.
                keeps |= data.first().is_none_or(|n| usize::from(*n) < frame.components);
            }
            _ => {}
        }
    }
    if layers.saturating_mul(frame.pixels) > MAX_LAYERED_PIXELS {
        return Err(Reason::TooManyLayers);
    }
    // A block of 8 × 8 pixels takes at least one bit. If the data after the first scan's header is less than a
    // sixteenth of that, or only the end marker, the picture would be plain grey but cost as much as a whole picture.
    if coded.unwrap_or(0) as u64 <= (frame.pixels / (64 * 8 * 16)).max(2) {
        return Err(Reason::Damaged);
    }
    // The decoder keeps a copy of its input.
    Ok(bytes.len() as u64 + if keeps { frame.coefficients } else { 0 })
}

/// The data of a frame header.
#[derive(Default)]
struct Frame {
    pixels: u64,
    components: usize,
    /// The size of all coefficients in bytes.
    coefficients: u64,
}

impl Frame {
    fn of(data: &[u8]) -> Result<Self, Reason> {
        let [_, height_1, height_0, width_1, width_0, _, rest @ ..] = data else {
            return Err(Reason::Damaged);
        };
        let width = u16::from_be_bytes([*width_1, *width_0]).into();
        let height = u16::from_be_bytes([*height_1, *height_0]).into();
        let pixels = measures(width, height)?;
        let factors = || rest.chunks_exact(3).map(|c| (u64::from(c[1] >> 4), u64::from(c[1] & 15)));
        let (h, v) = factors().fold((1, 1), |(h, v), (ch, cv)| (h.max(ch), v.max(cv)));
        let sum: u64 = factors().map(|(ch, cv)| ch * cv).sum();
        // Rows and columns are padded to whole units of 8 × 8 times the sampling factors.
        let full = u64::from(width).next_multiple_of(8 * h) * u64::from(height).next_multiple_of(8 * v);
        Ok(Self { pixels, components: rest.len() / 3, coefficients: full * sum * 2 / (h * v) })
    }

    fn worst(&self, other: &Self) -> Self {
        Self {
            pixels: self.pixels.max(other.pixels),
            components: self.components.max(other.components),
            coefficients: self.coefficients.max(other.coefficients),
        }
    }
}

/// The segments of a JPEG in order, each as its marker and its content.
struct Segments<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Segments<'a> {
    type Item = (u8, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        // Skips padding bytes, and the coded data after a scan's header, up to the next marker.
        loop {
            let rest = self.bytes.get(self.at..)?;
            let jump = rest.iter().position(|b| *b == 0xFF)?;
            let marker = *rest.get(jump + 1)?;
            self.at += jump + 1;
            match marker {
                0xFF => continue,
                0x00 | 0x01 | 0xD0..=0xD8 => self.at += 1,
                0xD9 => return None,
                _ => {
                    let body = self.bytes.get(self.at + 1..)?;
                    let length = usize::from(u16::from_be_bytes([*body.first()?, *body.get(1)?]));
                    let end = length.clamp(2, body.len());
                    self.at += 1 + end;
                    return Some((marker, &body[2..end]));
                }
            }
        }
    }
}
