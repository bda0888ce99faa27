//! The camera's orientation is applied to the pixels, for each of the eight orientations and every file format.

use embudo_fotos::prepare;
use image::{ImageFormat, RgbImage};

use crate::samples::{
    at, exif, jpeg, jpeg_with_exif, lossy_webp, quarters, vp8x, webp_chunk, webp_of, webp_part, with_chunk,
};
use crate::{RIGHT, assert_quarters, look};

/// How a camera stores `view` with an orientation. Exif says on which side of the view row 0 and column 0 are.
fn stored(view: &RgbImage, orientation: u16) -> RgbImage {
    let (w, h) = view.dimensions();
    let (width, height) = if orientation < 5 { (w, h) } else { (h, w) };
    RgbImage::from_fn(width, height, |x, y| {
        let (vx, vy) = match orientation {
            1 => (x, y),
            2 => (w - 1 - x, y),
            3 => (w - 1 - x, h - 1 - y),
            4 => (x, h - 1 - y),
            5 => (y, x),
            6 => (w - 1 - y, x),
            7 => (w - 1 - y, h - 1 - x),
            8 => (y, h - 1 - x),
            another => panic!("no orientation {another}"),
        };
        *view.get_pixel(vx, vy)
    })
}

fn in_each_format(stored: &RgbImage, orientation: u16) -> Vec<(&'static str, Vec<u8>)> {
    let png = at(ImageFormat::Png, stored.clone());
    let webp = at(ImageFormat::WebP, stored.clone());
    let (width, height) = stored.dimensions();
    let with_exif =
        |block: &[u8]| webp_of(&[vp8x(0x08, width, height), webp_part(&webp), webp_chunk(b"EXIF", block)]);
    let prefixed = [b"Exif\0\0".as_slice(), &exif(orientation, false)].concat();
    vec![
        ("JPEG", jpeg_with_exif(&jpeg(stored), orientation)),
        ("PNG", with_chunk(&png, b"eXIf", &exif(orientation, true))),
        ("WebP", with_exif(&exif(orientation, false))),
        ("WebP, prefixed", with_exif(&prefixed)),
    ]
}

#[test]
fn all_eight_in_every_format() {
    for (side_a, side_b) in [(48, 32), (1000, 600)] {
        let view = quarters(side_a, side_b);
        for orientation in 1..=8 {
            for (format, bytes) in in_each_format(&stored(&view, orientation), orientation) {
                let what = format!("{format}, orientation {orientation}, {side_a} × {side_b}");
                let done = prepare(&bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
                let measure = (done.print.width, done.print.height);
                assert_eq!(measure, if side_a == 48 { (48, 32) } else { (800, 480) }, "{what}");
                assert_quarters(&look(&done.print), RIGHT, &what);
                assert_quarters(&look(&done.thumbnail), RIGHT, &what);
            }
        }
    }
}

#[test]
fn webp_with_loss_is_turned_too() {
    let block = webp_chunk(b"EXIF", &exif(6, true));
    let bytes = webp_of(&[vp8x(0x08, 48, 32), webp_part(&lossy_webp()), block]);
    let done = prepare(&bytes).expect("a photo").print;
    assert_eq!((done.width, done.height), (32, 48));
}

#[test]
fn a_senseless_turn_is_no_turn() {
    for orientation in [0, 9, 255, 65_535] {
        let bytes = jpeg_with_exif(&jpeg(&quarters(48, 32)), orientation);
        assert_quarters(&look(&prepare(&bytes).expect("a photo").print), RIGHT, "upright");
    }
}
