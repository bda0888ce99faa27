//! How long a photo takes and how much memory: `cargo run -p embudo-fotos --release --example medir [FILE…]`. Without
//! files, a photo of 12 megapixels made here.

#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use image::{Rgb, RgbImage};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORIA: PeakAlloc = PeakAlloc;

const VECES: usize = 9;

fn main() -> std::io::Result<()> {
    let archivos: Vec<String> = std::env::args().skip(1).collect();
    if archivos.is_empty() {
        medir("12 MP, baseline", &doce_megapixeles(false));
        medir("12 MP, progressive", &doce_megapixeles(true));
    }
    for archivo in archivos {
        medir(&archivo, &std::fs::read(&archivo)?);
    }
    Ok(())
}

fn medir(nombre: &str, bytes: &[u8]) {
    let antes = MEMORIA.current_usage();
    MEMORIA.reset_peak_usage();
    let mut tiempos: Vec<Duration> = Vec::new();
    for _ in 0..VECES {
        let inicio = Instant::now();
        let hecha = embudo_fotos::preparar(bytes);
        tiempos.push(inicio.elapsed());
        if let Err(motivo) = hecha {
            println!("{nombre}: {motivo}");
            return;
        }
    }
    tiempos.sort();
    let memoria = MEMORIA.peak_usage().saturating_sub(antes) >> 20;
    println!("{nombre}: {} KiB, median {:?}, peak {memoria} MiB", bytes.len() / 1024, tiempos[VECES / 2]);
}

/// Slopes with some grain, which compress about as a photo does.
fn doce_megapixeles(progresiva: bool) -> Vec<u8> {
    let mut azar = 1_u32;
    let imagen = RgbImage::from_fn(4032, 3024, |x, y| {
        azar = azar.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let grano = azar >> 28;
        Rgb([x / 18 + grano, y / 14 + grano, (x + y) / 32 + grano].map(|c| u8::try_from(c).unwrap_or(255)))
    });
    let mut bytes = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, 88);
    encoder.set_sampling_factor(jpeg_encoder::SamplingFactor::F_2_2);
    encoder.set_progressive(progresiva);
    encoder.encode(imagen.as_raw(), 4032, 3024, jpeg_encoder::ColorType::Rgb).expect("a JPEG is written");
    bytes
}
