//! Sample quotes, made from the shipped prices and taxes, with pictures that are drawn here.

use std::collections::HashMap;

use bytes::Bytes;
use embudo_domain::brand::Brand;
use embudo_domain::color::Color;
use embudo_domain::ingesta::Momento;
use embudo_domain::iva::{Condiciones, Contratante, Impuestos};
use embudo_domain::perfil::{Calidad, Urgencia};
use embudo_domain::presupuesto::{
    Cliente, Document, Issuer, PresupuestoNumber, PrintedFoto, PrintedNota, Terms, Validity,
};
use embudo_domain::pricing::PricingInput;
use embudo_domain::tarifa::Tarifa;
use embudo_domain::{FotoId, Zona};
use embudo_quote::{Foto, PdfRequest};
use jiff::civil::{Date, date};

/// The day of every sample.
pub const TODAY: Date = date(2026, 11, 15);

/// A quote for a lead of whom only the contact data is known.
pub fn minimum() -> PdfRequest {
    pdf_request(1, &PricingInput::default(), Condiciones::default(), "Lucía Gómez Ibáñez")
}

/// A bathroom of 5 m² with three pairs of pictures.
pub fn bano() -> PdfRequest {
    let mut e = bano_without_fotos();
    for i in 0..6 {
        let momento = if i % 2 == 0 { Momento::Before } else { Momento::After };
        let size = if i < 2 { (600, 800) } else { (800, 600) };
        add_foto(&mut e, i, Zona::Bano, momento, size);
    }
    e
}

/// A bathroom of 5 m² with notes.
pub fn bano_without_fotos() -> PdfRequest {
    let data = PricingInput {
        kind: Some(Zona::Bano),
        m2_suelo: Some(5.0),
        calidad: Some(Calidad::Media),
        estructural: Some(false),
        urgencia: Some(Urgencia::Media),
        provincia: Some("Madrid".into()),
        ascensor: Some(true),
        ..PricingInput::default()
    };
    let mut e = pdf_request(42, &data, Condiciones::default(), "María Pérez Ñúñez");
    e.document.notas = vec![
        nota(Zona::Bano, "Queremos cambiar la bañera por un plato de ducha, y que la mampara sea fija."),
        nota(Zona::Bano, "La ventana da al patio 🙂\nEl calentador está en la cocina, no hay que moverlo."),
    ];
    e
}

/// A whole flat in the Canaries with forty photos in several zones, long names and notes, and pictures that are
/// missing.
pub fn integral() -> PdfRequest {
    let data = PricingInput {
        kind: Some(Zona::Integral),
        m2_suelo: Some(80.0),
        calidad: Some(Calidad::Premium),
        estructural: Some(true),
        urgencia: Some(Urgencia::Alta),
        provincia: Some("Santa Cruz de Tenerife".into()),
        presupuesto_target: Some(embudo_domain::money::Cents::euros(75_000)),
        ..PricingInput::default()
    };
    let nombre = "Comunidad de Propietarios del Edificio Residencial Nuestra Señora de la Candelaria y los Ángeles, \
                  representada por Maximiliano Francisco de Borja Etxeberria-Goikoetxea";
    let mut e = pdf_request(12_345, &data, Condiciones::default(), nombre);
    let zonas = [Zona::Integral, Zona::Cocina, Zona::Bano, Zona::Salon, Zona::Other];
    for i in 0..40 {
        let zona = zonas[i % 5];
        let momento = if (i / 5) % 2 == 1 && zona != Zona::Other { Momento::After } else { Momento::Before };
        let size = [(800, 600), (600, 800), (800, 450), (800, 800), (800, 260)][(i / 3) % 5];
        add_foto(&mut e, i, zona, momento, size);
        if i % 11 == 7 {
            let reason = "El enlace de la foto no respondió a tiempo.".to_owned();
            let id = e.document.fotos[i].id;
            e.fotos.insert(id, Foto::Gap(reason));
        }
    }
    let length =
        "La vivienda está en un cuarto piso sin ascensor, el portal es estrecho y la comunidad solo permite \
                 ruido de 9:00 a 14:00 y de 16:00 a 18:00, así que habrá que organizar bien los acopios. "
            .repeat(6);
    e.document.notas = vec![
        nota(Zona::Integral, &length),
        nota(Zona::Integral, "👍🏽 ¡Gracias! 🛠️🚿🛁 El baño pequeño primero 👨‍👩‍👧, por favor. 1️⃣ 2️⃣"),
        nota(Zona::Cocina, "Supercalifragilisticoespialidoso".repeat(12).as_str()),
        nota(Zona::Salon, "Suelo de tarima: nos gusta el roble. مرحبا — 你好 — Ελληνικά"),
    ];
    e
}

/// A kitchen for which the reduced rate was denied.
pub fn cocina() -> PdfRequest {
    let data = PricingInput {
        kind: Some(Zona::Cocina),
        m2_suelo: Some(12.0),
        calidad: Some(Calidad::Premium),
        provincia: Some("Sevilla".into()),
        ..PricingInput::default()
    };
    let no = Condiciones { contratante: Some(Contratante::Empresa), ..Condiciones::default() };
    let mut e = pdf_request(7, &data, no, "Inversiones Guadalquivir 2020, S. L.");
    for i in 0..12 {
        let momento = if i < 6 { Momento::Before } else { Momento::After };
        add_foto(&mut e, i, Zona::Cocina, momento, (800, 600));
    }
    e.page_url = None;
    e.logo = None;
    e.document.empresa.color = Color([0xf2, 0xb7, 0x05]);
    e
}

/// A quote in which every text tries to inject something.
pub fn hostile() -> PdfRequest {
    let mut e = minimum();
    let d = &mut e.document;
    d.cliente.nombre = "#panic(\"x\") $x$ <a> *b* _c_ @ref \\ \"comillas\" [corchetes] // nada /* */".into();
    d.cliente.email = "a\u{202e}b@example.com".into();
    d.cliente.provincia = Some("#eval(\"1\")\u{0}\u{200b}".into());
    d.empresa.nombre = "#read(\"/etc/passwd\") & <Hijos> 你好".into();
    d.empresa.address = Some("= No soy un título\n- ni una lista".into());
    d.condiciones = vec!["#image(\"/etc/passwd\")".into(), "x".repeat(3_000)];
    d.notas = [
        "y".repeat(10_000),
        "#panic(\"nota\")".into(),
        "😀🚿👨‍👩‍👧‍👦🇪🇸1️⃣🏳️‍🌈🫠".into(),
        "مرحبا بالعالم \u{202e}שלום\u{202c} 你好世界".into(),
        "a\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}b e\u{301}\u{301}\u{301} \u{e000}\u{f0000}\u{fffe}".into(),
        "\u{1}\u{7f}\u{85}\r\n\u{2028}\u{2029}\t".into(),
        String::new(),
    ]
    .iter()
    .map(|t| nota(Zona::Other, t))
    .collect();
    e.page_url = Some("https://example.com/?q=#\"\\<>&".into());
    e
}

pub fn pdf_request(orden: u32, data: &PricingInput, condiciones: Condiciones, nombre: &str) -> PdfRequest {
    let (pricing, impuesto) =
        Impuestos::por_defecto().price(data, &Tarifa::por_defecto(), condiciones, TODAY);
    PdfRequest {
        number: Some(PresupuestoNumber::new(2026, orden).expect("a number")),
        version: 1,
        validity: Validity::new(TODAY, 30),
        document: Document {
            cliente: Cliente {
                nombre: nombre.to_owned(),
                telefono: "+34612345678".to_owned(),
                email: "cliente@example.com".to_owned(),
                provincia: data.provincia.clone(),
            },
            empresa: Issuer {
                nombre: "Reformas Ñandú".to_owned(),
                razon_social: Some("Construcciones y Reformas Ñandú, S. L.".to_owned()),
                nif: Some("B12345674".to_owned()),
                address: Some("Calle Mayor 1, 28013 Madrid".to_owned()),
                telefono: Some("910 12 34 56".to_owned()),
                email: Some("hola@nandu.example".to_owned()),
                web: Some("www.nandu.example".to_owned()),
                color: Color::DEFAULT,
                logo: None,
            },
            pricing,
            impuesto,
            valid_days: 30,
            notas: Vec::new(),
            fotos: Vec::new(),
            condiciones: Brand::default().condiciones(),
            rooms: Vec::new(),
            options: Vec::new(),
            discount: None,
            terms: Terms::default(),
            decided: None,
            legal: Vec::new(),
        },
        logo: Some(Bytes::from_static(include_bytes!("logo.png"))),
        fotos: HashMap::new(),
        page_url: Some("https://nandu.example/p/3q2-7wYjv0Kf9mXc1sZbTnRgHh5dLpQe".to_owned()),
        accepted: None,
    }
}

pub fn nota(zona: Zona, text: &str) -> PrintedNota {
    PrintedNota { zona, text: text.to_owned() }
}

/// Adds a drawn picture to a quote.
pub fn add_foto(e: &mut PdfRequest, n: usize, zona: Zona, momento: Momento, (width, height): (u32, u32)) {
    let id = FotoId(uuid::Uuid::from_u128(n as u128 + 1));
    let jpeg = drawing(n, momento, (width, height), 0.0);
    e.document.fotos.push(PrintedFoto { id, zona, momento });
    e.fotos.insert(id, Foto::Image { jpeg, width, height });
}

/// A room with a tiled wall, a floor, a window and a basin; dull before, bright after. With grain, its file is as large
/// as a camera's picture of the same size, and no two pictures are alike.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn drawing(n: usize, momento: Momento, (width, height): (u32, u32), grain: f32) -> Bytes {
    let new = momento == Momento::After;
    let wall: [f32; 3] = if new { [233.0, 236.0, 232.0] } else { [196.0, 176.0, 140.0] };
    let floor: [f32; 3] = if new { [176.0, 148.0, 116.0] } else { [122.0, 98.0, 82.0] };
    let furniture: [f32; 3] = [[60.0, 110.0, 120.0], [120.0, 80.0, 70.0], [70.0, 100.0, 60.0]][n % 3];
    let (w, h) = (width as f32, height as f32);
    let mut random = n as u64 + 1;
    let mut pixels = Vec::with_capacity((width * height * 3) as usize);
    for y in 0..height {
        for x in 0..width {
            let (u, v) = (x as f32 / w, y as f32 / h);
            let (du, dv) = ((u - 0.5) * w / h, v - 0.62);
            let mut c = if v > 0.72 { floor } else { wall };
            let joins = if v > 0.72 {
                ((u - 0.5) / (v - 0.3)).rem_euclid(0.12) < 0.006 || (1.0 / (v - 0.5)).rem_euclid(0.5) < 0.03
            } else {
                (u * w / h).rem_euclid(0.1) < 0.004 || v.rem_euclid(0.06) < 0.004
            };
            if joins {
                c = c.map(|k| k * 0.86);
            }
            let window = (0.1..0.3).contains(&u) && (0.12..0.45).contains(&v);
            if window {
                c = if new { [214.0, 234.0, 250.0] } else { [170.0, 184.0, 190.0] };
            }
            if (0.42..0.86).contains(&u) && (0.6..0.82).contains(&v) {
                c = furniture;
            }
            if du.powi(2) * 3.0 + dv.powi(2) * 30.0 < 0.07 && v < 0.62 {
                c = [248.0, 248.0, 250.0];
            }
            if (0.5..0.78).contains(&u) && (0.16..0.42).contains(&v) {
                c = [190.0 + 40.0 * u, 205.0 + 30.0 * v, 215.0];
            }
            let light = if new {
                1.06 - 0.18 * u
            } else {
                0.95 - 0.3 * u + 0.04 * ((x * 7 + y * 13 + n as u32 * 31) % 5) as f32 / 5.0
            };
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let speck = grain * ((random >> 40) as f32 / (1 << 24) as f32 - 0.5);
            pixels.extend(c.map(|k| (k * light + speck).clamp(0.0, 255.0) as u8));
        }
    }
    let mut jpeg = Vec::new();
    let (width, height) = (u16::try_from(width).expect("small"), u16::try_from(height).expect("small"));
    jpeg_encoder::Encoder::new(&mut jpeg, 82)
        .encode(&pixels, width, height, jpeg_encoder::ColorType::Rgb)
        .expect("pixels become a JPEG");
    jpeg.into()
}
