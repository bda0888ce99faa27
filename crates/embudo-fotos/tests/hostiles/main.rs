//! Pictures made to do harm: none may panic through, take much memory, or take long.
//!
//! One test in a process of its own, so that the memory counted is that of the one picture at hand.

#[path = "../muestras/mod.rs"]
#[allow(dead_code)]
mod muestras;

mod bombas;
mod mezclas;
mod roturas;

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use embudo_fotos::{MEMORIA_MAX, Motivo, inspect, logo, preparar, rebajar};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORIA: PeakAlloc = PeakAlloc;

/// A hostile picture.
struct Caso {
    nombre: String,
    bytes: Vec<u8>,
    /// What must come of it, where it matters; otherwise anything but harm.
    esperado: Option<Motivo>,
    /// How long it may run.
    tiempo_max: Duration,
}

impl Caso {
    fn nuevo(nombre: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { nombre: nombre.into(), bytes, esperado: None, tiempo_max: TIEMPO_MAX }
    }

    fn da(nombre: impl Into<String>, bytes: Vec<u8>, motivo: Motivo) -> Self {
        Self { esperado: Some(motivo), ..Self::nuevo(nombre, bytes) }
    }
}

/// Small things beside the estimate: tables, the renditions, the reader's own.
const HOLGURA: usize = 16 * 1024 * 1024;
const TIEMPO_MAX: Duration = Duration::from_secs(1);
/// For whole pictures of tens of megapixels, which are honest work, in a debug build.
const TIEMPO_HONRADO: Duration = Duration::from_secs(4);

/// The time that this thread ran, so that busy neighbours do not count; elsewhere than on Linux, by the clock.
fn corrido(desde: Instant) -> Duration {
    let leido = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = leido.and_then(|t| t.split(' ').next().and_then(|ns| ns.parse().ok()));
    ns.map_or_else(|| desde.elapsed(), Duration::from_nanos)
}

/// Runs one and gives its time and memory.
fn probar(caso: &Caso) -> (Duration, usize) {
    let Caso { nombre, bytes, esperado, .. } = caso;
    let (desde, antes) = (Instant::now(), MEMORIA.current_usage());
    let inicio = corrido(desde);
    MEMORIA.reset_peak_usage();
    let hechas =
        catch_unwind(|| preparar(bytes)).unwrap_or_else(|_| panic!("{nombre}: a panic came through"));
    let tiempo = corrido(desde).saturating_sub(inicio);
    // A look at the headers never refuses what can be shown.
    let looked = catch_unwind(|| inspect(bytes)).unwrap_or_else(|_| panic!("{nombre}: a panic came through"));
    assert!(looked.is_ok() || hechas.is_err(), "{nombre}: {looked:?}");
    let memoria = MEMORIA.peak_usage().saturating_sub(antes);
    if let Some(motivo) = esperado {
        assert_eq!(hechas.as_ref().err(), Some(motivo), "{nombre}");
    }
    if let Ok(hechas) = hechas {
        assert!(hechas.impresion.bytes.starts_with(&[0xFF, 0xD8, 0xFF]), "{nombre}");
        assert!(image::load_from_memory(&hechas.miniatura.bytes).is_ok(), "{nombre}");
    }
    (tiempo, memoria)
}

#[test]
fn five_hundred_do_no_harm() {
    // Panics inside decoders are expected, and caught: their messages would bury the result.
    std::panic::set_hook(Box::new(|info| {
        if info.location().is_none_or(|l| l.file().contains("tests/")) {
            eprintln!("{info}");
        }
    }));
    let casos = [bombas::casos(), roturas::casos(), mezclas::casos()];
    let (mut cuantos, mut peor_tiempo, mut peor_memoria) = (0, (Duration::ZERO, ""), (0, ""));
    let mut malos = Vec::new();
    for caso in casos.iter().flatten() {
        let (tiempo, memoria) = probar(caso);
        let maximo = usize::try_from(MEMORIA_MAX).expect("fits") + HOLGURA;
        if memoria > maximo || tiempo > caso.tiempo_max {
            malos.push(format!("{}: {} MiB, {tiempo:?}", caso.nombre, memoria >> 20));
        }
        if caso.bytes.len() < 10_000 && tiempo < Duration::from_millis(20) {
            // The other two doors lead to the same rooms.
            let otras = catch_unwind(|| (logo(&caso.bytes).is_ok(), rebajar(&caso.bytes, 100, 50).is_ok()));
            assert!(otras.is_ok(), "{}: a panic came through", caso.nombre);
        }
        cuantos += 1;
        peor_tiempo = peor_tiempo.max((tiempo, &caso.nombre));
        peor_memoria = peor_memoria.max((memoria >> 20, &caso.nombre));
    }
    eprintln!("{cuantos} pictures; slowest {peor_tiempo:?}; largest {peor_memoria:?} MiB");
    assert!(malos.is_empty(), "{malos:#?}");
    assert!(cuantos >= 500, "only {cuantos} pictures");
}
