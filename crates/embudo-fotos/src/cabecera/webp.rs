//! The pieces of a WebP. Its decoder believes a piece's declared length, and decodes a frame of any size before it
//! compares it with the canvas: both are looked at here first.

use super::medidas;
use crate::Motivo;

/// What the pieces of a WebP tell.
#[derive(Debug, Default)]
pub(crate) struct Piezas<'a> {
    /// The Exif block, where there is one.
    pub exif: Option<&'a [u8]>,
    /// Has a picture coded without loss.
    sin_perdida: bool,
    /// Has a plane of transparency of its own.
    alfa: bool,
    /// Moves.
    animada: bool,
}

impl<'a> Piezas<'a> {
    pub(crate) fn de(bytes: &'a [u8]) -> Result<Self, Motivo> {
        let mut piezas = Self::default();
        piezas.recorrer(bytes.get(12..).ok_or(Motivo::Danada)?, 0)?;
        Ok(piezas)
    }

    /// Bytes that the decoder holds for each pixel of the canvas, the ones it gives included: planes of colour and of
    /// transparency, a frame, a canvas.
    pub(crate) fn bytes_por_pixel(&self) -> u64 {
        if self.animada {
            15
        } else if self.alfa {
            11
        } else if self.sin_perdida {
            8
        } else {
            5
        }
    }

    fn recorrer(&mut self, mut resto: &'a [u8], hondura: u8) -> Result<(), Motivo> {
        while let [a, b, c, d, l0, l1, l2, l3, cuerpo @ ..] = resto {
            let largo = u32::from_le_bytes([*l0, *l1, *l2, *l3]) as usize;
            let nombre = [*a, *b, *c, *d];
            let Some(datos) = cuerpo.get(..largo) else {
                // What follows the picture may be anything; a piece that counts must be all there.
                let cuenta = matches!(
                    &nombre,
                    b"VP8 " | b"VP8L" | b"VP8X" | b"ALPH" | b"ANMF" | b"ANIM" | b"EXIF" | b"ICCP" | b"XMP "
                );
                return if cuenta { Err(Motivo::Danada) } else { Ok(()) };
            };
            match &nombre {
                b"VP8 " => {
                    if let [_, _, _, 0x9D, 0x01, 0x2A, w0, w1, h0, h1, ..] = datos {
                        let lado = |l, h| u32::from(u16::from_le_bytes([l, h]) & 0x3FFF);
                        medidas(lado(*w0, *w1), lado(*h0, *h1))?;
                    }
                }
                b"VP8L" => {
                    self.sin_perdida = true;
                    if let [0x2F, b0, b1, b2, b3, ..] = datos {
                        let bits = u32::from_le_bytes([*b0, *b1, *b2, *b3]);
                        medidas((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1)?;
                    }
                }
                b"ALPH" => self.alfa = true,
                b"EXIF" => self.exif = self.exif.or(Some(datos)),
                b"ANIM" => self.animada = true,
                b"ANMF" => {
                    self.animada = true;
                    if hondura == 0 {
                        self.recorrer(datos.get(16..).ok_or(Motivo::Danada)?, 1)?;
                    }
                }
                _ => {}
            }
            resto = cuerpo.get(largo + (largo & 1)..).unwrap_or_default();
        }
        Ok(())
    }
}
