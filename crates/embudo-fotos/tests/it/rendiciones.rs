//! Sizes, bytes and what is not in them.

use embudo_fotos::{Formato, LADO_IMPRESION, LADO_MINIATURA, Motivo, logo, preparar, rebajar};
use image::{GenericImageView as _, ImageFormat};

use crate::muestras::{
    CANARIO, con_trozo, cuartos, cuartos_con_hueco, en, exif, jpeg, jpeg_con_exif, pieza_webp, trozo_webp,
    vp8x, webp_de,
};
use crate::{DERECHA, assert_cuartos, ver};

#[test]
fn large_is_made_small_and_small_stays() {
    for (de, impresion, miniatura) in [
        ((1600, 1200), (800, 600), (320, 240)),
        ((1200, 1600), (600, 800), (240, 320)),
        ((800, 800), (800, 800), (320, 320)),
        ((500, 100), (500, 100), (320, 64)),
        ((7, 5), (7, 5), (7, 5)),
        ((1, 1), (1, 1), (1, 1)),
        ((3000, 2), (800, 1), (320, 1)),
    ] {
        let hechas = preparar(&jpeg(&cuartos(de.0, de.1))).expect("a photo");
        assert_eq!(ver(&hechas.impresion).dimensions(), impresion, "{de:?}");
        assert_eq!(ver(&hechas.miniatura).dimensions(), miniatura, "{de:?}");
        assert!(hechas.impresion.ancho.max(hechas.impresion.alto) <= LADO_IMPRESION);
        assert!(hechas.miniatura.ancho.max(hechas.miniatura.alto) <= LADO_MINIATURA);
    }
}

#[test]
fn no_place_and_no_other_metadata_survives() {
    let imagen = cuartos(48, 32);
    let webp = pieza_webp(&en(ImageFormat::WebP, imagen.clone()));
    let texto = [b"Comment\0".as_slice(), CANARIO].concat();
    let png = con_trozo(&en(ImageFormat::Png, imagen.clone()), b"tEXt", &texto);
    let casos = [
        jpeg_con_exif(&jpeg(&imagen), 1),
        con_trozo(&png, b"eXIf", &exif(1, true)),
        webp_de(&[
            vp8x(0x0C, 48, 32),
            webp,
            trozo_webp(b"EXIF", &exif(1, false)),
            trozo_webp(b"XMP ", CANARIO),
        ]),
    ];
    for bytes in casos {
        assert!(contiene(&bytes, CANARIO), "the original tells");
        let hechas = preparar(&bytes).expect("a photo");
        for imagen in [&hechas.impresion, &hechas.miniatura] {
            assert_solo_imagen(&imagen.bytes);
        }
        assert_solo_imagen(&rebajar(&bytes, 20, 50).expect("smaller").bytes);
        let logo = logo(&bytes).expect("a logo").bytes;
        assert!(!contiene(&logo, CANARIO) && !contiene(&logo, b"eXIf") && !contiene(&logo, b"tEXt"));
    }
}

fn contiene(bytes: &[u8], aguja: &[u8]) -> bool {
    bytes.windows(aguja.len()).any(|v| v == aguja)
}

/// A JPEG of nothing but the JFIF header, tables, one frame and one scan, with nothing after its end.
fn assert_solo_imagen(bytes: &[u8]) {
    assert!(!contiene(bytes, CANARIO) && !contiene(bytes, b"Exif"));
    let mut en = 2;
    loop {
        let [0xFF, marca, l1, l0] = bytes[en..en + 4] else { panic!("no marker at {en}") };
        assert!(matches!(marca, 0xE0 | 0xDB | 0xC0 | 0xC4 | 0xDA), "marker {marca:02X}");
        en += 2 + usize::from(u16::from_be_bytes([l1, l0]));
        if marca == 0xDA {
            break;
        }
    }
    let fin = bytes.windows(2).position(|v| v == [0xFF, 0xD9]).expect("an end");
    assert_eq!(fin + 2, bytes.len());
}

#[test]
fn the_same_photo_gives_the_same_bytes() {
    let bytes = jpeg_con_exif(&jpeg(&cuartos(1000, 700)), 6);
    assert_eq!(preparar(&bytes), preparar(&bytes));
    assert_eq!(logo(&bytes), logo(&bytes));
}

#[test]
fn steps_of_quality_take_fewer_bytes() {
    let ruido =
        image::RgbImage::from_fn(800, 600, |x, y| image::Rgb([x, y, x * y].map(|v| (v * 7 % 256) as u8)));
    let base = preparar(&jpeg(&ruido)).expect("a photo").impresion.bytes;
    let pasos = [(800, 70), (800, 50), (600, 50), (400, 40), (0, 0), (u32::MAX, 255)];
    let hechas = pasos.map(|(lado, calidad)| rebajar(&base, lado, calidad).expect("smaller"));
    assert!(hechas[..5].windows(2).all(|p| p[0].bytes.len() > p[1].bytes.len()));
    assert_eq!((hechas[2].ancho, hechas[2].alto), (600, 450));
    assert_eq!((hechas[4].ancho, hechas[4].alto), (1, 1));
    assert_eq!((hechas[5].ancho, hechas[5].alto), (800, 600));
}

#[test]
fn a_logo_keeps_its_transparency() {
    let png = logo(&en(ImageFormat::Png, cuartos_con_hueco(1200, 600))).expect("a logo");
    assert_eq!(Formato::de(&png.bytes), Ok(Formato::Png));
    assert_eq!((png.ancho, png.alto), (800, 400));
    let vista = image::load_from_memory(&png.bytes).expect("a PNG");
    assert_eq!(vista.get_pixel(600, 300).0[3], 0);
    assert_eq!(vista.get_pixel(200, 100).0, [255, 0, 0, 255]);
    let opaco = logo(&jpeg(&cuartos(100, 60))).expect("a logo");
    assert_cuartos(&ver(&opaco), DERECHA, "a JPEG logo");
    assert_eq!(logo(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), Err(Motivo::Svg));
}

#[test]
fn reasons_read_well() {
    let textos = [Motivo::Heic, Motivo::Danada, Motivo::DemasiadosPixeles, Motivo::OtroFormato("TIFF")];
    assert_eq!(
        textos.map(|m| m.to_string()),
        [
            "formato HEIC, que no se puede leer",
            "la imagen está dañada",
            "demasiado grande: más de 50 megapíxeles",
            "formato TIFF, que no sabemos leer",
        ]
    );
}
