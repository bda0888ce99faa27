//! From bytes to pixels, within the limits.

use std::io::Cursor;

use image::codecs::gif::GifDecoder;
use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, Limits, RgbImage, RgbaImage};

use crate::cabecera::{self, medidas, webp::Piezas};
use crate::pixeles::Cruda;
use crate::{Formato, LADO_MAX, MEMORIA_MAX, Motivo};

/// Reads a photo: opaque, upright, at most `lado` pixels long.
pub(crate) fn foto(bytes: &[u8], lado: u32) -> Result<RgbImage, Motivo> {
    let (mut cruda, orientacion) = decodificar(bytes, 0)?;
    cruda.aplanar()?;
    // Turned after it was made small: the other way round moves every pixel of the large one.
    let mut imagen = DynamicImage::ImageRgb8(cruda.encoger(lado)?.en_rgb()?);
    imagen.apply_orientation(orientacion);
    Ok(imagen.into_rgb8())
}

/// Reads a drawing with its transparency: upright, at most `lado` pixels long.
pub(crate) fn logo(bytes: &[u8], lado: u32) -> Result<RgbaImage, Motivo> {
    // Four bytes a pixel, and again as many while transparency is weighed in the scaling.
    let (mut cruda, orientacion) = decodificar(bytes, 8)?;
    cruda.con_alfa()?;
    let cruda = cruda.encoger(lado)?;
    let imagen = RgbaImage::from_raw(cruda.ancho, cruda.alto, cruda.datos).ok_or(Motivo::Danada)?;
    let mut imagen = DynamicImage::ImageRgba8(imagen);
    imagen.apply_orientation(orientacion);
    Ok(imagen.into_rgba8())
}

/// A decoder that has read its headers, and what it will need.
struct Abierta<'a> {
    decoder: Box<dyn ImageDecoder + 'a>,
    orientacion: Orientation,
    /// Memory beside the pixels that it gives.
    ademas: u64,
}

/// What a file is, if its headers are right, within the limits, and followed by something.
pub(crate) fn inspect(bytes: &[u8]) -> Result<Formato, Motivo> {
    let formato = Formato::de(bytes)?;
    needs(&abrir(bytes)?, 0)?;
    cabecera::body::is_there(formato, bytes).then_some(formato).ok_or(Motivo::Danada)
}

/// The memory that a picture takes, if it may have that much.
fn needs(abierta: &Abierta<'_>, extra: u64) -> Result<u64, Motivo> {
    let (ancho, alto) = abierta.decoder.dimensions();
    let pixeles = medidas(ancho, alto)?;
    let total = abierta.decoder.total_bytes();
    let necesita = total.saturating_add(abierta.ademas).saturating_add(pixeles * extra);
    if necesita > MEMORIA_MAX { Err(Motivo::DemasiadaMemoria) } else { Ok(necesita) }
}

/// Decodes all pixels. `extra` is what the caller will need for each of them beside.
fn decodificar(bytes: &[u8], extra: u64) -> Result<(Cruda, Orientation), Motivo> {
    let abierta = abrir(bytes)?;
    let necesita = needs(&abierta, extra)?;
    let mut decoder = abierta.decoder;
    let (ancho, alto) = decoder.dimensions();
    let total = decoder.total_bytes();
    // A GIF's frame may be larger than its screen: four bytes a pixel are counted against this, a fifth is not.
    decoder.set_limits(limites((MEMORIA_MAX - necesita) / 5 * 4)).map_err(|e| motivo_de(&e))?;
    let total = usize::try_from(total).map_err(|_| Motivo::DemasiadaMemoria)?;
    let color = decoder.color_type();
    let mut datos = Vec::new();
    datos.try_reserve_exact(total).map_err(|_| Motivo::DemasiadaMemoria)?;
    datos.resize(total, 0);
    decoder.read_image_boxed(&mut datos).map_err(|e| motivo_de(&e))?;
    Ok((Cruda { datos, ancho, alto, color }, abierta.orientacion))
}

fn abrir(bytes: &[u8]) -> Result<Abierta<'_>, Motivo> {
    let cursor = Cursor::new(bytes);
    let danada = |e: ImageError| motivo_de(&e);
    Ok(match Formato::de(bytes)? {
        Formato::Jpeg => {
            let ademas = cabecera::jpeg::memoria(bytes)?;
            let mut decoder = JpegDecoder::new(cursor).map_err(danada)?;
            let exif = decoder.exif_metadata().ok().flatten();
            Abierta { decoder: Box::new(decoder), orientacion: orientacion(exif.as_deref()), ademas }
        }
        Formato::Png => {
            // Its pieces may be packed: the limit goes in before the first of them is read.
            let mut decoder = PngDecoder::with_limits(cursor, limites(MEMORIA_MAX / 4)).map_err(danada)?;
            let exif = decoder.exif_metadata().ok().flatten();
            Abierta { decoder: Box::new(decoder), orientacion: orientacion(exif.as_deref()), ademas: 0 }
        }
        Formato::WebP => {
            let piezas = Piezas::de(bytes)?;
            let decoder = WebPDecoder::new(cursor).map_err(danada)?;
            let (ancho, alto) = decoder.dimensions();
            let por_pixel = piezas.bytes_por_pixel() - u64::from(decoder.color_type().bytes_per_pixel());
            let ademas = medidas(ancho, alto)? * por_pixel;
            Abierta { decoder: Box::new(decoder), orientacion: orientacion(piezas.exif), ademas }
        }
        Formato::Gif => {
            let decoder = GifDecoder::new(cursor).map_err(danada)?;
            Abierta { decoder: Box::new(decoder), orientacion: Orientation::NoTransforms, ademas: 0 }
        }
    })
}

fn limites(memoria: u64) -> Limits {
    let mut limites = Limits::no_limits();
    limites.max_image_width = Some(LADO_MAX);
    limites.max_image_height = Some(LADO_MAX);
    limites.max_alloc = Some(memoria);
    limites
}

/// The turn that an Exif block asks for. Some writers of WebP and PNG put JPEG's prefix before it.
fn orientacion(exif: Option<&[u8]>) -> Orientation {
    exif.map(|e| e.strip_prefix(b"Exif\0\0").unwrap_or(e))
        .and_then(Orientation::from_exif_chunk)
        .unwrap_or(Orientation::NoTransforms)
}

fn motivo_de(error: &ImageError) -> Motivo {
    use image::error::LimitErrorKind;
    match error {
        ImageError::Limits(e) if matches!(e.kind(), LimitErrorKind::DimensionError) => Motivo::DemasiadoLarga,
        ImageError::Limits(_) => Motivo::DemasiadaMemoria,
        _ => Motivo::Danada,
    }
}
