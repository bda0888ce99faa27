//! One quote in several sizes, for `bench/pdf`: written out so that other programs can draw the same, and drawn on demand, so that
//! their turns and ours alternate. It takes no time for others and compares nothing.

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use bytes::Bytes;
use embudo_domain::ingesta::Momento;
use embudo_domain::presupuesto::FotoImpresa;
use embudo_domain::{FotoId, Zona};
use embudo_quote::{Dibujante, Encargo, Foto};

use crate::taller;

type Resultado = Result<(), Box<dyn std::error::Error>>;

/// The quote's name and the longer side of its twelve pictures; 0 is none.
const CASOS: [(&str, u32); 3] = [("sin", 0), ("800", 800), ("1600", 1600)];
const FOTOS: usize = 12;
/// So much grain makes a picture of 800 × 600 weigh some 110 KB, as a camera's does.
const GRANO: f32 = 24.0;

/// Writes, for each size, a folder with what a template reads; and a folder with the typefaces.
pub fn volcar(dir: &Path) -> Resultado {
    let dibujante = Dibujante::new();
    for (caso, lado) in CASOS {
        let fotos = (0..FOTOS).map(|n| taller::dibujo(n, momento(n), (lado, lado * 3 / 4), GRANO));
        let encargo = encargo(lado, fotos.take(if lado == 0 { 0 } else { FOTOS }));
        let carpeta = dir.join(caso);
        std::fs::create_dir_all(&carpeta)?;
        for (ruta, datos) in dibujante.archivos(&encargo)? {
            std::fs::write(carpeta.join(ruta.trim_start_matches("/embudo/")), datos)?;
        }
    }
    let letras = dir.join("letras");
    std::fs::create_dir_all(&letras)?;
    let noto = [
        ttf_noto_sans::REGULAR,
        ttf_noto_sans::BOLD,
        ttf_noto_sans::ITALIC,
        ttf_noto_sans::BOLD_ITALIC,
        epaint_default_fonts::NOTO_EMOJI_REGULAR,
    ];
    for (n, datos) in noto.into_iter().enumerate() {
        std::fs::write(letras.join(format!("noto-{n}.ttf")), datos)?;
    }
    for (n, (cara, _)) in typst_kit::fonts::embedded().enumerate() {
        std::fs::write(letras.join(format!("typst-{n}.otf")), cara.data())?;
    }
    Ok(())
}

/// Draws what each line of standard input names and answers with a line of JSON. The pictures come from what [`volcar`] wrote, so
/// that making them takes no memory here. Each PDF is left beside them once.
pub fn servir(dir: &Path) -> Resultado {
    let vacio = memoria();
    let inicio = Instant::now();
    let dibujante = Dibujante::new();
    let mut salida = std::io::stdout().lock();
    let listo = inicio.elapsed().as_secs_f64() * 1e3;
    writeln!(salida, r#"{{"empty_kb":{vacio},"ready_ms":{listo}}}"#)?;
    for linea in std::io::stdin().lock().lines() {
        let linea = linea?;
        let encargo = pedido(dir, &linea)?;
        let inicio = Instant::now();
        let hecho = dibujante.dibujar(&encargo, None)?;
        let ms = inicio.elapsed().as_secs_f64() * 1e3;
        let ruta = dir.join(format!("embudo-{linea}.pdf"));
        if !ruta.exists() {
            std::fs::write(ruta, &hecho.pdf)?;
        }
        writeln!(salida, r#"{{"ms":{ms},"bytes":{},"norm":"{:?}"}}"#, hecho.pdf.len(), hecho.norma)?;
    }
    Ok(())
}

fn pedido(dir: &Path, nombre: &str) -> Result<Encargo, Box<dyn std::error::Error>> {
    match nombre {
        "hostil" => return Ok(taller::hostil()),
        "integral" => return Ok(taller::integral()),
        "peor" => return Ok(peor()),
        _ => {}
    }
    let (_, lado) = CASOS.into_iter().find(|(caso, _)| *caso == nombre).ok_or("no such quote")?;
    let leer = |n| std::fs::read(dir.join(nombre).join(format!("foto-{n}.jpg"))).map(Bytes::from);
    let cuantas = if lado == 0 { 0 } else { FOTOS };
    let fotos: Vec<Bytes> = (0..cuantas).map(leer).collect::<Result<_, _>>()?;
    Ok(encargo(lado, fotos.into_iter()))
}

fn encargo(lado: u32, fotos: impl Iterator<Item = Bytes>) -> Encargo {
    let mut e = taller::bano_sin_fotos();
    for (n, jpeg) in fotos.enumerate() {
        let id = FotoId(uuid::Uuid::from_u128(n as u128 + 1));
        e.documento.fotos.push(FotoImpresa { id, zona: Zona::Bano, momento: momento(n) });
        e.fotos.insert(id, Foto::Imagen { jpeg, ancho: lado, alto: lado * 3 / 4 });
    }
    e
}

/// As much as is ever printed: eighty photos, notes of 40,000 characters, half of them without a sign or a place to break, and long
/// conditions.
fn peor() -> Encargo {
    let mut e = taller::integral();
    e.documento.fotos.clear();
    for n in 0..80 {
        let id = FotoId(uuid::Uuid::from_u128(n as u128 + 1));
        let jpeg = taller::dibujo(n, momento(n), (800, 600), GRANO);
        e.documento.fotos.push(FotoImpresa { id, zona: Zona::Integral, momento: momento(n) });
        e.fotos.insert(id, Foto::Imagen { jpeg, ancho: 800, alto: 600 });
    }
    let prosa = "La comunidad solo permite ruido por la mañana. ".repeat(215);
    e.documento.notas = ["y".repeat(10_000), "漢".repeat(10_000), "مرحبا ".repeat(1_666), prosa]
        .iter()
        .map(|t| taller::nota(Zona::Integral, t))
        .collect();
    e.documento.condiciones = vec!["x".repeat(8_000); 4];
    e
}

fn momento(n: usize) -> Momento {
    if n.is_multiple_of(2) { Momento::Antes } else { Momento::Despues }
}

/// What this process holds, in KB.
fn memoria() -> u64 {
    let estado = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let linea = estado.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    linea.and_then(|l| l.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
