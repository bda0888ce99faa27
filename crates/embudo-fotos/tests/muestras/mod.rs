//! Real pictures, made here: four quarters of red, green, blue and yellow in every format, and what goes around them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

pub const ROJO: [u8; 3] = [255, 0, 0];
pub const VERDE: [u8; 3] = [0, 255, 0];
pub const AZUL: [u8; 3] = [0, 0, 255];
pub const AMARILLO: [u8; 3] = [255, 255, 0];

/// A text that must appear in nothing that we make.
pub const CANARIO: &[u8] = b"canario-40.4168N-3.7038W";

/// Red, green / blue, yellow.
pub fn cuartos(ancho: u32, alto: u32) -> RgbImage {
    RgbImage::from_fn(ancho, alto, |x, y| {
        Rgb(match (x < ancho / 2, y < alto / 2) {
            (true, true) => ROJO,
            (false, true) => VERDE,
            (true, false) => AZUL,
            (false, false) => AMARILLO,
        })
    })
}

/// The same with a transparent last quarter.
pub fn cuartos_con_hueco(ancho: u32, alto: u32) -> RgbaImage {
    let opaca = cuartos(ancho, alto);
    RgbaImage::from_fn(ancho, alto, |x, y| {
        let [r, g, b] = opaca.get_pixel(x, y).0;
        Rgba([r, g, b, if [r, g, b] == AMARILLO { 0 } else { 255 }])
    })
}

pub fn en(formato: ImageFormat, imagen: impl Into<DynamicImage>) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    imagen.into().write_to(&mut bytes, formato).expect("a picture is written");
    bytes.into_inner()
}

pub fn jpeg(imagen: &RgbImage) -> Vec<u8> {
    jpeg_con(imagen.as_raw(), imagen.dimensions(), jpeg_encoder::ColorType::Rgb, |_| {})
}

pub fn jpeg_progresivo(imagen: &RgbImage) -> Vec<u8> {
    jpeg_con(imagen.as_raw(), imagen.dimensions(), jpeg_encoder::ColorType::Rgb, |e| e.set_progressive(true))
}

pub fn jpeg_con(
    datos: &[u8],
    (ancho, alto): (u32, u32),
    color: jpeg_encoder::ColorType,
    ajustar: impl FnOnce(&mut jpeg_encoder::Encoder<&mut Vec<u8>>),
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, 90);
    ajustar(&mut encoder);
    let lado = |l: u32| u16::try_from(l).expect("a small picture");
    encoder.encode(datos, lado(ancho), lado(alto), color).expect("a JPEG is written");
    bytes
}

/// An Exif block with an orientation and a place, in either byte order.
pub fn exif(orientacion: u16, grande: bool) -> Vec<u8> {
    let dos = |v: u16| if grande { v.to_be_bytes() } else { v.to_le_bytes() };
    let cuatro = |v: u32| if grande { v.to_be_bytes() } else { v.to_le_bytes() };
    let mut b = if grande { b"MM".to_vec() } else { b"II".to_vec() };
    b.extend(dos(42));
    b.extend(cuatro(8));
    b.extend(dos(2));
    // Orientation, a short; the place, an offset to a block of its own.
    b.extend([dos(0x0112), dos(3)].concat());
    b.extend([cuatro(1)].concat());
    b.extend([dos(orientacion), dos(0)].concat());
    b.extend([dos(0x8825), dos(4)].concat());
    b.extend([cuatro(1), cuatro(38)].concat());
    b.extend(cuatro(0));
    b.extend(dos(1));
    b.extend([dos(0x001D), dos(2)].concat());
    b.extend([cuatro(u32::try_from(CANARIO.len()).expect("short")), cuatro(56)].concat());
    b.extend(cuatro(0));
    b.extend(CANARIO);
    b
}

/// Puts a segment right after the start of a JPEG.
pub fn con_segmento(jpeg: &[u8], marca: u8, datos: &[u8]) -> Vec<u8> {
    let largo = u16::try_from(datos.len() + 2).expect("fits a segment").to_be_bytes();
    [&jpeg[..2], &[0xFF, marca], &largo, datos, &jpeg[2..]].concat()
}

pub fn jpeg_con_exif(jpeg: &[u8], orientacion: u16) -> Vec<u8> {
    let exif = [b"Exif\0\0".as_slice(), &exif(orientacion, orientacion.is_multiple_of(2))].concat();
    let xmp = [b"http://ns.adobe.com/xap/1.0/\0".as_slice(), b"<x>", CANARIO, b"</x>"].concat();
    let con_xmp = con_segmento(jpeg, 0xE1, &xmp);
    con_segmento(&con_segmento(&con_xmp, 0xE1, &exif), 0xFE, CANARIO)
}

/// A piece of a PNG.
pub fn trozo_png(nombre: &[u8; 4], datos: &[u8]) -> Vec<u8> {
    let cuerpo = [nombre.as_slice(), datos].concat();
    let largo = u32::try_from(datos.len()).expect("fits a piece").to_be_bytes();
    [&largo, &cuerpo[..], &crc(&cuerpo).to_be_bytes()].concat()
}

fn crc(datos: &[u8]) -> u32 {
    !datos.iter().fold(!0_u32, |crc, b| {
        (0..8).fold(crc ^ u32::from(*b), |c, _| if c & 1 == 1 { (c >> 1) ^ 0xEDB8_8320 } else { c >> 1 })
    })
}

/// Puts a piece after a PNG's header.
pub fn con_trozo(png: &[u8], nombre: &[u8; 4], datos: &[u8]) -> Vec<u8> {
    [&png[..33], &trozo_png(nombre, datos), &png[33..]].concat()
}

/// The header of a PNG.
pub fn cabecera_png(ancho: u32, alto: u32, bits: u8, color: u8) -> Vec<u8> {
    let ihdr = [&ancho.to_be_bytes()[..], &alto.to_be_bytes(), &[bits, color, 0, 0, 0]].concat();
    [b"\x89PNG\r\n\x1A\n".as_slice(), &trozo_png(b"IHDR", &ihdr)].concat()
}

/// A piece of a WebP.
pub fn trozo_webp(nombre: &[u8; 4], datos: &[u8]) -> Vec<u8> {
    let largo = u32::try_from(datos.len()).expect("fits a piece").to_le_bytes();
    let relleno: &[u8] = if datos.len() % 2 == 1 { &[0] } else { &[] };
    [nombre.as_slice(), &largo, datos, relleno].concat()
}

pub fn webp_de(trozos: &[Vec<u8>]) -> Vec<u8> {
    let cuerpo = trozos.concat();
    let largo = u32::try_from(cuerpo.len() + 4).expect("fits").to_le_bytes();
    [b"RIFF".as_slice(), &largo, b"WEBP", &cuerpo].concat()
}

/// The extended header of a WebP.
pub fn vp8x(rasgos: u8, ancho: u32, alto: u32) -> Vec<u8> {
    let tres = |v: u32| (v - 1).to_le_bytes()[..3].to_vec();
    trozo_webp(b"VP8X", &[vec![rasgos, 0, 0, 0], tres(ancho), tres(alto)].concat())
}

/// The coded picture of a simple WebP, as a piece.
pub fn pieza_webp(webp: &[u8]) -> Vec<u8> {
    webp[12..].to_vec()
}

/// 48 × 32 pixels with loss: there is no encoder for it in pure Rust.
pub fn webp_con_perdida() -> Vec<u8> {
    base64(
        "UklGRngAAABXRUJQVlA4IGwAAABwBQCdASowACAAPq1CmUumI6KhuqgAwBWJZgC7OUF+Aapb038Sfwz6Kzafu7mfgUxTuZzwAP7tTXON\
         ARxrDeWiy9saf/2JFkT2tAU8+t1v9H/MmfmrlrXzpouX3R//0x87yCSRo4CQAuIAAAA=",
    )
}

/// The same with a transparent last quarter.
pub fn webp_con_perdida_y_alfa() -> Vec<u8> {
    base64(
        "UklGRqQAAABXRUJQVlA4WAoAAAAQAAAALwAAHwAAQUxQSBIAAAABINK2mX/To8M/iYgJ8BbJ9wxWUDggbAAAAHAFAJ0BKjAAIAA+rUKZ\
         S6YjoqG6qADAFYlmALs5QX4BqlvTfxJ/DPorNp+7uZ+BTFO5nPAA/u1Nc40BHGsN5aLL2xp//YkWRPa0BTz63W/0f8yZ+auWtfOmi5fd\
         H//THzvIJJGjgJAC4gAAAA==",
    )
}

/// Two pictures one after the other, the second black.
pub fn webp_animada() -> Vec<u8> {
    base64(
        "UklGRvIAAABXRUJQVlA4WAoAAAACAAAALwAAHwAAQU5JTQYAAAAAAAAAAABBTk1GfgAAAAAAAAAAAC8AAB8AAGQAAAJWUDggZgAAAFAF\
         AJ0BKjAAIAA+6VqjUCklIyK6qAEgHQlmAKw5wP4BqDXAPw7/DPkAu0uZ+BTGElm2QAD+6erWiIP05LyuIaTP//izTeJfBpPeQ9PpC+ep\
         778fVh9S263ahf/vrX39DTTlKbIAAEFOTUZAAAAAAAAAAAAALwAAHwAAZAAAAFZQOCAoAAAAdAIAnQEqMAAgAC7RiMRiAAANBLSAASF5\
         TSTOEAD+86Q/8pfn8pCAAA==",
    )
}

fn base64(texto: &str) -> Vec<u8> {
    STANDARD.decode(texto).expect("base64")
}
