//! Writes sample quotes into a folder, to look at: `cargo run -p embudo-quote --example muestras -- DIR`.
//! With `--medir` after it says how long they take; with `--plantilla RUTA` it draws them with another template. `--volcar` and
//! `--servir` are for `bench/pdf`: the first writes what a template reads, the second draws on demand.
#![allow(clippy::print_stdout, clippy::cast_precision_loss)]

mod medida;
mod taller;

use std::path::PathBuf;
use std::time::Instant;

use embudo_quote::{Dibujante, Encargo, Hijo, Limites, Plantilla};

/// As in the server: it decides how much memory stays taken.
#[global_allocator]
static MEMORIA: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let argumentos: Vec<String> = std::env::args().skip(1).collect();
    if argumentos == ["hijo"] {
        return Ok(embudo_quote::hijo(std::io::stdin().lock(), std::io::stdout().lock())?);
    }
    let dir = PathBuf::from(
        argumentos.first().ok_or("muestras DIR [--medir | --volcar | --servir | --plantilla RUTA]")?,
    );
    let opcion = argumentos.get(1).map(String::as_str);
    let plantilla = match opcion {
        Some("--plantilla") => Some(Plantilla::leer(argumentos.get(2).ok_or("--plantilla RUTA")?.as_ref())?),
        _ => None,
    };
    std::fs::create_dir_all(&dir)?;
    match opcion {
        Some("--volcar") => return medida::volcar(&dir),
        Some("--servir") => return medida::servir(&dir),
        _ => {}
    }
    let inicio = Instant::now();
    let hijo = Hijo::new(std::env::current_exe()?, ["hijo"], Limites::default());
    let dibujante = Dibujante::new().con_hijo(hijo);
    println!("typefaces and template: {:.0} ms, {}", ms(inicio), memoria());
    let todas = [
        ("minimo", taller::minimo()),
        ("bano", taller::bano()),
        ("cocina", taller::cocina()),
        ("integral", taller::integral()),
        ("hostil", taller::hostil()),
    ];
    for (nombre, encargo) in &todas {
        let inicio = Instant::now();
        let hecho = dibujante.dibujar(encargo, plantilla.as_ref())?;
        let tiempo = ms(inicio);
        std::fs::write(dir.join(format!("{nombre}.pdf")), &hecho.pdf)?;
        println!(
            "{nombre}: {tiempo:.0} ms, {} KB, {:?}, {:?}",
            hecho.pdf.len() / 1024,
            hecho.norma,
            hecho.avisos
        );
    }
    if opcion == Some("--medir") {
        medir(&dibujante, "without photos", &todas[0].1)?;
        medir(&dibujante, "12 photos of 800 px", &todas[2].1)?;
        medir(&dibujante, "40 photos", &todas[3].1)?;
    }
    Ok(())
}

fn medir(dibujante: &Dibujante, que: &str, encargo: &Encargo) -> Result<(), Box<dyn std::error::Error>> {
    let mut tiempos = Vec::new();
    for _ in 0..20 {
        let inicio = Instant::now();
        dibujante.dibujar(encargo, None)?;
        tiempos.push(ms(inicio));
    }
    tiempos.sort_by(f64::total_cmp);
    println!("{que}: median of 20 {:.1} ms, worst {:.1} ms, {}", tiempos[10], tiempos[19], memoria());
    Ok(())
}

fn ms(desde: Instant) -> f64 {
    desde.elapsed().as_secs_f64() * 1e3
}

fn memoria() -> String {
    let estado = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lineas = estado.lines().filter(|l| l.starts_with("VmHWM") || l.starts_with("VmRSS"));
    lineas.map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(", ")
}
