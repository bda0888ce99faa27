//! Writes sample quotes into a folder, to look at, and with `--medir` says how long they take:
//! `cargo run -p embudo-quote --example muestras -- DIR [--medir]`.
#![allow(clippy::print_stdout, clippy::cast_precision_loss)]

mod taller;

use std::path::PathBuf;
use std::time::Instant;

use embudo_quote::{Dibujante, Encargo};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut argumentos = std::env::args().skip(1);
    let dir = PathBuf::from(argumentos.next().ok_or("muestras DIR [--medir]")?);
    std::fs::create_dir_all(&dir)?;
    let inicio = Instant::now();
    let dibujante = Dibujante::new();
    println!("typefaces and template: {:.0} ms, {}", ms(inicio), memoria());
    let todas = [
        ("minimo", taller::minimo()),
        ("bano", taller::bano()),
        ("cocina", taller::cocina()),
        ("integral", taller::integral()),
    ];
    for (nombre, encargo) in &todas {
        let inicio = Instant::now();
        let hecho = dibujante.dibujar(encargo, None)?;
        let tiempo = ms(inicio);
        std::fs::write(dir.join(format!("{nombre}.pdf")), &hecho.pdf)?;
        println!(
            "{nombre}: {tiempo:.0} ms, {} KB, {:?}, {:?}",
            hecho.pdf.len() / 1024,
            hecho.norma,
            hecho.avisos
        );
    }
    if argumentos.next().as_deref() == Some("--medir") {
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
