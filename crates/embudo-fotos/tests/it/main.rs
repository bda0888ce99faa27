//! Photos as people send them, and what becomes of them.

#[path = "../muestras/mod.rs"]
#[allow(dead_code)]
mod muestras;

mod formatos;
mod orientacion;
mod rendiciones;

use embudo_fotos::Imagen;
use image::RgbImage;
use muestras::{AMARILLO, AZUL, ROJO, VERDE};

/// Reads back what was made.
fn ver(imagen: &Imagen) -> RgbImage {
    let vista = image::load_from_memory(&imagen.bytes).expect("what we write can be read").into_rgb8();
    assert_eq!(vista.dimensions(), (imagen.ancho, imagen.alto), "the figures are those of the picture");
    vista
}

fn parece(a: [u8; 3], b: [u8; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) < 40)
}

/// The colours at the centres of the four quarters.
fn cuartos_de(imagen: &RgbImage) -> [[u8; 3]; 4] {
    let (ancho, alto) = imagen.dimensions();
    [(1, 1), (3, 1), (1, 3), (3, 3)].map(|(x, y)| imagen.get_pixel(ancho * x / 4, alto * y / 4).0)
}

fn assert_cuartos(imagen: &RgbImage, esperados: [[u8; 3]; 4], que: &str) {
    let vistos = cuartos_de(imagen);
    assert!(vistos.iter().zip(esperados).all(|(v, e)| parece(*v, e)), "{que}: {vistos:?}, not {esperados:?}");
}

/// Upright, all four colours.
const DERECHA: [[u8; 3]; 4] = [ROJO, VERDE, AZUL, AMARILLO];
/// Upright, white where it was transparent.
const CON_BLANCO: [[u8; 3]; 4] = [ROJO, VERDE, AZUL, [255; 3]];
