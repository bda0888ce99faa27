//! Sample quotes, built from the shipped prices and taxes, with pictures that are drawn here.

use std::collections::HashMap;

use bytes::Bytes;
use embudo_domain::calculo::DatosReforma;
use embudo_domain::color::Color;
use embudo_domain::ingesta::Momento;
use embudo_domain::iva::{Condiciones, Impuestos, Respuesta};
use embudo_domain::marca::Marca;
use embudo_domain::perfil::{Calidad, Urgencia};
use embudo_domain::presupuesto::{
    Cliente, Documento, Emisor, FotoImpresa, NotaImpresa, NumeroPresupuesto, Validez,
};
use embudo_domain::tarifa::Tarifa;
use embudo_domain::{FotoId, Zona};
use embudo_quote::{Encargo, Foto};
use jiff::civil::{Date, date};

/// The day of every sample.
pub const HOY: Date = date(2026, 11, 15);

/// A quote for a lead of whom only the contact is known.
pub fn minimo() -> Encargo {
    encargo(1, &DatosReforma::default(), Condiciones::default(), "Lucía Gómez Ibáñez")
}

/// A bathroom of 5 m² with three pairs of pictures.
pub fn bano() -> Encargo {
    let mut e = bano_sin_fotos();
    for i in 0..6 {
        let momento = if i % 2 == 0 { Momento::Antes } else { Momento::Despues };
        let tamano = if i < 2 { (600, 800) } else { (800, 600) };
        colgar(&mut e, i, Zona::Bano, momento, tamano);
    }
    e
}

/// A bathroom of 5 m² with notes.
pub fn bano_sin_fotos() -> Encargo {
    let datos = DatosReforma {
        tipo: Some(Zona::Bano),
        m2_suelo: Some(5.0),
        calidad: Some(Calidad::Media),
        estructural: Some(false),
        urgencia: Some(Urgencia::Media),
        provincia: Some("Madrid".into()),
        presupuesto_target: None,
    };
    let mut e = encargo(42, &datos, Condiciones::default(), "María Pérez Ñúñez");
    e.documento.notas = vec![
        nota(Zona::Bano, "Queremos cambiar la bañera por un plato de ducha, y que la mampara sea fija."),
        nota(Zona::Bano, "La ventana da al patio 🙂\nEl calentador está en la cocina, no hay que moverlo."),
    ];
    e
}

/// A whole flat in the Canaries with forty photos in several zones, long names and notes, and pictures that are missing.
pub fn integral() -> Encargo {
    let datos = DatosReforma {
        tipo: Some(Zona::Integral),
        m2_suelo: Some(80.0),
        calidad: Some(Calidad::Premium),
        estructural: Some(true),
        urgencia: Some(Urgencia::Alta),
        provincia: Some("Santa Cruz de Tenerife".into()),
        presupuesto_target: Some(embudo_domain::dinero::Cents::euros(75_000)),
    };
    let nombre = "Comunidad de Propietarios del Edificio Residencial Nuestra Señora de la Candelaria y los Ángeles, \
                  representada por Maximiliano Francisco de Borja Etxeberria-Goikoetxea";
    let mut e = encargo(12_345, &datos, Condiciones::default(), nombre);
    let zonas = [Zona::Integral, Zona::Cocina, Zona::Bano, Zona::Salon, Zona::Otro];
    for i in 0..40 {
        let zona = zonas[i % 5];
        let momento = if (i / 5) % 2 == 1 && zona != Zona::Otro { Momento::Despues } else { Momento::Antes };
        let tamano = [(800, 600), (600, 800), (800, 450), (800, 800), (800, 260)][(i / 3) % 5];
        colgar(&mut e, i, zona, momento, tamano);
        if i % 11 == 7 {
            let motivo = "El enlace de la foto no respondió a tiempo.".to_owned();
            let id = e.documento.fotos[i].id;
            e.fotos.insert(id, Foto::Hueco(motivo));
        }
    }
    let largo =
        "La vivienda está en un cuarto piso sin ascensor, el portal es estrecho y la comunidad solo permite \
                 ruido de 9:00 a 14:00 y de 16:00 a 18:00, así que habrá que organizar bien los acopios. "
            .repeat(6);
    e.documento.notas = vec![
        nota(Zona::Integral, &largo),
        nota(Zona::Integral, "👍🏽 ¡Gracias! 🛠️🚿🛁 El baño pequeño primero 👨‍👩‍👧, por favor. 1️⃣ 2️⃣"),
        nota(Zona::Cocina, "Supercalifragilisticoespialidoso".repeat(12).as_str()),
        nota(Zona::Salon, "Suelo de tarima: nos gusta el roble. مرحبا — 你好 — Ελληνικά"),
    ];
    e
}

/// A kitchen whose reduced rate was denied.
pub fn cocina() -> Encargo {
    let datos = DatosReforma {
        tipo: Some(Zona::Cocina),
        m2_suelo: Some(12.0),
        calidad: Some(Calidad::Premium),
        provincia: Some("Sevilla".into()),
        ..DatosReforma::default()
    };
    let no = Condiciones { particular: Respuesta::Negada, ..Condiciones::default() };
    let mut e = encargo(7, &datos, no, "Inversiones Guadalquivir 2020, S. L.");
    for i in 0..12 {
        let momento = if i < 6 { Momento::Antes } else { Momento::Despues };
        colgar(&mut e, i, Zona::Cocina, momento, (800, 600));
    }
    e.pagina_url = None;
    e.logo = None;
    e.documento.empresa.color = Color([0xf2, 0xb7, 0x05]);
    e
}

/// A quote in which every text is an attempt to be something else.
pub fn hostil() -> Encargo {
    let mut e = minimo();
    let d = &mut e.documento;
    d.cliente.nombre = "#panic(\"x\") $x$ <a> *b* _c_ @ref \\ \"comillas\" [corchetes] // nada /* */".into();
    d.cliente.email = "a\u{202e}b@example.com".into();
    d.cliente.provincia = Some("#eval(\"1\")\u{0}\u{200b}".into());
    d.empresa.nombre = "#read(\"/etc/passwd\") & <Hijos> 你好".into();
    d.empresa.direccion = Some("= No soy un título\n- ni una lista".into());
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
    .map(|t| nota(Zona::Otro, t))
    .collect();
    e.pagina_url = Some("https://example.com/?q=#\"\\<>&".into());
    e
}

fn encargo(orden: u32, datos: &DatosReforma, condiciones: Condiciones, nombre: &str) -> Encargo {
    let (calculo, impuesto) = Impuestos::por_defecto().price(datos, &Tarifa::por_defecto(), condiciones, HOY);
    Encargo {
        numero: NumeroPresupuesto::new(2026, orden).expect("a number"),
        version: 1,
        validez: Validez::new(HOY, 30),
        documento: Documento {
            cliente: Cliente {
                nombre: nombre.to_owned(),
                telefono: "+34612345678".to_owned(),
                email: "cliente@example.com".to_owned(),
                provincia: datos.provincia.clone(),
            },
            empresa: Emisor {
                nombre: "Reformas Ñandú".to_owned(),
                razon_social: Some("Construcciones y Reformas Ñandú, S. L.".to_owned()),
                nif: Some("B12345674".to_owned()),
                direccion: Some("Calle Mayor 1, 28013 Madrid".to_owned()),
                telefono: Some("910 12 34 56".to_owned()),
                email: Some("hola@nandu.example".to_owned()),
                web: Some("www.nandu.example".to_owned()),
                color: Color::POR_DEFECTO,
                logo: None,
            },
            calculo,
            impuesto,
            dias_validez: 30,
            notas: Vec::new(),
            fotos: Vec::new(),
            condiciones: Marca::default().condiciones(),
        },
        logo: Some(Bytes::from_static(include_bytes!("logo.png"))),
        fotos: HashMap::new(),
        pagina_url: Some("https://nandu.example/p/3q2-7wYjv0Kf9mXc1sZbTnRgHh5dLpQe".to_owned()),
    }
}

pub fn nota(zona: Zona, texto: &str) -> NotaImpresa {
    NotaImpresa { zona, texto: texto.to_owned() }
}

/// Hangs a drawn picture into a quote.
pub fn colgar(e: &mut Encargo, n: usize, zona: Zona, momento: Momento, (ancho, alto): (u32, u32)) {
    let id = FotoId(uuid::Uuid::from_u128(n as u128 + 1));
    let jpeg = dibujo(n, momento, (ancho, alto), 0.0);
    e.documento.fotos.push(FotoImpresa { id, zona, momento });
    e.fotos.insert(id, Foto::Imagen { jpeg, ancho, alto });
}

/// A room with a tiled wall, a floor, a window and a basin; dull before, bright after. With grain it weighs as much as a camera's
/// picture of its size, and no two are alike.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn dibujo(n: usize, momento: Momento, (ancho, alto): (u32, u32), grano: f32) -> Bytes {
    let nuevo = momento == Momento::Despues;
    let muro: [f32; 3] = if nuevo { [233.0, 236.0, 232.0] } else { [196.0, 176.0, 140.0] };
    let suelo: [f32; 3] = if nuevo { [176.0, 148.0, 116.0] } else { [122.0, 98.0, 82.0] };
    let mueble: [f32; 3] = [[60.0, 110.0, 120.0], [120.0, 80.0, 70.0], [70.0, 100.0, 60.0]][n % 3];
    let (w, h) = (ancho as f32, alto as f32);
    let mut azar = n as u64 + 1;
    let mut pixeles = Vec::with_capacity((ancho * alto * 3) as usize);
    for y in 0..alto {
        for x in 0..ancho {
            let (u, v) = (x as f32 / w, y as f32 / h);
            let (du, dv) = ((u - 0.5) * w / h, v - 0.62);
            let mut c = if v > 0.72 { suelo } else { muro };
            let junta = if v > 0.72 {
                ((u - 0.5) / (v - 0.3)).rem_euclid(0.12) < 0.006 || (1.0 / (v - 0.5)).rem_euclid(0.5) < 0.03
            } else {
                (u * w / h).rem_euclid(0.1) < 0.004 || v.rem_euclid(0.06) < 0.004
            };
            if junta {
                c = c.map(|k| k * 0.86);
            }
            let ventana = (0.1..0.3).contains(&u) && (0.12..0.45).contains(&v);
            if ventana {
                c = if nuevo { [214.0, 234.0, 250.0] } else { [170.0, 184.0, 190.0] };
            }
            if (0.42..0.86).contains(&u) && (0.6..0.82).contains(&v) {
                c = mueble;
            }
            if du.powi(2) * 3.0 + dv.powi(2) * 30.0 < 0.07 && v < 0.62 {
                c = [248.0, 248.0, 250.0];
            }
            if (0.5..0.78).contains(&u) && (0.16..0.42).contains(&v) {
                c = [190.0 + 40.0 * u, 205.0 + 30.0 * v, 215.0];
            }
            let luz = if nuevo {
                1.06 - 0.18 * u
            } else {
                0.95 - 0.3 * u + 0.04 * ((x * 7 + y * 13 + n as u32 * 31) % 5) as f32 / 5.0
            };
            azar = azar.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mota = grano * ((azar >> 40) as f32 / (1 << 24) as f32 - 0.5);
            pixeles.extend(c.map(|k| (k * luz + mota).clamp(0.0, 255.0) as u8));
        }
    }
    let mut jpeg = Vec::new();
    let (ancho, alto) = (u16::try_from(ancho).expect("small"), u16::try_from(alto).expect("small"));
    jpeg_encoder::Encoder::new(&mut jpeg, 82)
        .encode(&pixeles, ancho, alto, jpeg_encoder::ColorType::Rgb)
        .expect("pixels become a JPEG");
    jpeg.into()
}
