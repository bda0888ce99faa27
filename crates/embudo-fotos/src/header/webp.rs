//! The chunks of a WebP. Its decoder trusts the declared length of a chunk, and decodes a frame of any size before
//! comparing it with the canvas: both are checked here first.

use super::measures;
use crate::Reason;

/// What the chunks of a WebP tell about it.
#[derive(Debug, Default)]
pub(crate) struct Parts<'a> {
    /// The Exif chunk, if there is one.
    pub exif: Option<&'a [u8]>,
    /// Whether it contains a losslessly coded picture.
    lossless: bool,
    /// Whether it has a separate alpha plane.
    alpha: bool,
    animated: bool,
}

impl<'a> Parts<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Result<Self, Reason> {
        let mut parts = Self::default();
        parts.walk(bytes.get(12..).ok_or(Reason::Damaged)?, 0)?;
        Ok(parts)
    }

    /// The bytes that the decoder needs for each pixel of the canvas, including its output: colour and alpha planes, a
    /// frame, a canvas.
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
                // Arbitrary data may follow the picture, but a chunk that matters must be complete.
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
