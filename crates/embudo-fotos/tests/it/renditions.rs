//! The sizes and bytes of renditions, and data that they must not contain.

use embudo_fotos::{Format, PRINT_SIDE, Reason, THUMBNAIL_SIDE, logo, prepare, reduce};
use image::{GenericImageView as _, ImageFormat};

use crate::samples::{
    CANARY, at, exif, jpeg, jpeg_with_exif, quarters, quarters_with_gap, vp8x, webp_chunk, webp_of,
    webp_part, with_chunk,
};
use crate::{RIGHT, assert_quarters, look};

#[test]
fn large_is_made_small_and_small_stays() {
    for (of, print, thumbnail) in [
        ((1600, 1200), (800, 600), (320, 240)),
        ((1200, 1600), (600, 800), (240, 320)),
        ((800, 800), (800, 800), (320, 320)),
        ((500, 100), (500, 100), (320, 64)),
        ((7, 5), (7, 5), (7, 5)),
        ((1, 1), (1, 1), (1, 1)),
        ((3000, 2), (800, 1), (320, 1)),
    ] {
        let done = prepare(&jpeg(&quarters(of.0, of.1))).expect("a photo");
        assert_eq!(look(&done.print).dimensions(), print, "{of:?}");
        assert_eq!(look(&done.thumbnail).dimensions(), thumbnail, "{of:?}");
        assert!(done.print.width.max(done.print.height) <= PRINT_SIDE);
        assert!(done.thumbnail.width.max(done.thumbnail.height) <= THUMBNAIL_SIDE);
    }
}

#[test]
fn no_place_and_no_other_metadata_survives() {
    let picture = quarters(48, 32);
    let webp = webp_part(&at(ImageFormat::WebP, picture.clone()));
    let text = [b"Comment\0".as_slice(), CANARY].concat();
    let png = with_chunk(&at(ImageFormat::Png, picture.clone()), b"tEXt", &text);
    let cases = [
        jpeg_with_exif(&jpeg(&picture), 1),
        with_chunk(&png, b"eXIf", &exif(1, true)),
        webp_of(&[
            vp8x(0x0C, 48, 32),
            webp,
            webp_chunk(b"EXIF", &exif(1, false)),
            webp_chunk(b"XMP ", CANARY),
        ]),
    ];
    for bytes in cases {
        assert!(contains(&bytes, CANARY), "the original tells");
        let done = prepare(&bytes).expect("a photo");
        for picture in [&done.print, &done.thumbnail] {
            assert_only_image(&picture.bytes);
        }
        assert_only_image(&reduce(&bytes, 20, 50).expect("smaller").bytes);
        let logo = logo(&bytes).expect("a logo").bytes;
        assert!(!contains(&logo, CANARY) && !contains(&logo, b"eXIf") && !contains(&logo, b"tEXt"));
    }
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|v| v == needle)
}

/// Checks that a JPEG contains only the JFIF header, tables, one frame and one scan, with nothing after its end.
fn assert_only_image(bytes: &[u8]) {
    assert!(!contains(bytes, CANARY) && !contains(bytes, b"Exif"));
    let mut at = 2;
    loop {
        let [0xFF, brand, l1, l0] = bytes[at..at + 4] else { panic!("no marker at {at}") };
        assert!(matches!(brand, 0xE0 | 0xDB | 0xC0 | 0xC4 | 0xDA), "marker {brand:02X}");
        at += 2 + usize::from(u16::from_be_bytes([l1, l0]));
        if brand == 0xDA {
            break;
        }
    }
    let end = bytes.windows(2).position(|v| v == [0xFF, 0xD9]).expect("an end");
    assert_eq!(end + 2, bytes.len());
}

#[test]
fn the_same_photo_gives_the_same_bytes() {
    let bytes = jpeg_with_exif(&jpeg(&quarters(1000, 700)), 6);
    assert_eq!(prepare(&bytes), prepare(&bytes));
    assert_eq!(logo(&bytes), logo(&bytes));
}

#[test]
fn steps_of_quality_take_fewer_bytes() {
    let noise =
        image::RgbImage::from_fn(800, 600, |x, y| image::Rgb([x, y, x * y].map(|v| (v * 7 % 256) as u8)));
    let base = prepare(&jpeg(&noise)).expect("a photo").print.bytes;
    let steps = [(800, 70), (800, 50), (600, 50), (400, 40), (0, 0), (u32::MAX, 255)];
    let done = steps.map(|(side, calidad)| reduce(&base, side, calidad).expect("smaller"));
    assert!(done[..5].windows(2).all(|p| p[0].bytes.len() > p[1].bytes.len()));
    assert_eq!((done[2].width, done[2].height), (600, 450));
    assert_eq!((done[4].width, done[4].height), (1, 1));
    assert_eq!((done[5].width, done[5].height), (800, 600));
}

#[test]
fn a_logo_keeps_its_transparency() {
    let png = logo(&at(ImageFormat::Png, quarters_with_gap(1200, 600))).expect("a logo");
    assert_eq!(Format::of(&png.bytes), Ok(Format::Png));
    assert_eq!((png.width, png.height), (800, 400));
    let view = image::load_from_memory(&png.bytes).expect("a PNG");
    assert_eq!(view.get_pixel(600, 300).0[3], 0);
    assert_eq!(view.get_pixel(200, 100).0, [255, 0, 0, 255]);
    let opaque = logo(&jpeg(&quarters(100, 60))).expect("a logo");
    assert_quarters(&look(&opaque), RIGHT, "a JPEG logo");
    assert_eq!(logo(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), Err(Reason::Svg));
}

#[test]
fn reasons_read_well() {
    let texts = [Reason::Heic, Reason::Damaged, Reason::TooManyPixels, Reason::OtherFormat("TIFF")];
    assert_eq!(
        texts.map(|m| m.to_string()),
        [
            "formato HEIC, que no se puede leer",
            "la imagen está dañada",
            "demasiado grande: más de 50 megapíxeles",
            "formato TIFF, que no sabemos leer",
        ]
    );
}
