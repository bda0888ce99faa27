//! Pixels in memory: on white, eight bits, smaller, upright.
//!
//! A large picture is changed where it lies: a second buffer of its size would double what a call may take.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::{U8, U8x3, U8x4};
use fast_image_resize::{FilterType, PixelTrait, ResizeAlg, ResizeOptions, Resizer};
use image::{ColorType, RgbImage};

use crate::Motivo;

/// A picture as it was decoded.
pub(crate) struct Cruda {
    pub datos: Vec<u8>,
    pub ancho: u32,
    pub alto: u32,
    pub color: ColorType,
}

impl Cruda {
    /// Makes it one or three bytes a pixel, laid on white.
    pub(crate) fn aplanar(&mut self) -> Result<(), Motivo> {
        let datos = &mut self.datos;
        self.color = match self.color {
            ColorType::L8 | ColorType::Rgb8 => return Ok(()),
            ColorType::La8 => {
                compactar(datos, |[l, a]: [u8; 2]| [sobre_blanco(l, a)]);
                ColorType::L8
            }
            ColorType::Rgba8 => {
                compactar(datos, |[r, g, b, a]: [u8; 4]| [r, g, b].map(|c| sobre_blanco(c, a)));
                ColorType::Rgb8
            }
            _ => {
                self.en_ocho_bits()?;
                return self.aplanar();
            }
        };
        Ok(())
    }

    /// Makes it four bytes a pixel, transparency kept.
    pub(crate) fn con_alfa(&mut self) -> Result<(), Motivo> {
        self.en_ocho_bits()?;
        self.datos = match self.color {
            ColorType::Rgba8 => return Ok(()),
            ColorType::L8 => self.datos.iter().flat_map(|l| [*l, *l, *l, 255]).collect(),
            ColorType::La8 => self.datos.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
            ColorType::Rgb8 => self.datos.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect(),
            _ => return Err(Motivo::Danada),
        };
        self.color = ColorType::Rgba8;
        Ok(())
    }

    fn en_ocho_bits(&mut self) -> Result<(), Motivo> {
        self.color = match self.color {
            ColorType::L16 => ColorType::L8,
            ColorType::La16 => ColorType::La8,
            ColorType::Rgb16 => ColorType::Rgb8,
            ColorType::Rgba16 => ColorType::Rgba8,
            ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8 => return Ok(()),
            _ => return Err(Motivo::Danada),
        };
        compactar(&mut self.datos, |dos: [u8; 2]| {
            let valor = u32::from(u16::from_ne_bytes(dos));
            [u8::try_from((valor * 255 + 32_767) / 65_535).expect("a fraction of 255")]
        });
        Ok(())
    }

    /// Makes it at most `lado` pixels long; grey, colour, or colour with transparency.
    pub(crate) fn encoger(self, lado: u32) -> Result<Self, Motivo> {
        let (ancho, alto) = cabe(self.ancho, self.alto, lado);
        if (ancho, alto) == (self.ancho, self.alto) {
            return Ok(self);
        }
        let (antes, despues) = ((self.ancho, self.alto), (ancho, alto));
        let datos = match self.color {
            ColorType::L8 => escalar::<U8>(&self.datos, antes, despues)?,
            ColorType::Rgb8 => escalar::<U8x3>(&self.datos, antes, despues)?,
            ColorType::Rgba8 => escalar::<U8x4>(&self.datos, antes, despues)?,
            _ => return Err(Motivo::Danada),
        };
        Ok(Self { datos, ancho, alto, color: self.color })
    }

    /// The picture in colour; of a small picture, for grey is made three times as large.
    pub(crate) fn en_rgb(self) -> Result<RgbImage, Motivo> {
        let datos = match self.color {
            ColorType::Rgb8 => self.datos,
            ColorType::L8 => self.datos.iter().flat_map(|l| [*l; 3]).collect(),
            _ => return Err(Motivo::Danada),
        };
        RgbImage::from_raw(self.ancho, self.alto, datos).ok_or(Motivo::Danada)
    }
}

/// A smaller copy.
pub(crate) fn encoger_rgb(imagen: &RgbImage, lado: u32) -> Result<RgbImage, Motivo> {
    let (ancho, alto) = cabe(imagen.width(), imagen.height(), lado);
    if (ancho, alto) == imagen.dimensions() {
        return Ok(imagen.clone());
    }
    let datos = escalar::<U8x3>(imagen.as_raw(), imagen.dimensions(), (ancho, alto))?;
    RgbImage::from_raw(ancho, alto, datos).ok_or(Motivo::Danada)
}

/// The size in a square of `lado`: same shape, never larger, never nothing.
fn cabe(ancho: u32, alto: u32, lado: u32) -> (u32, u32) {
    let largo = ancho.max(alto);
    let lado = lado.max(1);
    if largo <= lado {
        return (ancho, alto);
    }
    let (largo, lado) = (u64::from(largo), u64::from(lado));
    let medida = |m: u32| {
        let menor = (u64::from(m) * lado + largo / 2) / largo;
        u32::try_from(menor.max(1)).expect("smaller than it was")
    };
    (medida(ancho), medida(alto))
}

/// One kind of pixel at a time: the resizer's own choice among all it knows would compile every one of them.
fn escalar<P: PixelTrait>(
    datos: &[u8],
    (ancho, alto): (u32, u32),
    (nuevo_ancho, nuevo_alto): (u32, u32),
) -> Result<Vec<u8>, Motivo> {
    let origen = TypedImageRef::<P>::from_buffer(ancho, alto, datos).map_err(|_| Motivo::Danada)?;
    let mut bytes = vec![0; nuevo_ancho as usize * nuevo_alto as usize * P::size()];
    let mut destino =
        TypedImage::<P>::from_buffer(nuevo_ancho, nuevo_alto, &mut bytes).map_err(|_| Motivo::Danada)?;
    let opciones = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
    Resizer::new().resize_typed(&origen, &mut destino, &opciones).map_err(|_| Motivo::Danada)?;
    Ok(bytes)
}

/// Rewrites groups of `DE` bytes as groups of `A`, in place: what is written never overtakes what is read.
fn compactar<const DE: usize, const A: usize>(datos: &mut Vec<u8>, f: impl Fn([u8; DE]) -> [u8; A]) {
    const { assert!(A <= DE) };
    let grupos = datos.len() / DE;
    for i in 0..grupos {
        let grupo = datos[i * DE..(i + 1) * DE].try_into().expect("as many as asked for");
        datos[i * A..(i + 1) * A].copy_from_slice(&f(grupo));
    }
    datos.truncate(grupos * A);
}

fn sobre_blanco(color: u8, alfa: u8) -> u8 {
    let (color, alfa) = (u32::from(color), u32::from(alfa));
    u8::try_from((color * alfa + 255 * (255 - alfa) + 127) / 255).expect("a mean of two bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_keep_their_shape_and_never_grow() {
        assert_eq!(cabe(4032, 3024, 800), (800, 600));
        assert_eq!(cabe(3024, 4032, 800), (600, 800));
        assert_eq!(cabe(800, 800, 800), (800, 800));
        assert_eq!(cabe(10, 7, 800), (10, 7));
        assert_eq!(cabe(30_000, 1, 800), (800, 1));
        assert_eq!(cabe(5, 3, 0), (1, 1));
    }

    #[test]
    fn white_shows_through_what_is_transparent() {
        assert_eq!(sobre_blanco(0, 0), 255);
        assert_eq!(sobre_blanco(0, 255), 0);
        assert_eq!(sobre_blanco(0, 128), 127);
        assert_eq!(sobre_blanco(200, 255), 200);
    }

    #[test]
    fn sixteen_bits_become_eight_without_a_shift_at_either_end() {
        let valores = [0_u16, 128, 129, 32_768, 65_535];
        let datos = valores.iter().flat_map(|v| v.to_ne_bytes()).collect();
        let mut cruda = Cruda { datos, ancho: 5, alto: 1, color: ColorType::L16 };
        cruda.aplanar().expect("grey");
        assert_eq!(cruda.datos, [0, 0, 1, 128, 255]);
    }
}
