//! QR codes: one vector path for a page, and signs to be printed or cut out.

use std::fmt::Write;

use fast_qr::{ECL, QRBuilder, QRCode};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _};

/// The white margin around a code, in modules: first the minimum for scanners beside other content, then what the
/// standard requires.
const MARGIN: usize = 2;
const SIGN_MARGIN: usize = 4;
/// The minimum side of a sign as a picture, in pixels: the width of a hand at 300 dots per inch.
const SIGN_SIDE: usize = 1_200;

/// An SVG with the quiet zone that scanners need; `None` if the text is too long for a QR code.
pub fn svg(text: &str) -> Option<String> {
    Some(drawn(&code(text)?, MARGIN, ""))
}

/// Like [`svg`], for printing on any surface: on white, with the complete margin.
pub fn sign_svg(text: &str) -> Option<String> {
    Some(drawn(&code(text)?, SIGN_MARGIN, r##"<rect fill="#fff" width="100%" height="100%"/>"##))
}

/// A sign as a PNG picture; `None` if the text is too long for a QR code.
pub fn sign_png(text: &str) -> Option<Vec<u8>> {
    let qr = code(text)?;
    let modules = qr.size + 2 * SIGN_MARGIN;
    let scale = SIGN_SIDE.div_ceil(modules);
    let side = modules * scale;
    let is_black = |x: usize, y: usize| {
        let (x, y) = ((x / scale).checked_sub(SIGN_MARGIN), (y / scale).checked_sub(SIGN_MARGIN));
        matches!((x, y), (Some(x), Some(y)) if x < qr.size && y < qr.size && qr[y][x].value())
    };
    let row = |y: usize| (0..side).map(move |x| if is_black(x, y) { 0_u8 } else { 255 });
    let pixels: Vec<u8> = (0..side).flat_map(row).collect();
    let side = u32::try_from(side).ok()?;
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Best, FilterType::NoFilter);
    encoder.write_image(&pixels, side, side, ExtendedColorType::L8).ok()?;
    Some(bytes)
}

fn code(text: &str) -> Option<QRCode> {
    QRBuilder::new(text).ecl(ECL::M).build().ok()
}

fn drawn(qr: &QRCode, margin: usize, ground: &str) -> String {
    let mut stroke = String::new();
    for y in 0..qr.size {
        let mut x = 0;
        while x < qr.size {
            let start = x;
            while x < qr.size && qr[y][x].value() {
                x += 1;
            }
            if x > start {
                let length = x - start;
                // Writing to a string cannot fail.
                let _ = write!(stroke, "M{} {}h{length}v1h-{length}z", start + margin, y + margin);
            }
            x += 1;
        }
    }
    let side = qr.size + 2 * margin;
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}">{ground}<path fill="#000" d="{stroke}"/></svg>"##
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_link_fits_and_a_book_does_not() {
        let svg = super::svg("https://ejemplo.es/p/abcdef").expect("fits");
        assert!(svg.starts_with("<svg") && svg.contains("M2 2h7v1h-7z"), "{svg}");
        assert_eq!(super::svg(&"x".repeat(5_000)), None);
    }

    #[test]
    fn a_sign_is_on_white_with_all_of_its_margin() {
        let text = "https://ejemplo.es/f/reformas-pena";
        let svg = super::sign_svg(text).expect("fits");
        assert!(svg.contains(r##"fill="#fff""##) && svg.contains("M4 4h7v1h-7z"), "{svg}");
        let png =
            image::load_from_memory(&super::sign_png(text).expect("fits")).expect("a picture").into_luma8();
        assert!(png.width() >= 1_200 && png.width() == png.height());
        let scale = png.width() / (29 + 8);
        let module =
            |x: u32, y: u32| png.get_pixel((x + 4) * scale + scale / 2, (y + 4) * scale + scale / 2).0[0];
        assert_eq!([module(0, 0), module(1, 1), module(3, 3)], [0, 255, 0], "the corner's eye");
        assert!((0..png.width()).all(|x| png.get_pixel(x, 4 * scale - 1).0[0] == 255), "the margin is white");
        assert_eq!(super::sign_png(&"x".repeat(5_000)), None);
    }
}
