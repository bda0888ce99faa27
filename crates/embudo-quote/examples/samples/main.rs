//! Writes sample quotes into a folder, for viewing: `cargo run -p embudo-quote --example samples -- DIR`. With
//! `--medir` after it, prints how long they take; with `--plantilla PATH`, draws them with another template.
//! `--volcar`, `--servir` and `--procesos` are for `bench/pdf`: the first writes what a template reads, the second
//! draws on demand, the third draws in processes as the server does.
#![allow(clippy::print_stdout, clippy::cast_precision_loss)]

mod edited;
mod measure;
mod studio;

use std::path::PathBuf;
use std::time::Instant;

use embudo_quote::{DrawingChild, PdfRequest, Renderer, Template};

/// The same allocator as in the server, because it decides how much memory stays allocated.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["hijo"] {
        return Ok(embudo_quote::child(std::io::stdin().lock(), std::io::stdout().lock())?);
    }
    let dir = PathBuf::from(
        arguments
            .first()
            .ok_or("muestras DIR [--medir | --volcar | --servir | --procesos | --plantilla RUTA]")?,
    );
    let option = arguments.get(1).map(String::as_str);
    let template = match option {
        Some("--plantilla") => Some(Template::read(arguments.get(2).ok_or("--plantilla RUTA")?.as_ref())?),
        _ => None,
    };
    std::fs::create_dir_all(&dir)?;
    match option {
        Some("--volcar") => return measure::dump(&dir),
        Some("--servir") => return measure::serve(&dir),
        Some("--procesos") => return measure::in_children(&dir),
        _ => {}
    }
    let start = Instant::now();
    let child = DrawingChild::new(std::env::current_exe()?, ["hijo"]);
    let renderer = Renderer::new().with_child(child);
    println!("typefaces and template: {:.0} ms, {}", ms(start), memory());
    let all = [
        ("minimo", studio::minimum()),
        ("bano", studio::bano()),
        ("cocina", studio::cocina()),
        ("integral", studio::integral()),
        ("hostil", studio::hostile()),
        ("estancias", edited::rooms()),
        ("a-mano", edited::by_hand()),
        ("aceptado", edited::accepted()),
    ];
    for (nombre, pdf_request) in &all {
        let start = Instant::now();
        let done = renderer.render(pdf_request, template.as_ref())?;
        let time = ms(start);
        std::fs::write(dir.join(format!("{nombre}.pdf")), &done.pdf)?;
        println!(
            "{nombre}: {time:.0} ms, {} KB, {:?}, {:?}",
            done.pdf.len() / 1024,
            done.norma,
            done.notices
        );
    }
    if option == Some("--medir") {
        measure(&renderer, "without photos", &all[0].1)?;
        measure(&renderer, "12 photos of 800 px", &all[2].1)?;
        measure(&renderer, "40 photos", &all[3].1)?;
    }
    Ok(())
}

fn measure(
    renderer: &Renderer,
    what: &str,
    pdf_request: &PdfRequest,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut times = Vec::new();
    for _ in 0..20 {
        let start = Instant::now();
        renderer.render(pdf_request, None)?;
        times.push(ms(start));
    }
    times.sort_by(f64::total_cmp);
    println!("{what}: median of 20 {:.1} ms, worst {:.1} ms, {}", times[10], times[19], memory());
    Ok(())
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn memory() -> String {
    let state = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines = state.lines().filter(|l| l.starts_with("VmHWM") || l.starts_with("VmRSS"));
    lines.map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(", ")
}
