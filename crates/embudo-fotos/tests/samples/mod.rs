//! Generated sample pictures: four quarters of red, green, blue and yellow in every format, and the metadata around
//! them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};

pub const RED: [u8; 3] = [255, 0, 0];
pub const GREEN: [u8; 3] = [0, 255, 0];
pub const BLUE: [u8; 3] = [0, 0, 255];
pub const YELLOW: [u8; 3] = [255, 255, 0];

/// A text that must not appear in any output.
pub const CANARY: &[u8] = b"canario-40.4168N-3.7038W";

/// Four quarters: red and green above blue and yellow.
pub fn quarters(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        Rgb(match (x < width / 2, y < height / 2) {
            (true, true) => RED,
            (false, true) => GREEN,
            (true, false) => BLUE,
            (false, false) => YELLOW,
        })
    })
}

/// Like [`quarters`], with a transparent last quarter.
pub fn quarters_with_gap(width: u32, height: u32) -> RgbaImage {
    let opaque = quarters(width, height);
    RgbaImage::from_fn(width, height, |x, y| {
        let [r, g, b] = opaque.get_pixel(x, y).0;
        Rgba([r, g, b, if [r, g, b] == YELLOW { 0 } else { 255 }])
    })
}

pub fn at(format: ImageFormat, picture: impl Into<DynamicImage>) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.into().write_to(&mut bytes, format).expect("a picture is written");
    bytes.into_inner()
}

pub fn jpeg(picture: &RgbImage) -> Vec<u8> {
    jpeg_with(picture.as_raw(), picture.dimensions(), jpeg_encoder::ColorType::Rgb, |_| {})
}

pub fn progressive_jpeg(picture: &RgbImage) -> Vec<u8> {
    jpeg_with(picture.as_raw(), picture.dimensions(), jpeg_encoder::ColorType::Rgb, |e| {
        e.set_progressive(true);
    })
}

pub fn jpeg_with(
    data: &[u8],
    (width, height): (u32, u32),
    color: jpeg_encoder::ColorType,
    adjust: impl FnOnce(&mut jpeg_encoder::Encoder<&mut Vec<u8>>),
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, 90);
    adjust(&mut encoder);
    let side = |l: u32| u16::try_from(l).expect("a small picture");
    encoder.encode(data, side(width), side(height), color).expect("a JPEG is written");
    bytes
}

/// An Exif block with an orientation and a GPS position, in either byte order.
pub fn exif(orientation: u16, big: bool) -> Vec<u8> {
    let two = |v: u16| if big { v.to_be_bytes() } else { v.to_le_bytes() };
    let four = |v: u32| if big { v.to_be_bytes() } else { v.to_le_bytes() };
    let mut b = if big { b"MM".to_vec() } else { b"II".to_vec() };
    b.extend(two(42));
    b.extend(four(8));
    b.extend(two(2));
    // The orientation is a short; the position is an offset to a separate block.
    b.extend([two(0x0112), two(3)].concat());
    b.extend([four(1)].concat());
    b.extend([two(orientation), two(0)].concat());
    b.extend([two(0x8825), two(4)].concat());
    b.extend([four(1), four(38)].concat());
    b.extend(four(0));
    b.extend(two(1));
    b.extend([two(0x001D), two(2)].concat());
    b.extend([four(u32::try_from(CANARY.len()).expect("short")), four(56)].concat());
    b.extend(four(0));
    b.extend(CANARY);
    b
}

/// Inserts a segment right after the start of a JPEG.
pub fn with_segment(jpeg: &[u8], brand: u8, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len() + 2).expect("fits a segment").to_be_bytes();
    [&jpeg[..2], &[0xFF, brand], &length, data, &jpeg[2..]].concat()
}

pub fn jpeg_with_exif(jpeg: &[u8], orientation: u16) -> Vec<u8> {
    let exif = [b"Exif\0\0".as_slice(), &exif(orientation, orientation.is_multiple_of(2))].concat();
    let xmp = [b"http://ns.adobe.com/xap/1.0/\0".as_slice(), b"<x>", CANARY, b"</x>"].concat();
    let with_xmp = with_segment(jpeg, 0xE1, &xmp);
    with_segment(&with_segment(&with_xmp, 0xE1, &exif), 0xFE, CANARY)
}

/// A PNG chunk.
pub fn png_chunk(nombre: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [nombre.as_slice(), data].concat();
    let length = u32::try_from(data.len()).expect("fits a piece").to_be_bytes();
    [&length, &body[..], &crc(&body).to_be_bytes()].concat()
}

fn crc(data: &[u8]) -> u32 {
    !data.iter().fold(!0_u32, |crc, b| {
        (0..8).fold(crc ^ u32::from(*b), |c, _| if c & 1 == 1 { (c >> 1) ^ 0xEDB8_8320 } else { c >> 1 })
    })
}

/// Inserts a chunk after a PNG's header.
pub fn with_chunk(png: &[u8], nombre: &[u8; 4], data: &[u8]) -> Vec<u8> {
    [&png[..33], &png_chunk(nombre, data), &png[33..]].concat()
}

pub fn png_header(width: u32, height: u32, bits: u8, color: u8) -> Vec<u8> {
    let ihdr = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[bits, color, 0, 0, 0]].concat();
    [b"\x89PNG\r\n\x1A\n".as_slice(), &png_chunk(b"IHDR", &ihdr)].concat()
}

/// A WebP chunk.
pub fn webp_chunk(nombre: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).expect("fits a piece").to_le_bytes();
    let filler: &[u8] = if data.len() % 2 == 1 { &[0] } else { &[] };
    [nombre.as_slice(), &length, data, filler].concat()
}

pub fn webp_of(chunks: &[Vec<u8>]) -> Vec<u8> {
    let body = chunks.concat();
    let length = u32::try_from(body.len() + 4).expect("fits").to_le_bytes();
    [b"RIFF".as_slice(), &length, b"WEBP", &body].concat()
}

/// The extended header of a WebP.
pub fn vp8x(traits: u8, width: u32, height: u32) -> Vec<u8> {
    let three = |v: u32| (v - 1).to_le_bytes()[..3].to_vec();
    webp_chunk(b"VP8X", &[vec![traits, 0, 0, 0], three(width), three(height)].concat())
}

/// The coded picture of a simple WebP, as a chunk.
pub fn webp_part(webp: &[u8]) -> Vec<u8> {
    webp[12..].to_vec()
}

/// 48 × 32 pixels, lossy. The bytes are fixed because there is no lossy encoder in pure Rust.
pub fn lossy_webp() -> Vec<u8> {
    base64(
        "UklGRngAAABXRUJQVlA4IGwAAABwBQCdASowACAAPq1CmUumI6KhuqgAwBWJZgC7OUF+Aapb038Sfwz6Kzafu7mfgUxTuZzwAP7tTXON\
         ARxrDeWiy9saf/2JFkT2tAU8+t1v9H/MmfmrlrXzpouX3R//0x87yCSRo4CQAuIAAAA=",
    )
}

/// Like [`lossy_webp`], with a transparent last quarter.
pub fn lossy_webp_with_alpha() -> Vec<u8> {
    base64(
        "UklGRqQAAABXRUJQVlA4WAoAAAAQAAAALwAAHwAAQUxQSBIAAAABINK2mX/To8M/iYgJ8BbJ9wxWUDggbAAAAHAFAJ0BKjAAIAA+rUKZ\
         S6YjoqG6qADAFYlmALs5QX4BqlvTfxJ/DPorNp+7uZ+BTFO5nPAA/u1Nc40BHGsN5aLL2xp//YkWRPa0BTz63W/0f8yZ+auWtfOmi5fd\
         H//THzvIJJGjgJAC4gAAAA==",
    )
}

/// Two pictures in sequence, the second one black.
pub fn animated_webp() -> Vec<u8> {
    base64(
        "UklGRvIAAABXRUJQVlA4WAoAAAACAAAALwAAHwAAQU5JTQYAAAAAAAAAAABBTk1GfgAAAAAAAAAAAC8AAB8AAGQAAAJWUDggZgAAAFAF\
         AJ0BKjAAIAA+6VqjUCklIyK6qAEgHQlmAKw5wP4BqDXAPw7/DPkAu0uZ+BTGElm2QAD+6erWiIP05LyuIaTP//izTeJfBpPeQ9PpC+ep\
         778fVh9S263ahf/vrX39DTTlKbIAAEFOTUZAAAAAAAAAAAAALwAAHwAAZAAAAFZQOCAoAAAAdAIAnQEqMAAgAC7RiMRiAAANBLSAASF5\
         TSTOEAD+86Q/8pfn8pCAAA==",
    )
}

fn base64(text: &str) -> Vec<u8> {
    STANDARD.decode(text).expect("base64")
}
