//! Valid pictures that are cut and changed: at every kind of position, and at random positions with a fixed seed.

use image::ImageFormat;

use crate::Case;
use crate::samples::{
    animated_webp, at, jpeg, jpeg_with_exif, lossy_webp_with_alpha, progressive_jpeg, quarters,
    quarters_with_gap,
};

fn bases() -> Vec<(&'static str, Vec<u8>)> {
    let picture = quarters(48, 32);
    vec![
        ("JPEG", jpeg_with_exif(&jpeg(&picture), 6)),
        ("progressive JPEG", progressive_jpeg(&picture)),
        ("PNG", at(ImageFormat::Png, quarters_with_gap(48, 32))),
        ("GIF", at(ImageFormat::Gif, quarters_with_gap(48, 32))),
        ("lossless WebP", at(ImageFormat::WebP, picture)),
        ("lossy WebP", lossy_webp_with_alpha()),
        ("animated WebP", animated_webp()),
    ]
}

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut random = Random(0x00E5_B0D0);
    for (nombre, bytes) in bases() {
        // Every position in the headers, and some positions after them.
        let cuts = (0..bytes.len()).filter(|n| *n < 64 || n % (bytes.len() / 40).max(1) == 0);
        for n in cuts {
            cases.push(Case::new(format!("{nombre} cut at {n}"), bytes[..n].to_vec()));
        }
        for nth in 0..80 {
            let mut broken = bytes.clone();
            for _ in 0..=random.until(8) {
                let at = random.until(broken.len());
                match random.until(4) {
                    0 => broken[at] = random.byte(),
                    1 => broken[at] ^= 1 << random.until(8),
                    2 => broken[at] = [0, 0xFF, 0x7F, 0x80][random.until(4)],
                    _ => {
                        let until = (at + random.until(16)).min(broken.len() - 1);
                        broken.copy_within(at..until, random.until(at + 1));
                    }
                }
            }
            cases.push(Case::new(format!("{nombre} changed, {nth}"), broken));
        }
    }
    cases
}

/// Xorshift: the same pictures on every run.
struct Random(u64);

impl Random {
    fn until(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.until(256)).expect("a byte")
    }
}
