//! Measures how much time and memory a photo takes: `cargo run -p embudo-fotos --release --example ready [FILE…]`.
//! Without files it uses a generated photo of 12 megapixels.

#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use image::{Rgb, RgbImage};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const TIMES: usize = 9;

fn main() -> std::io::Result<()> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        measure("12 MP, baseline", &twelve_megapixels(false));
        measure("12 MP, progressive", &twelve_megapixels(true));
    }
    for file in files {
        measure(&file, &std::fs::read(&file)?);
    }
    Ok(())
}

fn measure(nombre: &str, bytes: &[u8]) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..TIMES {
        let start = Instant::now();
        let done = embudo_fotos::prepare(bytes);
        times.push(start.elapsed());
        if let Err(reason) = done {
            println!("{nombre}: {reason}");
            return;
        }
    }
    times.sort();
    let memory = MEMORY.peak_usage().saturating_sub(before) >> 20;
    println!("{nombre}: {} KiB, median {:?}, peak {memory} MiB", bytes.len() / 1024, times[TIMES / 2]);
}

/// Gradients with some grain, which compress about as well as a photo does.
fn twelve_megapixels(progressive: bool) -> Vec<u8> {
    let mut random = 1_u32;
    let picture = RgbImage::from_fn(4032, 3024, |x, y| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let grain = random >> 28;
        Rgb([x / 18 + grain, y / 14 + grain, (x + y) / 32 + grain].map(|c| u8::try_from(c).unwrap_or(255)))
    });
    let mut bytes = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, 88);
    encoder.set_sampling_factor(jpeg_encoder::SamplingFactor::F_2_2);
    encoder.set_progressive(progressive);
    encoder.encode(picture.as_raw(), 4032, 3024, jpeg_encoder::ColorType::Rgb).expect("a JPEG is written");
    bytes
}
