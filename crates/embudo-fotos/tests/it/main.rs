//! Photos as people send them, and the renditions made from them.

#[path = "../samples/mod.rs"]
#[allow(dead_code)]
mod samples;

mod formats;
mod orientation;
mod renditions;

use embudo_fotos::Image;
use image::RgbImage;
use samples::{BLUE, GREEN, RED, YELLOW};

/// Decodes a rendition.
fn look(picture: &Image) -> RgbImage {
    let view = image::load_from_memory(&picture.bytes).expect("what we write can be read").into_rgb8();
    assert_eq!(view.dimensions(), (picture.width, picture.height), "the figures are those of the picture");
    view
}

fn looks_like(a: [u8; 3], b: [u8; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) < 40)
}

/// The colours at the centres of the four quarters.
fn quarters_of(picture: &RgbImage) -> [[u8; 3]; 4] {
    let (width, height) = picture.dimensions();
    [(1, 1), (3, 1), (1, 3), (3, 3)].map(|(x, y)| picture.get_pixel(width * x / 4, height * y / 4).0)
}

fn assert_quarters(picture: &RgbImage, expected_ones: [[u8; 3]; 4], what: &str) {
    let seen = quarters_of(picture);
    assert!(
        seen.iter().zip(expected_ones).all(|(v, e)| looks_like(*v, e)),
        "{what}: {seen:?}, not {expected_ones:?}"
    );
}

/// Upright, with all four colours.
const RIGHT: [[u8; 3]; 4] = [RED, GREEN, BLUE, YELLOW];
/// Upright, with white instead of the transparent quarter.
const WITH_WHITE: [[u8; 3]; 4] = [RED, GREEN, BLUE, [255; 3]];
