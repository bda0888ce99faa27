//! How much memory and time a JPEG will take. A progressive one keeps every coefficient until its last scan, and a
//! scan over millions of pixels can be written in a few bytes: its decoder's own limit on scans knows no pixels.

use super::medidas;
use crate::Motivo;

/// The most pixels that all scans together may go over: a 12-megapixel photo may have eighty, a 50-megapixel one
/// twenty. Encoders write about ten.
const PIXELES_POR_CAPAS_MAX: u64 = 1_000_000_000;

/// What the decoder will hold beside the pixels that it gives, in bytes.
pub(crate) fn memoria(bytes: &[u8]) -> Result<u64, Motivo> {
    let mut cuadro = Cuadro::default();
    let mut guarda = false;
    let mut capas = 0_u64;
    let mut coded = None;
    let mut segmentos = Segmentos { bytes, en: 2 };
    while let Some((marca, datos)) = segmentos.next() {
        match marca {
            // Of several frame headers the worst counts: which of them a decoder believes is its own affair.
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                cuadro = cuadro.peor(&Cuadro::de(datos)?);
                guarda |= !matches!(marca, 0xC0 | 0xC1);
            }
            0xDA => {
                capas += 1;
                coded = coded.or(bytes.len().checked_sub(segmentos.en));
                // Components in scans of their own are kept until the last of them, too.
                guarda |= datos.first().is_none_or(|n| usize::from(*n) < cuadro.componentes);
            }
            _ => {}
        }
    }
    if capas.saturating_mul(cuadro.pixeles) > PIXELES_POR_CAPAS_MAX {
        return Err(Motivo::DemasiadasCapas);
    }
    // A block of 8 × 8 pixels takes a bit at the very least. Where what follows the first scan's header is not a sixteenth of
    // that, or no more than the mark of the end, nothing would be seen but grey, at the price of a whole picture.
    if coded.unwrap_or(0) as u64 <= (cuadro.pixeles / (64 * 8 * 16)).max(2) {
        return Err(Motivo::Danada);
    }
    // The decoder keeps a copy of its input.
    Ok(bytes.len() as u64 + if guarda { cuadro.coeficientes } else { 0 })
}

/// A frame header.
#[derive(Default)]
struct Cuadro {
    pixeles: u64,
    componentes: usize,
    /// Bytes of all coefficients.
    coeficientes: u64,
}

impl Cuadro {
    fn de(datos: &[u8]) -> Result<Self, Motivo> {
        let [_, alto_1, alto_0, ancho_1, ancho_0, _, resto @ ..] = datos else { return Err(Motivo::Danada) };
        let ancho = u16::from_be_bytes([*ancho_1, *ancho_0]).into();
        let alto = u16::from_be_bytes([*alto_1, *alto_0]).into();
        let pixeles = medidas(ancho, alto)?;
        let factores = || resto.chunks_exact(3).map(|c| (u64::from(c[1] >> 4), u64::from(c[1] & 15)));
        let (h, v) = factores().fold((1, 1), |(h, v), (ch, cv)| (h.max(ch), v.max(cv)));
        let suma: u64 = factores().map(|(ch, cv)| ch * cv).sum();
        // Rows and columns are filled up to whole units of 8 × 8 times the factors.
        let lleno = u64::from(ancho).next_multiple_of(8 * h) * u64::from(alto).next_multiple_of(8 * v);
        Ok(Self { pixeles, componentes: resto.len() / 3, coeficientes: lleno * suma * 2 / (h * v) })
    }

    fn peor(&self, otro: &Self) -> Self {
        Self {
            pixeles: self.pixeles.max(otro.pixeles),
            componentes: self.componentes.max(otro.componentes),
            coeficientes: self.coeficientes.max(otro.coeficientes),
        }
    }
}

/// The segments of a JPEG in order, with what their length encloses.
struct Segmentos<'a> {
    bytes: &'a [u8],
    en: usize,
}

impl<'a> Iterator for Segmentos<'a> {
    type Item = (u8, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        // Filling bytes, and the coded data after a scan's header, are passed over until the next marker.
        loop {
            let resto = self.bytes.get(self.en..)?;
            let salto = resto.iter().position(|b| *b == 0xFF)?;
            let marca = *resto.get(salto + 1)?;
            self.en += salto + 1;
            match marca {
                0xFF => continue,
                0x00 | 0x01 | 0xD0..=0xD8 => self.en += 1,
                0xD9 => return None,
                _ => {
                    let cuerpo = self.bytes.get(self.en + 1..)?;
                    let largo = usize::from(u16::from_be_bytes([*cuerpo.first()?, *cuerpo.get(1)?]));
                    let fin = largo.clamp(2, cuerpo.len());
                    self.en += 1 + fin;
                    return Some((marca, &cuerpo[2..fin]));
                }
            }
        }
    }
}
