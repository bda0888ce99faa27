//! Every kind of picture that people send is converted with its true colours.

use embudo_fotos::{Format, Reason, inspect, prepare};
use image::codecs::gif::GifEncoder;
use image::{DynamicImage, Frame, GrayImage, ImageFormat, Luma, Rgba, RgbaImage};
use jpeg_encoder::ColorType;

use crate::samples::{
    animated_webp, at, jpeg, jpeg_with, lossy_webp, lossy_webp_with_alpha, png_chunk, png_header,
    progressive_jpeg, quarters, quarters_with_gap,
};
use crate::{RIGHT, WITH_WHITE, assert_quarters, look};

const GREYS: [[u8; 3]; 4] = [[0; 3], [80; 3], [160; 3], [255; 3]];

fn greys() -> GrayImage {
    GrayImage::from_fn(48, 32, |x, y| Luma([GREYS[usize::from(x >= 24) + 2 * usize::from(y >= 16)][0]]))
}

fn assert_becomes(bytes: &[u8], expected_ones: [[u8; 3]; 4], what: &str) {
    let done = prepare(bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_quarters(&look(&done.print), expected_ones, what);
    assert_quarters(&look(&done.thumbnail), expected_ones, what);
    assert_eq!(Format::of(&done.print.bytes), Ok(Format::Jpeg));
}

#[test]
fn jpegs_of_every_make() {
    let picture = quarters(48, 32);
    assert_becomes(&jpeg(&picture), RIGHT, "baseline");
    assert_becomes(&progressive_jpeg(&picture), RIGHT, "progressive");
    for (h, v) in [(1, 1), (2, 1), (2, 2), (4, 1)] {
        let factor = jpeg_encoder::SamplingFactor::from_factors(h, v).expect("a factor");
        let bytes = jpeg_with(picture.as_raw(), (48, 32), ColorType::Rgb, |e| e.set_sampling_factor(factor));
        assert_becomes(&bytes, RIGHT, &format!("sampled {h} × {v}"));
    }
    assert_becomes(&jpeg_with(greys().as_raw(), (48, 32), ColorType::Luma, |_| {}), GREYS, "grey");
    let inks: Vec<u8> = picture.pixels().flat_map(|p| [p[0], p[1], p[2], 255].map(|c| 255 - c)).collect();
    for color in [ColorType::Cmyk, ColorType::CmykAsYcck] {
        assert_becomes(&jpeg_with(&inks, (48, 32), color, |_| {}), RIGHT, &format!("{color:?}"));
    }
}

#[test]
fn pngs_of_every_depth() {
    let picture = DynamicImage::from(quarters(48, 32));
    let gap = DynamicImage::from(quarters_with_gap(48, 32));
    let grey = DynamicImage::from(greys());
    let png = |picture: DynamicImage| at(ImageFormat::Png, picture);
    assert_becomes(&png(picture.clone()), RIGHT, "RGB, 8 bits");
    assert_becomes(&png(picture.into_rgb16().into()), RIGHT, "RGB, 16 bits");
    assert_becomes(&png(gap.clone()), WITH_WHITE, "RGBA, 8 bits");
    assert_becomes(&png(gap.into_rgba16().into()), WITH_WHITE, "RGBA, 16 bits");
    assert_becomes(&png(grey.clone()), GREYS, "grey, 8 bits");
    assert_becomes(&png(grey.to_luma16().into()), GREYS, "grey, 16 bits");
    assert_becomes(&png(grey.to_luma_alpha8().into()), GREYS, "grey with alpha");
    assert_becomes(&png(grey.to_luma_alpha16().into()), GREYS, "grey with alpha, 16 bits");
}

#[test]
fn pngs_with_a_palette() {
    // Four colours of two bits each, the last one transparent; 48 × 32, the rows uncompressed in a stored deflate
    // block.
    let row = |a: u8, b: u8| [vec![0], vec![a * 0x55; 6], vec![b * 0x55; 6]].concat();
    let rows = [row(0, 1).repeat(16), row(2, 3).repeat(16)].concat();
    let length = u16::try_from(rows.len()).expect("short");
    let (a, b) = rows.iter().fold((1_u32, 0_u32), |(a, b), d| {
        let a = (a + u32::from(*d)) % 65_521;
        (a, (b + a) % 65_521)
    });
    let zlib = [
        &[0x78, 0x01, 0x01][..],
        &length.to_le_bytes(),
        &(!length).to_le_bytes(),
        &rows,
        &(b << 16 | a).to_be_bytes(),
    ];
    let palette = png_chunk(b"PLTE", &[255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0]);
    let data = [png_chunk(b"IDAT", &zlib.concat()), png_chunk(b"IEND", &[])].concat();
    let opaque = [&png_header(48, 32, 2, 3), &palette, &data].map(Vec::clone).concat();
    assert_becomes(&opaque, RIGHT, "palette");
    let alpha = png_chunk(b"tRNS", &[255, 255, 255, 0]);
    let with_gap = [&png_header(48, 32, 2, 3), &palette, &alpha, &data].map(Vec::clone).concat();
    assert_becomes(&with_gap, WITH_WHITE, "palette with a transparent colour");
}

#[test]
fn webps_with_and_without_loss() {
    assert_becomes(&at(ImageFormat::WebP, quarters(48, 32)), RIGHT, "without loss");
    assert_becomes(&at(ImageFormat::WebP, quarters_with_gap(48, 32)), WITH_WHITE, "without loss, alpha");
    assert_becomes(&lossy_webp(), RIGHT, "with loss");
    assert_becomes(&lossy_webp_with_alpha(), WITH_WHITE, "with loss, alpha");
    assert_becomes(&animated_webp(), RIGHT, "the first of an animation");
}

#[test]
fn gifs_show_their_first_picture() {
    let mut bytes = Vec::new();
    let mut encoder = GifEncoder::new(&mut bytes);
    let black = RgbaImage::from_pixel(48, 32, Rgba([0, 0, 0, 255]));
    for frame in [quarters_with_gap(48, 32), black] {
        encoder.encode_frame(Frame::new(frame)).expect("a frame");
    }
    drop(encoder);
    assert_becomes(&bytes, WITH_WHITE, "animated");
}

#[test]
fn half_a_jpeg_shows_its_half() {
    let whole = jpeg(&quarters(480, 320));
    let done = prepare(&whole[..whole.len() * 2 / 3]).expect("the part that is there").print;
    assert_eq!((done.width, done.height), (480, 320));
}

#[test]
fn half_of_another_is_damaged() {
    for format in [ImageFormat::Png, ImageFormat::WebP, ImageFormat::Gif] {
        let whole = at(format, DynamicImage::from(quarters(480, 320)).into_rgba8());
        assert_eq!(prepare(&whole[..whole.len() * 2 / 3]), Err(Reason::Damaged), "{format:?}");
    }
}

#[test]
fn a_file_that_ends_with_its_headers_is_not_a_picture() {
    let whole = [
        ("JPEG", Format::Jpeg, jpeg(&quarters(480, 320))),
        ("progressive JPEG", Format::Jpeg, progressive_jpeg(&quarters(480, 320))),
        ("PNG", Format::Png, at(ImageFormat::Png, quarters(480, 320))),
        ("GIF", Format::Gif, at(ImageFormat::Gif, quarters_with_gap(480, 320))),
        ("WebP", Format::WebP, at(ImageFormat::WebP, quarters(480, 320))),
        ("WebP with loss", Format::WebP, lossy_webp()),
        ("moving WebP", Format::WebP, animated_webp()),
    ];
    for (name, format, bytes) in whole {
        assert_eq!(inspect(&bytes), Ok(format), "{name}");
        // The last cut: at most the position where the coded pixels begin.
        let start = match format {
            Format::Jpeg => bytes.windows(2).position(|w| w == [0xFF, 0xDA]).expect("a scan") + 14,
            Format::Png => bytes.windows(4).position(|w| w == b"IDAT").expect("data") + 4,
            Format::Gif => 13,
            Format::WebP => 30,
        };
        for cut in 0..=start {
            assert!(inspect(&bytes[..cut]).is_err(), "{name}, {cut} bytes");
        }
        let mut ended = bytes[..start].to_vec();
        ended.extend([0xFF, 0xD9]);
        assert!(format != Format::Jpeg || inspect(&ended).is_err(), "{name} with a mark of its end");
    }
    assert_eq!(inspect(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"), Err(Reason::Heic));
    assert_eq!(inspect(b""), Err(Reason::Empty));
}
