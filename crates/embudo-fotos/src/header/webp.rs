//! The pieces of a WebP. Its decoder believes a piece's declared length, and decodes a frame of any size before it
//! compares it with the canvas: both are looked at here first.

use super::measures;
use crate::Reason;

/// What the pieces of a WebP tell.
#[derive(Debug, Default)]
pub(crate) struct Parts<'a> {
    /// The Exif block, where there is one.
    pub exif: Option<&'a [u8]>,
    /// Has a picture coded without loss.
    lossless: bool,
    /// Has a plane of transparency of its own.
    alpha: bool,
    animated: bool,
}

impl<'a> Parts<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Result<Self, Reason> {
        let mut parts = Self::default();
        parts.walk(bytes.get(12..).ok_or(Reason::Damaged)?, 0)?;
        Ok(parts)
    }

    /// Bytes that the decoder holds for each pixel of the canvas, the ones it gives included: planes of colour and of
    /// transparency, a frame, a canvas.
    pub(crate) fn bytes_per_pixel(&self) -> u64 {
        if self.animated {
            15
        } else if self.alpha {
            11
        } else if self.lossless {
            8
        } else {
            5
        }
    }

    fn walk(&mut self, mut rest: &'a [u8], depth: u8) -> Result<(), Reason> {
        while let [a, b, c, d, l0, l1, l2, l3, body @ ..] = rest {
            let length = u32::from_le_bytes([*l0, *l1, *l2, *l3]) as usize;
            let nombre = [*a, *b, *c, *d];
            let Some(data) = body.get(..length) else {
                // What follows the picture may be anything; a piece that counts must be all there.
                let account = matches!(
                    &nombre,
                    b"VP8 " | b"VP8L" | b"VP8X" | b"ALPH" | b"ANMF" | b"ANIM" | b"EXIF" | b"ICCP" | b"XMP "
                );
                return if account { Err(Reason::Damaged) } else { Ok(()) };
            };
            match &nombre {
                b"VP8 " => {
                    if let [_, _, _, 0x9D, 0x01, 0x2A, w0, w1, h0, h1, ..] = data {
                        let side = |l, h| u32::from(u16::from_le_bytes([l, h]) & 0x3FFF);
                        measures(side(*w0, *w1), side(*h0, *h1))?;
                    }
                }
                b"VP8L" => {
                    self.lossless = true;
                    if let [0x2F, b0, b1, b2, b3, ..] = data {
                        let bits = u32::from_le_bytes([*b0, *b1, *b2, *b3]);
                        measures((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1)?;
                    }
                }
                b"ALPH" => self.alpha = true,
                b"EXIF" => self.exif = self.exif.or(Some(data)),
                b"ANIM" => self.animated = true,
                b"ANMF" => {
                    self.animated = true;
                    if depth == 0 {
                        self.walk(data.get(16..).ok_or(Reason::Damaged)?, 1)?;
                    }
                }
                _ => {}
            }
            rest = body.get(length + (length & 1)..).unwrap_or_default();
        }
        Ok(())
    }
}
