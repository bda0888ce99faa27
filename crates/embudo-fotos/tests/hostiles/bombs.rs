//! Small files that demand many pixels, much memory or much time.

use embudo_fotos::Reason;
use image::{GrayImage, ImageFormat, RgbImage};

use crate::samples::{
    animated_webp, at, jpeg, jpeg_with, lossy_webp, lossy_webp_with_alpha, png_chunk, png_header,
    progressive_jpeg, quarters, vp8x, webp_chunk, webp_of, with_chunk, with_segment,
};
use crate::{Case, HONEST_TIME};

/// Sizes that are refused because of their number of pixels alone.
const HUGE: [(u32, u32); 5] =
    [(8_000, 8_000), (16_383, 16_383), (10_000, 5_001), (16_000, 16_000), (7_072, 7_071)];

pub fn cases() -> Vec<Case> {
    [png(), jpegs(), webp(), gif(), real()].into_iter().flatten().collect()
}

fn png() -> Vec<Case> {
    let mut cases = Vec::new();
    let outbox = [png_chunk(b"IDAT", b"\x78\x01\x03\0\0\0\0\x01"), png_chunk(b"IEND", &[])].concat();
    for (width, height) in HUGE.into_iter().chain([(30_000, 30_000), (29_999, 29_999)]) {
        for (bits, color) in [(8, 0), (8, 2), (16, 6), (1, 3)] {
            let bytes = [png_header(width, height, bits, color), outbox.clone()].concat();
            let nombre = format!("PNG {width} × {height}, {bits} bits, type {color}");
            // A missing palette may be detected first.
            let pixels = (color != 3).then_some(Reason::TooManyPixels);
            cases.push(Case { expected: pixels, ..Case::new(nombre, bytes) });
        }
    }
    for (width, height) in [(1, 30_001), (2_147_483_647, 1), (2_147_483_647, 2_147_483_647), (65_536, 2)] {
        let bytes = [png_header(width, height, 8, 2), outbox.clone()].concat();
        cases.push(Case::expecting(format!("PNG {width} × {height}"), bytes, Reason::TooLong));
    }
    for (width, height) in [(0, 0), (0, 10), (u32::MAX, u32::MAX)] {
        let bytes = [png_header(width, height, 8, 2), outbox.clone()].concat();
        cases.push(Case::new(format!("PNG {width} × {height}"), bytes));
    }
    let bytes = [png_header(7_000, 7_000, 16, 6), outbox].concat();
    cases.push(Case::expecting("PNG of 49 MP in 16 bits", bytes, Reason::TooMuchMemory));
    // A colour profile and a text of 48 MB each, compressed: they reuse the compressed rows of a black picture.
    let black = at(ImageFormat::Png, GrayImage::new(8_000, 6_000));
    let zlib = idat(&black);
    let small = at(ImageFormat::Png, quarters(48, 32));
    cases.push(Case::new(
        "PNG iCCP bomb",
        with_chunk(&small, b"iCCP", &[b"x\0\0".as_slice(), &zlib].concat()),
    ));
    cases.push(Case::new(
        "PNG zTXt bomb",
        with_chunk(&small, b"zTXt", &[b"x\0\0".as_slice(), &zlib].concat()),
    ));
    let much = [&png_header(48, 32, 8, 0)[..], &png_chunk(b"IDAT", &zlib), &png_chunk(b"IEND", &[])].concat();
    cases.push(Case::new("PNG with more data than pixels", much));
    let many = (0..20_000).flat_map(|_| png_chunk(b"tEXt", b"a\0b")).collect::<Vec<_>>();
    cases.push(Case::new("PNG of 20,000 texts", [&small[..33], &many, &small[33..]].concat()));
    cases
}

fn idat(png: &[u8]) -> Vec<u8> {
    let (mut at, mut data) = (8, Vec::new());
    while let Some(head) = png.get(at..at + 8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if &head[4..] == b"IDAT" {
            data.extend_from_slice(&png[at + 8..at + 8 + length]);
        }
        at += 12 + length;
    }
    data
}

/// A JPEG with its size rewritten.
fn jpeg_of(jpeg: &[u8], width: u16, height: u16) -> Vec<u8> {
    let at = jpeg.windows(2).position(|v| matches!(v, [0xFF, 0xC0 | 0xC2])).expect("a frame header");
    let mut bytes = jpeg.to_vec();
    bytes[at + 5..at + 7].copy_from_slice(&height.to_be_bytes());
    bytes[at + 7..at + 9].copy_from_slice(&width.to_be_bytes());
    bytes
}

fn jpegs() -> Vec<Case> {
    let mut cases = Vec::new();
    let base = quarters(48, 32);
    let one_by_one = jpeg_with(base.as_raw(), (48, 32), jpeg_encoder::ColorType::Rgb, |e| {
        e.set_progressive(true);
        e.set_sampling_factor(jpeg_encoder::SamplingFactor::F_1_1);
    });
    for (nombre, bytes) in [
        ("baseline", jpeg(&base)),
        ("progressive", progressive_jpeg(&base)),
        ("progressive 1 × 1", one_by_one),
    ] {
        for (width, height) in [(65_535, 65_535), (8_000, 8_000), (30_000, 30_000), (10_000, 5_001)] {
            let nombre = format!("JPEG {nombre} {width} × {height}");
            cases.push(Case::expecting(nombre, jpeg_of(&bytes, width, height), Reason::TooManyPixels));
        }
        for (width, height) in [(30_001, 1), (1, 65_535)] {
            let nombre = format!("JPEG {nombre} {width} × {height}");
            cases.push(Case::expecting(nombre, jpeg_of(&bytes, width, height), Reason::TooLong));
        }
        // A size within the limits, followed by almost no data.
        for (width, height) in
            [(7_000, 7_000), (30_000, 1_600), (1_600, 30_000), (6_000, 4_000), (0, 100), (100, 0)]
        {
            cases
                .push(Case::new(format!("JPEG {nombre} {width} × {height}"), jpeg_of(&bytes, width, height)));
        }
    }
    // Thousands of scans, each of a few bytes, over many pixels.
    let progressive = jpeg_of(&progressive_jpeg(&base), 6_000, 4_000);
    let end = progressive.len() - 2;
    let layer = [0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 63, 0, 0x00];
    let layers = layer.repeat(20_000);
    let bytes = [&progressive[..end], &layers, &[0xFF, 0xD9]].concat();
    cases.push(Case::expecting("JPEG of 20,000 scans", bytes, Reason::TooManyLayers));
    // Two frame headers that disagree.
    let big = jpeg_of(&jpeg(&base), 20_000, 20_000);
    let at = big.windows(2).position(|v| v == [0xFF, 0xC0]).expect("a frame header");
    let frame = &big[at + 4..at + 2 + 17];
    cases.push(Case::expecting(
        "JPEG with two frames",
        with_segment(&jpeg(&base), 0xC0, frame),
        Reason::TooManyPixels,
    ));
    let many =
        (0..3_000).fold(jpeg(&base), |j, _| with_segment(&j, 0xE1, b"Exif\0\0II*\0\x08\0\0\0\xFF\xFF"));
    cases.push(Case::new("JPEG of 3,000 Exif blocks", many));
    cases
}

/// A header of a lossy frame with this size.
fn vp8(width: u16, height: u16) -> Vec<u8> {
    let size = [width.to_le_bytes(), height.to_le_bytes()].concat();
    webp_chunk(b"VP8 ", &[&[0x10, 0, 0, 0x9D, 0x01, 0x2A][..], &size, &[0; 64]].concat())
}

/// A header of a lossless frame with this size.
fn vp8l(width: u32, height: u32) -> Vec<u8> {
    let bits = (width - 1) | (height - 1) << 14;
    webp_chunk(b"VP8L", &[&[0x2F][..], &bits.to_le_bytes(), &[0; 64]].concat())
}

fn webp() -> Vec<Case> {
    let mut cases = Vec::new();
    let pixels = Reason::TooManyPixels;
    for (width, height) in HUGE {
        let short = |l: u32| u16::try_from(l).expect("fits");
        let with = vp8(short(width), short(height));
        let frame = |part: &[u8]| {
            let half = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0];
            webp_chunk(b"ANMF", &[&half[..], part].concat())
        };
        let anim = webp_chunk(b"ANIM", &[0; 6]);
        for (nombre, bytes) in [
            ("lossy", webp_of(std::slice::from_ref(&with))),
            ("lossless", webp_of(&[vp8l(width, height)])),
            ("lossy in a canvas of 1 × 1", webp_of(&[vp8x(0, 1, 1), with.clone()])),
            ("lossless in a canvas of 1 × 1", webp_of(&[vp8x(0, 1, 1), vp8l(width, height)])),
            ("lossy frame of an animation", webp_of(&[vp8x(2, 1, 1), anim.clone(), frame(&with)])),
            ("lossless frame of an animation", webp_of(&[vp8x(2, 1, 1), anim, frame(&vp8l(width, height))])),
            ("canvas", webp_of(&[vp8x(0, width, height), vp8(1, 1)])),
        ] {
            cases.push(Case::expecting(format!("WebP {nombre} {width} × {height}"), bytes, pixels));
        }
    }
    for (nombre, bytes) in [
        ("lossless of 49 MP", webp_of(&[vp8l(7_000, 7_000)])),
        ("lossy of 49 MP", webp_of(&[vp8(7_000, 7_000)])),
        ("lossless of 30 MP", webp_of(&[vp8l(6_000, 5_000)])),
        ("canvas of 2^24", webp_of(&[vp8x(0, 1 << 24, 200), vp8(1, 1)])),
    ] {
        cases.push(Case::new(format!("WebP {nombre}"), bytes));
    }
    // Chunks whose declared length exceeds the file.
    for nombre in [b"EXIF", b"ICCP", b"XMP ", b"ALPH", b"VP8 ", b"VP8L", b"ANMF", b"ANIM"] {
        for length in [u32::MAX, u32::MAX - 1, 0x7FFF_FFFF, 1_000_000] {
            let long = [&nombre[..], &length.to_le_bytes(), &[0; 8]].concat();
            for base in [lossy_webp(), lossy_webp_with_alpha(), animated_webp()] {
                let parts = [vp8x(0x3E, 48, 32), base[12..].to_vec(), long.clone()];
                let nombre = String::from_utf8_lossy(nombre);
                cases.push(Case::expecting(
                    format!("WebP {nombre} of {length}"),
                    webp_of(&parts),
                    Reason::Damaged,
                ));
            }
        }
    }
    cases
}

fn gif() -> Vec<Case> {
    let mut cases = Vec::new();
    let gif = |screen: (u16, u16), frame: (u16, u16, u16, u16)| {
        let le = |v: u16| v.to_le_bytes();
        let mut b = b"GIF89a".to_vec();
        b.extend([le(screen.0), le(screen.1)].concat());
        b.extend([0x80, 0, 0, 255, 0, 0, 0, 255, 0, 0x2C]);
        b.extend([le(frame.0), le(frame.1), le(frame.2), le(frame.3)].concat());
        b.extend([0, 2, 2, 0x4C, 0x01, 0, 0x3B]);
        b
    };
    for screen in [(65_535, 65_535), (20_000, 20_000), (10_000, 5_001)] {
        let bytes = gif(screen, (0, 0, 1, 1));
        cases.push(Case::expecting(format!("GIF screen {screen:?}"), bytes, Reason::TooManyPixels));
    }
    for frame in [
        (0, 0, 65_535, 65_535),
        (65_535, 65_535, 65_535, 65_535),
        (0, 0, 20_000, 20_000),
        (1, 1, 8_000, 8_000),
    ] {
        cases.push(Case::new(format!("GIF frame {frame:?}"), gif((1, 1), frame)));
        cases.push(Case::new(format!("GIF frame {frame:?} of 25 MP"), gif((5_000, 5_000), frame)));
    }
    cases.push(Case::new("GIF 49 MP", gif((7_000, 7_000), (0, 0, 7_000, 7_000))));
    cases.push(Case::new("GIF 0 × 0", gif((0, 0), (0, 0, 0, 0))));
    cases
}

/// Complete pictures just within the limits: they may cost what the limits allow, and no more.
fn real() -> Vec<Case> {
    [
        ("a grey PNG of 49 MP", at(ImageFormat::Png, GrayImage::new(7_000, 7_000))),
        ("a JPEG of 49 MP", jpeg(&RgbImage::new(7_000, 7_000))),
        ("a progressive JPEG of 20 MP", progressive_jpeg(&RgbImage::new(5_000, 4_000))),
        ("a WebP of 6 MP", at(ImageFormat::WebP, RgbImage::new(3_000, 2_000))),
    ]
    .map(|(nombre, bytes)| Case { max_time: HONEST_TIME, ..Case::new(nombre, bytes) })
    .into()
}
