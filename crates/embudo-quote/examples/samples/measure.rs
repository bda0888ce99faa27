//! One quote in several sizes, for `bench/pdf`. It is written out so that other programs can draw the same quote, and
//! drawn on demand, so that their runs and ours alternate. This program does not measure other programs and compares
//! nothing.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use bytes::Bytes;
use embudo_domain::ingesta::Momento;
use embudo_domain::presupuesto::PrintedFoto;
use embudo_domain::{FotoId, Zona};
use embudo_quote::{DrawingChild, Failure, Foto, PdfRequest, Renderer};

use crate::studio;

type Measured = Result<(), Box<dyn std::error::Error>>;

/// The quote's name and the longer side of its twelve pictures; 0 means no pictures.
const CASES: [(&str, u32); 3] = [("sin", 0), ("800", 800), ("1600", 1600)];
const FOTOS: usize = 12;
/// This amount of grain makes a picture of 800 × 600 about 110 KB large, like a camera's picture.
const GRAIN: f32 = 24.0;

/// Writes a folder for each size with what a template reads, and a folder with the typefaces.
pub fn dump(dir: &Path) -> Measured {
    let renderer = Renderer::new();
    for (case, side) in CASES {
        let fotos = (0..FOTOS).map(|n| studio::drawing(n, momento(n), (side, side * 3 / 4), GRAIN));
        let pdf_request = pdf_request(side, fotos.take(if side == 0 { 0 } else { FOTOS }));
        let folder = dir.join(case);
        std::fs::create_dir_all(&folder)?;
        for (path, data) in renderer.files(&pdf_request)? {
            std::fs::write(folder.join(path.trim_start_matches("/embudo/")), data)?;
        }
    }
    let letters = dir.join("letras");
    std::fs::create_dir_all(&letters)?;
    for (n, data) in embudo_quote::FACES.into_iter().enumerate() {
        std::fs::write(letters.join(format!("{n}.ttf")), data)?;
    }
    Ok(())
}

/// Draws the quote that each line of standard input names, and answers with a line of JSON. The pictures are read from
/// the files that [`dump`] wrote, so that creating them takes no memory here. Each PDF is written next to these files
/// once.
pub fn serve(dir: &Path) -> Measured {
    let empty = memory();
    let start = Instant::now();
    let renderer = Renderer::new();
    let mut output = std::io::stdout().lock();
    let ready = start.elapsed().as_secs_f64() * 1e3;
    writeln!(output, r#"{{"empty_kb":{empty},"ready_ms":{ready}}}"#)?;
    // Pricing is not part of the measured drawing.
    let mut requests = HashMap::new();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if !requests.contains_key(&line) {
            requests.insert(line.clone(), requested(dir, &line)?);
        }
        let start = Instant::now();
        let done = renderer.render(&requests[&line], None)?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let path = dir.join(format!("embudo-{line}.pdf"));
        if !path.exists() {
            std::fs::write(path, &done.pdf)?;
        }
        writeln!(output, r#"{{"ms":{ms},"bytes":{},"norm":"{:?}"}}"#, done.pdf.len(), done.norma)?;
    }
    Ok(())
}

/// Draws in child processes, as the server does: the first quote of a process and those that follow, then many in
/// sequence and as many at once as there are cores. Writes a line of JSON for each size.
#[allow(clippy::cast_precision_loss, clippy::print_stdout)]
pub fn in_children(dir: &Path) -> Measured {
    const STARTS: usize = 7;
    const MANY: usize = 16;
    let cores = std::thread::available_parallelism()?.get();
    let child = DrawingChild::new(std::env::current_exe()?, ["hijo"]);
    for case in ["sin", "800"] {
        let pdf_request = requested(dir, case)?;
        let (mut first, mut next) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            let renderer = Renderer::new().with_child(child.clone());
            first.push(timed(&renderer, &pdf_request)?);
            for _ in 0..STARTS {
                next.push(timed(&renderer, &pdf_request)?);
            }
        }
        // The processor time of a child is only counted after its end, so each batch has processes of its own.
        let many = |at_once: usize| {
            let (start, used) = (Instant::now(), processor()?);
            let renderer = Renderer::new().with_child(child.clone());
            std::thread::scope(|threads| {
                let draw = || (0..MANY / at_once).try_for_each(|_| timed(&renderer, &pdf_request).map(drop));
                let drawing: Vec<_> = (0..at_once).map(|_| threads.spawn(draw)).collect();
                drawing.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
            })?;
            drop(renderer);
            let ms = start.elapsed().as_secs_f64() * 1e3;
            let drawn = MANY / at_once * at_once;
            Ok::<_, Box<dyn std::error::Error>>((ms / drawn as f64, (processor()? - used) / ms))
        };
        let ((alone, _), (together, busy)) = (many(1)?, many(cores)?);
        println!(
            r#"{{"case":"{case}","first":{first:?},"next":{next:?},"alone":{alone},"together":{together},"busy":{busy},"cores":{cores}}}"#
        );
    }
    Ok(())
}

/// The processor time in milliseconds that this process and its ended children used. The kernel counts in hundredths of
/// a second.
fn processor() -> Result<f64, Box<dyn std::error::Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit_once(')').ok_or("no fields")?.1.split_whitespace();
    Ok(fields.skip(11).take(4).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() * 10.0)
}

fn timed(renderer: &Renderer, pdf_request: &PdfRequest) -> Result<f64, Failure> {
    let start = Instant::now();
    renderer.render(pdf_request, None)?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

fn requested(dir: &Path, nombre: &str) -> Result<PdfRequest, Box<dyn std::error::Error>> {
    match nombre {
        "hostil" => return Ok(studio::hostile()),
        "integral" => return Ok(studio::integral()),
        "peor" => return Ok(worst()),
        _ => {}
    }
    let (_, side) = CASES.into_iter().find(|(case, _)| *case == nombre).ok_or("no such quote")?;
    let read = |n| std::fs::read(dir.join(nombre).join(format!("foto-{n}.jpg"))).map(Bytes::from);
    let how_many = if side == 0 { 0 } else { FOTOS };
    let fotos: Vec<Bytes> = (0..how_many).map(read).collect::<Result<_, _>>()?;
    Ok(pdf_request(side, fotos.into_iter()))
}

fn pdf_request(side: u32, fotos: impl Iterator<Item = Bytes>) -> PdfRequest {
    let mut e = studio::bano_without_fotos();
    for (n, jpeg) in fotos.enumerate() {
        let id = FotoId(uuid::Uuid::from_u128(n as u128 + 1));
        e.document.fotos.push(PrintedFoto { id, zona: Zona::Bano, momento: momento(n) });
        e.fotos.insert(id, Foto::Image { jpeg, width: side, height: side * 3 / 4 });
    }
    e
}

/// The largest content that is ever printed: eighty photos, notes of 40,000 characters (half of them without a glyph or
/// a place to break), and long conditions.
fn worst() -> PdfRequest {
    let mut e = studio::integral();
    e.document.fotos.clear();
    for n in 0..80 {
        let id = FotoId(uuid::Uuid::from_u128(n as u128 + 1));
        let jpeg = studio::drawing(n, momento(n), (800, 600), GRAIN);
        e.document.fotos.push(PrintedFoto { id, zona: Zona::Integral, momento: momento(n) });
        e.fotos.insert(id, Foto::Image { jpeg, width: 800, height: 600 });
    }
    let prose = "La comunidad solo permite ruido por la mañana. ".repeat(215);
    e.document.notas = ["y".repeat(10_000), "漢".repeat(10_000), "مرحبا ".repeat(1_666), prose]
        .iter()
        .map(|t| studio::nota(Zona::Integral, t))
        .collect();
    e.document.condiciones = vec!["x".repeat(8_000); 4];
    e
}

fn momento(n: usize) -> Momento {
    if n.is_multiple_of(2) { Momento::Before } else { Momento::After }
}

/// The resident memory of this process, in KB.
fn memory() -> u64 {
    let state = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = state.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    line.and_then(|l| l.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
