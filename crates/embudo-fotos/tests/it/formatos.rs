//! Every kind of picture that people send comes out in its true colours.

use embudo_fotos::{Formato, Motivo, inspect, preparar};
use image::codecs::gif::GifEncoder;
use image::{DynamicImage, Frame, GrayImage, ImageFormat, Luma, Rgba, RgbaImage};
use jpeg_encoder::ColorType;

use crate::muestras::{
    cabecera_png, cuartos, cuartos_con_hueco, en, jpeg, jpeg_con, jpeg_progresivo, trozo_png, webp_animada,
    webp_con_perdida, webp_con_perdida_y_alfa,
};
use crate::{CON_BLANCO, DERECHA, assert_cuartos, ver};

const GRISES: [[u8; 3]; 4] = [[0; 3], [80; 3], [160; 3], [255; 3]];

fn grises() -> GrayImage {
    GrayImage::from_fn(48, 32, |x, y| Luma([GRISES[usize::from(x >= 24) + 2 * usize::from(y >= 16)][0]]))
}

fn assert_sale(bytes: &[u8], esperados: [[u8; 3]; 4], que: &str) {
    let hechas = preparar(bytes).unwrap_or_else(|e| panic!("{que}: {e}"));
    assert_cuartos(&ver(&hechas.impresion), esperados, que);
    assert_cuartos(&ver(&hechas.miniatura), esperados, que);
    assert_eq!(Formato::de(&hechas.impresion.bytes), Ok(Formato::Jpeg));
}

#[test]
fn jpegs_of_every_make() {
    let imagen = cuartos(48, 32);
    assert_sale(&jpeg(&imagen), DERECHA, "baseline");
    assert_sale(&jpeg_progresivo(&imagen), DERECHA, "progressive");
    for (h, v) in [(1, 1), (2, 1), (2, 2), (4, 1)] {
        let factor = jpeg_encoder::SamplingFactor::from_factors(h, v).expect("a factor");
        let bytes = jpeg_con(imagen.as_raw(), (48, 32), ColorType::Rgb, |e| e.set_sampling_factor(factor));
        assert_sale(&bytes, DERECHA, &format!("sampled {h} × {v}"));
    }
    assert_sale(&jpeg_con(grises().as_raw(), (48, 32), ColorType::Luma, |_| {}), GRISES, "grey");
    let tintas: Vec<u8> = imagen.pixels().flat_map(|p| [p[0], p[1], p[2], 255].map(|c| 255 - c)).collect();
    for color in [ColorType::Cmyk, ColorType::CmykAsYcck] {
        assert_sale(&jpeg_con(&tintas, (48, 32), color, |_| {}), DERECHA, &format!("{color:?}"));
    }
}

#[test]
fn pngs_of_every_depth() {
    let imagen = DynamicImage::from(cuartos(48, 32));
    let hueco = DynamicImage::from(cuartos_con_hueco(48, 32));
    let gris = DynamicImage::from(grises());
    let png = |imagen: DynamicImage| en(ImageFormat::Png, imagen);
    assert_sale(&png(imagen.clone()), DERECHA, "RGB, 8 bits");
    assert_sale(&png(imagen.into_rgb16().into()), DERECHA, "RGB, 16 bits");
    assert_sale(&png(hueco.clone()), CON_BLANCO, "RGBA, 8 bits");
    assert_sale(&png(hueco.into_rgba16().into()), CON_BLANCO, "RGBA, 16 bits");
    assert_sale(&png(gris.clone()), GRISES, "grey, 8 bits");
    assert_sale(&png(gris.to_luma16().into()), GRISES, "grey, 16 bits");
    assert_sale(&png(gris.to_luma_alpha8().into()), GRISES, "grey with alpha");
    assert_sale(&png(gris.to_luma_alpha16().into()), GRISES, "grey with alpha, 16 bits");
}

#[test]
fn pngs_with_a_palette() {
    // Four colours of two bits each, the last transparent; 48 × 32, the rows unpacked in a stored deflate block.
    let fila = |a: u8, b: u8| [vec![0], vec![a * 0x55; 6], vec![b * 0x55; 6]].concat();
    let filas = [fila(0, 1).repeat(16), fila(2, 3).repeat(16)].concat();
    let largo = u16::try_from(filas.len()).expect("short");
    let (a, b) = filas.iter().fold((1_u32, 0_u32), |(a, b), d| {
        let a = (a + u32::from(*d)) % 65_521;
        (a, (b + a) % 65_521)
    });
    let zlib = [
        &[0x78, 0x01, 0x01][..],
        &largo.to_le_bytes(),
        &(!largo).to_le_bytes(),
        &filas,
        &(b << 16 | a).to_be_bytes(),
    ];
    let paleta = trozo_png(b"PLTE", &[255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0]);
    let datos = [trozo_png(b"IDAT", &zlib.concat()), trozo_png(b"IEND", &[])].concat();
    let opaca = [&cabecera_png(48, 32, 2, 3), &paleta, &datos].map(Vec::clone).concat();
    assert_sale(&opaca, DERECHA, "palette");
    let alfa = trozo_png(b"tRNS", &[255, 255, 255, 0]);
    let con_hueco = [&cabecera_png(48, 32, 2, 3), &paleta, &alfa, &datos].map(Vec::clone).concat();
    assert_sale(&con_hueco, CON_BLANCO, "palette with a transparent colour");
}

#[test]
fn webps_with_and_without_loss() {
    assert_sale(&en(ImageFormat::WebP, cuartos(48, 32)), DERECHA, "without loss");
    assert_sale(&en(ImageFormat::WebP, cuartos_con_hueco(48, 32)), CON_BLANCO, "without loss, alpha");
    assert_sale(&webp_con_perdida(), DERECHA, "with loss");
    assert_sale(&webp_con_perdida_y_alfa(), CON_BLANCO, "with loss, alpha");
    assert_sale(&webp_animada(), DERECHA, "the first of an animation");
}

#[test]
fn gifs_show_their_first_picture() {
    let mut bytes = Vec::new();
    let mut encoder = GifEncoder::new(&mut bytes);
    let negra = RgbaImage::from_pixel(48, 32, Rgba([0, 0, 0, 255]));
    for cuadro in [cuartos_con_hueco(48, 32), negra] {
        encoder.encode_frame(Frame::new(cuadro)).expect("a frame");
    }
    drop(encoder);
    assert_sale(&bytes, CON_BLANCO, "animated");
}

#[test]
fn half_a_jpeg_shows_its_half() {
    let entera = jpeg(&cuartos(480, 320));
    let hecha = preparar(&entera[..entera.len() * 2 / 3]).expect("the part that is there").impresion;
    assert_eq!((hecha.ancho, hecha.alto), (480, 320));
}

#[test]
fn half_of_another_is_damaged() {
    for formato in [ImageFormat::Png, ImageFormat::WebP, ImageFormat::Gif] {
        let entera = en(formato, DynamicImage::from(cuartos(480, 320)).into_rgba8());
        assert_eq!(preparar(&entera[..entera.len() * 2 / 3]), Err(Motivo::Danada), "{formato:?}");
    }
}

#[test]
fn a_file_that_ends_with_its_headers_is_not_a_picture() {
    let whole = [
        ("JPEG", Formato::Jpeg, jpeg(&cuartos(480, 320))),
        ("progressive JPEG", Formato::Jpeg, jpeg_progresivo(&cuartos(480, 320))),
        ("PNG", Formato::Png, en(ImageFormat::Png, cuartos(480, 320))),
        ("GIF", Formato::Gif, en(ImageFormat::Gif, cuartos_con_hueco(480, 320))),
        ("WebP", Formato::WebP, en(ImageFormat::WebP, cuartos(480, 320))),
        ("WebP with loss", Formato::WebP, webp_con_perdida()),
        ("moving WebP", Formato::WebP, webp_animada()),
    ];
    for (name, formato, bytes) in whole {
        assert_eq!(inspect(&bytes), Ok(formato), "{name}");
        // Up to where the coded pixels begin; of every format that is within its first kilobyte here.
        let start = match formato {
            Formato::Jpeg => bytes.windows(2).position(|w| w == [0xFF, 0xDA]).expect("a scan") + 14,
            Formato::Png => bytes.windows(4).position(|w| w == b"IDAT").expect("data") + 4,
            Formato::Gif => 13,
            Formato::WebP => 30,
        };
        for cut in 0..=start {
            assert!(inspect(&bytes[..cut]).is_err(), "{name}, {cut} bytes");
        }
        let mut ended = bytes[..start].to_vec();
        ended.extend([0xFF, 0xD9]);
        assert!(formato != Formato::Jpeg || inspect(&ended).is_err(), "{name} with a mark of its end");
    }
    assert_eq!(inspect(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"), Err(Motivo::Heic));
    assert_eq!(inspect(b""), Err(Motivo::Vacia));
}
