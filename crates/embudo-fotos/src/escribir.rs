//! From pixels to the bytes that are kept: nothing but the picture, no metadata of any kind.

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageEncoder as _, RgbImage, RgbaImage};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use crate::{Imagen, Motivo};

/// A baseline JPEG with halved colour, which every viewer and the typesetter read.
pub(crate) fn jpeg(imagen: &RgbImage, calidad: u8) -> Result<Imagen, Motivo> {
    let (ancho, alto) = imagen.dimensions();
    let lado = |l: u32| u16::try_from(l).map_err(|_| Motivo::DemasiadoLarga);
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, calidad.clamp(1, 100));
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder.encode(imagen.as_raw(), lado(ancho)?, lado(alto)?, ColorType::Rgb).map_err(|_| Motivo::Danada)?;
    Ok(Imagen { bytes, ancho, alto })
}

/// A PNG; without a plane of transparency where all of it is opaque.
pub(crate) fn png(imagen: &RgbaImage) -> Result<Imagen, Motivo> {
    let (ancho, alto) = imagen.dimensions();
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Best, FilterType::Adaptive);
    let opaca = imagen.pixels().all(|p| p.0[3] == 255);
    let escrita = if opaca {
        let rgb = DynamicImage::ImageRgba8(imagen.clone()).into_rgb8();
        encoder.write_image(rgb.as_raw(), ancho, alto, image::ExtendedColorType::Rgb8)
    } else {
        encoder.write_image(imagen.as_raw(), ancho, alto, image::ExtendedColorType::Rgba8)
    };
    escrita.map_err(|_| Motivo::Danada)?;
    Ok(Imagen { bytes, ancho, alto })
}
