//! The camera's turn is baked in, whichever of the eight it is and whatever the file.

use embudo_fotos::preparar;
use image::{ImageFormat, RgbImage};

use crate::muestras::{
    con_trozo, cuartos, en, exif, jpeg, jpeg_con_exif, pieza_webp, trozo_webp, vp8x, webp_con_perdida,
    webp_de,
};
use crate::{DERECHA, assert_cuartos, ver};

/// How a camera stores `vista` under an orientation. Exif says on which side of the view row 0 and column 0 lie.
fn guardada(vista: &RgbImage, orientacion: u16) -> RgbImage {
    let (w, h) = vista.dimensions();
    let (ancho, alto) = if orientacion < 5 { (w, h) } else { (h, w) };
    RgbImage::from_fn(ancho, alto, |x, y| {
        let (vx, vy) = match orientacion {
            1 => (x, y),
            2 => (w - 1 - x, y),
            3 => (w - 1 - x, h - 1 - y),
            4 => (x, h - 1 - y),
            5 => (y, x),
            6 => (w - 1 - y, x),
            7 => (w - 1 - y, h - 1 - x),
            8 => (y, h - 1 - x),
            otra => panic!("no orientation {otra}"),
        };
        *vista.get_pixel(vx, vy)
    })
}

fn en_cada_formato(guardada: &RgbImage, orientacion: u16) -> Vec<(&'static str, Vec<u8>)> {
    let png = en(ImageFormat::Png, guardada.clone());
    let webp = en(ImageFormat::WebP, guardada.clone());
    let (ancho, alto) = guardada.dimensions();
    let con_exif =
        |bloque: &[u8]| webp_de(&[vp8x(0x08, ancho, alto), pieza_webp(&webp), trozo_webp(b"EXIF", bloque)]);
    let prefijado = [b"Exif\0\0".as_slice(), &exif(orientacion, false)].concat();
    vec![
        ("JPEG", jpeg_con_exif(&jpeg(guardada), orientacion)),
        ("PNG", con_trozo(&png, b"eXIf", &exif(orientacion, true))),
        ("WebP", con_exif(&exif(orientacion, false))),
        ("WebP, prefixed", con_exif(&prefijado)),
    ]
}

#[test]
fn all_eight_in_every_format() {
    for (lado_a, lado_b) in [(48, 32), (1000, 600)] {
        let vista = cuartos(lado_a, lado_b);
        for orientacion in 1..=8 {
            for (formato, bytes) in en_cada_formato(&guardada(&vista, orientacion), orientacion) {
                let que = format!("{formato}, orientation {orientacion}, {lado_a} × {lado_b}");
                let hechas = preparar(&bytes).unwrap_or_else(|e| panic!("{que}: {e}"));
                let medida = (hechas.impresion.ancho, hechas.impresion.alto);
                assert_eq!(medida, if lado_a == 48 { (48, 32) } else { (800, 480) }, "{que}");
                assert_cuartos(&ver(&hechas.impresion), DERECHA, &que);
                assert_cuartos(&ver(&hechas.miniatura), DERECHA, &que);
            }
        }
    }
}

#[test]
fn webp_with_loss_is_turned_too() {
    let bloque = trozo_webp(b"EXIF", &exif(6, true));
    let bytes = webp_de(&[vp8x(0x08, 48, 32), pieza_webp(&webp_con_perdida()), bloque]);
    let hecha = preparar(&bytes).expect("a photo").impresion;
    assert_eq!((hecha.ancho, hecha.alto), (32, 48));
}

#[test]
fn a_senseless_turn_is_no_turn() {
    for orientacion in [0, 9, 255, 65_535] {
        let bytes = jpeg_con_exif(&jpeg(&cuartos(48, 32)), orientacion);
        assert_cuartos(&ver(&preparar(&bytes).expect("a photo").impresion), DERECHA, "upright");
    }
}
