//! Encodes pixels to the stored bytes: only the picture, without any metadata.

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageEncoder as _, RgbImage, RgbaImage};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use crate::{Image, Reason};

/// A baseline JPEG with 4:2:0 chroma subsampling, which every viewer and the typesetter can read.
pub(crate) fn jpeg(picture: &RgbImage, calidad: u8) -> Result<Image, Reason> {
    let (width, height) = picture.dimensions();
    let side = |l: u32| u16::try_from(l).map_err(|_| Reason::TooLong);
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, calidad.clamp(1, 100));
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder
        .encode(picture.as_raw(), side(width)?, side(height)?, ColorType::Rgb)
        .map_err(|_| Reason::Damaged)?;
    Ok(Image { bytes, width, height })
}

/// A PNG; without an alpha channel if the whole picture is opaque.
pub(crate) fn png(picture: &RgbaImage) -> Result<Image, Reason> {
    let (width, height) = picture.dimensions();
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Best, FilterType::Adaptive);
    let opaque = picture.pixels().all(|p| p.0[3] == 255);
    let written = if opaque {
        let rgb = DynamicImage::ImageRgba8(picture.clone()).into_rgb8();
        encoder.write_image(rgb.as_raw(), width, height, image::ExtendedColorType::Rgb8)
    } else {
        encoder.write_image(picture.as_raw(), width, height, image::ExtendedColorType::Rgba8)
    };
    written.map_err(|_| Reason::Damaged)?;
    Ok(Image { bytes, width, height })
}
