//! Small files that ask for much: pixels, memory, time.

use embudo_fotos::Motivo;
use image::{GrayImage, ImageFormat, RgbImage};

use crate::muestras::{
    cabecera_png, con_segmento, con_trozo, cuartos, en, jpeg, jpeg_con, jpeg_progresivo, trozo_png,
    trozo_webp, vp8x, webp_animada, webp_con_perdida, webp_con_perdida_y_alfa, webp_de,
};
use crate::{Caso, TIEMPO_HONRADO};

/// Sizes that are refused by their number of pixels alone.
const ENORMES: [(u32, u32); 5] =
    [(8_000, 8_000), (16_383, 16_383), (10_000, 5_001), (16_000, 16_000), (7_072, 7_071)];

pub fn casos() -> Vec<Caso> {
    [png(), jpegs(), webp(), gif(), de_verdad()].into_iter().flatten().collect()
}

fn png() -> Vec<Caso> {
    let mut casos = Vec::new();
    let cola = [trozo_png(b"IDAT", b"\x78\x01\x03\0\0\0\0\x01"), trozo_png(b"IEND", &[])].concat();
    for (ancho, alto) in ENORMES.into_iter().chain([(30_000, 30_000), (29_999, 29_999)]) {
        for (bits, color) in [(8, 0), (8, 2), (16, 6), (1, 3)] {
            let bytes = [cabecera_png(ancho, alto, bits, color), cola.clone()].concat();
            let nombre = format!("PNG {ancho} × {alto}, {bits} bits, type {color}");
            // A palette that is missing may be noticed first.
            let pixeles = (color != 3).then_some(Motivo::DemasiadosPixeles);
            casos.push(Caso { esperado: pixeles, ..Caso::nuevo(nombre, bytes) });
        }
    }
    for (ancho, alto) in [(1, 30_001), (2_147_483_647, 1), (2_147_483_647, 2_147_483_647), (65_536, 2)] {
        let bytes = [cabecera_png(ancho, alto, 8, 2), cola.clone()].concat();
        casos.push(Caso::da(format!("PNG {ancho} × {alto}"), bytes, Motivo::DemasiadoLarga));
    }
    for (ancho, alto) in [(0, 0), (0, 10), (u32::MAX, u32::MAX)] {
        let bytes = [cabecera_png(ancho, alto, 8, 2), cola.clone()].concat();
        casos.push(Caso::nuevo(format!("PNG {ancho} × {alto}"), bytes));
    }
    let bytes = [cabecera_png(7_000, 7_000, 16, 6), cola].concat();
    casos.push(Caso::da("PNG of 49 MP in 16 bits", bytes, Motivo::DemasiadaMemoria));
    // A colour profile and a text of 48 MB each, packed: the packed rows of a black picture.
    let negra = en(ImageFormat::Png, GrayImage::new(8_000, 6_000));
    let zlib = idat(&negra);
    let chica = en(ImageFormat::Png, cuartos(48, 32));
    casos.push(Caso::nuevo(
        "PNG iCCP bomb",
        con_trozo(&chica, b"iCCP", &[b"x\0\0".as_slice(), &zlib].concat()),
    ));
    casos.push(Caso::nuevo(
        "PNG zTXt bomb",
        con_trozo(&chica, b"zTXt", &[b"x\0\0".as_slice(), &zlib].concat()),
    ));
    let mucho =
        [&cabecera_png(48, 32, 8, 0)[..], &trozo_png(b"IDAT", &zlib), &trozo_png(b"IEND", &[])].concat();
    casos.push(Caso::nuevo("PNG with more data than pixels", mucho));
    let muchos = (0..20_000).flat_map(|_| trozo_png(b"tEXt", b"a\0b")).collect::<Vec<_>>();
    casos.push(Caso::nuevo("PNG of 20,000 texts", [&chica[..33], &muchos, &chica[33..]].concat()));
    casos
}

fn idat(png: &[u8]) -> Vec<u8> {
    let (mut en, mut datos) = (8, Vec::new());
    while let Some(cabeza) = png.get(en..en + 8) {
        let largo = u32::from_be_bytes([cabeza[0], cabeza[1], cabeza[2], cabeza[3]]) as usize;
        if &cabeza[4..] == b"IDAT" {
            datos.extend_from_slice(&png[en + 8..en + 8 + largo]);
        }
        en += 12 + largo;
    }
    datos
}

/// A JPEG with its size rewritten.
fn jpeg_de(jpeg: &[u8], ancho: u16, alto: u16) -> Vec<u8> {
    let en = jpeg.windows(2).position(|v| matches!(v, [0xFF, 0xC0 | 0xC2])).expect("a frame header");
    let mut bytes = jpeg.to_vec();
    bytes[en + 5..en + 7].copy_from_slice(&alto.to_be_bytes());
    bytes[en + 7..en + 9].copy_from_slice(&ancho.to_be_bytes());
    bytes
}

fn jpegs() -> Vec<Caso> {
    let mut casos = Vec::new();
    let base = cuartos(48, 32);
    let una_a_una = jpeg_con(base.as_raw(), (48, 32), jpeg_encoder::ColorType::Rgb, |e| {
        e.set_progressive(true);
        e.set_sampling_factor(jpeg_encoder::SamplingFactor::F_1_1);
    });
    for (nombre, bytes) in
        [("baseline", jpeg(&base)), ("progressive", jpeg_progresivo(&base)), ("progressive 1 × 1", una_a_una)]
    {
        for (ancho, alto) in [(65_535, 65_535), (8_000, 8_000), (30_000, 30_000), (10_000, 5_001)] {
            let nombre = format!("JPEG {nombre} {ancho} × {alto}");
            casos.push(Caso::da(nombre, jpeg_de(&bytes, ancho, alto), Motivo::DemasiadosPixeles));
        }
        for (ancho, alto) in [(30_001, 1), (1, 65_535)] {
            let nombre = format!("JPEG {nombre} {ancho} × {alto}");
            casos.push(Caso::da(nombre, jpeg_de(&bytes, ancho, alto), Motivo::DemasiadoLarga));
        }
        // Within the limits, with next to nothing behind it.
        for (ancho, alto) in
            [(7_000, 7_000), (30_000, 1_600), (1_600, 30_000), (6_000, 4_000), (0, 100), (100, 0)]
        {
            casos.push(Caso::nuevo(format!("JPEG {nombre} {ancho} × {alto}"), jpeg_de(&bytes, ancho, alto)));
        }
    }
    // Thousands of scans of some bytes over many pixels.
    let progresiva = jpeg_de(&jpeg_progresivo(&base), 6_000, 4_000);
    let fin = progresiva.len() - 2;
    let capa = [0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 63, 0, 0x00];
    let capas = capa.repeat(20_000);
    let bytes = [&progresiva[..fin], &capas, &[0xFF, 0xD9]].concat();
    casos.push(Caso::da("JPEG of 20,000 scans", bytes, Motivo::DemasiadasCapas));
    // Two frame headers that disagree.
    let grande = jpeg_de(&jpeg(&base), 20_000, 20_000);
    let en = grande.windows(2).position(|v| v == [0xFF, 0xC0]).expect("a frame header");
    let marco = &grande[en + 4..en + 2 + 17];
    casos.push(Caso::da(
        "JPEG with two frames",
        con_segmento(&jpeg(&base), 0xC0, marco),
        Motivo::DemasiadosPixeles,
    ));
    let muchos =
        (0..3_000).fold(jpeg(&base), |j, _| con_segmento(&j, 0xE1, b"Exif\0\0II*\0\x08\0\0\0\xFF\xFF"));
    casos.push(Caso::nuevo("JPEG of 3,000 Exif blocks", muchos));
    casos
}

/// A lossy frame's header of this size.
fn vp8(ancho: u16, alto: u16) -> Vec<u8> {
    let tamano = [ancho.to_le_bytes(), alto.to_le_bytes()].concat();
    trozo_webp(b"VP8 ", &[&[0x10, 0, 0, 0x9D, 0x01, 0x2A][..], &tamano, &[0; 64]].concat())
}

/// A lossless one's.
fn vp8l(ancho: u32, alto: u32) -> Vec<u8> {
    let bits = (ancho - 1) | (alto - 1) << 14;
    trozo_webp(b"VP8L", &[&[0x2F][..], &bits.to_le_bytes(), &[0; 64]].concat())
}

fn webp() -> Vec<Caso> {
    let mut casos = Vec::new();
    let pixeles = Motivo::DemasiadosPixeles;
    for (ancho, alto) in ENORMES {
        let corto = |l: u32| u16::try_from(l).expect("fits");
        let con = vp8(corto(ancho), corto(alto));
        let cuadro = |pieza: &[u8]| {
            let medio = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0];
            trozo_webp(b"ANMF", &[&medio[..], pieza].concat())
        };
        let anim = trozo_webp(b"ANIM", &[0; 6]);
        for (nombre, bytes) in [
            ("lossy", webp_de(std::slice::from_ref(&con))),
            ("lossless", webp_de(&[vp8l(ancho, alto)])),
            ("lossy in a canvas of 1 × 1", webp_de(&[vp8x(0, 1, 1), con.clone()])),
            ("lossless in a canvas of 1 × 1", webp_de(&[vp8x(0, 1, 1), vp8l(ancho, alto)])),
            ("lossy frame of an animation", webp_de(&[vp8x(2, 1, 1), anim.clone(), cuadro(&con)])),
            ("lossless frame of an animation", webp_de(&[vp8x(2, 1, 1), anim, cuadro(&vp8l(ancho, alto))])),
            ("canvas", webp_de(&[vp8x(0, ancho, alto), vp8(1, 1)])),
        ] {
            casos.push(Caso::da(format!("WebP {nombre} {ancho} × {alto}"), bytes, pixeles));
        }
    }
    for (nombre, bytes) in [
        ("lossless of 49 MP", webp_de(&[vp8l(7_000, 7_000)])),
        ("lossy of 49 MP", webp_de(&[vp8(7_000, 7_000)])),
        ("lossless of 30 MP", webp_de(&[vp8l(6_000, 5_000)])),
        ("canvas of 2^24", webp_de(&[vp8x(0, 1 << 24, 200), vp8(1, 1)])),
    ] {
        casos.push(Caso::nuevo(format!("WebP {nombre}"), bytes));
    }
    // Pieces that say they are longer than the file.
    for nombre in [b"EXIF", b"ICCP", b"XMP ", b"ALPH", b"VP8 ", b"VP8L", b"ANMF", b"ANIM"] {
        for largo in [u32::MAX, u32::MAX - 1, 0x7FFF_FFFF, 1_000_000] {
            let larga = [&nombre[..], &largo.to_le_bytes(), &[0; 8]].concat();
            for base in [webp_con_perdida(), webp_con_perdida_y_alfa(), webp_animada()] {
                let piezas = [vp8x(0x3E, 48, 32), base[12..].to_vec(), larga.clone()];
                let nombre = String::from_utf8_lossy(nombre);
                casos.push(Caso::da(format!("WebP {nombre} of {largo}"), webp_de(&piezas), Motivo::Danada));
            }
        }
    }
    casos
}

fn gif() -> Vec<Caso> {
    let mut casos = Vec::new();
    let gif = |pantalla: (u16, u16), cuadro: (u16, u16, u16, u16)| {
        let le = |v: u16| v.to_le_bytes();
        let mut b = b"GIF89a".to_vec();
        b.extend([le(pantalla.0), le(pantalla.1)].concat());
        b.extend([0x80, 0, 0, 255, 0, 0, 0, 255, 0, 0x2C]);
        b.extend([le(cuadro.0), le(cuadro.1), le(cuadro.2), le(cuadro.3)].concat());
        b.extend([0, 2, 2, 0x4C, 0x01, 0, 0x3B]);
        b
    };
    for pantalla in [(65_535, 65_535), (20_000, 20_000), (10_000, 5_001)] {
        let bytes = gif(pantalla, (0, 0, 1, 1));
        casos.push(Caso::da(format!("GIF screen {pantalla:?}"), bytes, Motivo::DemasiadosPixeles));
    }
    for cuadro in [
        (0, 0, 65_535, 65_535),
        (65_535, 65_535, 65_535, 65_535),
        (0, 0, 20_000, 20_000),
        (1, 1, 8_000, 8_000),
    ] {
        casos.push(Caso::nuevo(format!("GIF frame {cuadro:?}"), gif((1, 1), cuadro)));
        casos.push(Caso::nuevo(format!("GIF frame {cuadro:?} of 25 MP"), gif((5_000, 5_000), cuadro)));
    }
    casos.push(Caso::nuevo("GIF 49 MP", gif((7_000, 7_000), (0, 0, 7_000, 7_000))));
    casos.push(Caso::nuevo("GIF 0 × 0", gif((0, 0), (0, 0, 0, 0))));
    casos
}

/// Whole pictures just inside the limits: they cost what they cost, and no more than we said.
fn de_verdad() -> Vec<Caso> {
    [
        ("a grey PNG of 49 MP", en(ImageFormat::Png, GrayImage::new(7_000, 7_000))),
        ("a JPEG of 49 MP", jpeg(&RgbImage::new(7_000, 7_000))),
        ("a progressive JPEG of 20 MP", jpeg_progresivo(&RgbImage::new(5_000, 4_000))),
        ("a WebP of 6 MP", en(ImageFormat::WebP, RgbImage::new(3_000, 2_000))),
    ]
    .map(|(nombre, bytes)| Caso { tiempo_max: TIEMPO_HONRADO, ..Caso::nuevo(nombre, bytes) })
    .into()
}
