//! Pictures made to do harm: none may cause an uncaught panic, take much memory, or take long.
//!
//! There is only one test in this process, so that the measured memory is that of the current picture.

#[path = "../samples/mod.rs"]
#[allow(dead_code)]
mod samples;

mod bombs;
mod breakages;
mod mixes;

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use embudo_fotos::{MAX_MEMORY, Reason, inspect, logo, prepare, reduce};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// A hostile picture.
struct Case {
    nombre: String,
    bytes: Vec<u8>,
    /// The expected result, if it matters; otherwise any harmless result is accepted.
    expected: Option<Reason>,
    /// The maximum run time.
    max_time: Duration,
}

impl Case {
    fn new(nombre: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { nombre: nombre.into(), bytes, expected: None, max_time: MAX_TIME }
    }

    fn expecting(nombre: impl Into<String>, bytes: Vec<u8>, reason: Reason) -> Self {
        Self { expected: Some(reason), ..Self::new(nombre, bytes) }
    }
}

/// Memory in addition to the estimate: tables, the renditions, the reader's own buffers.
const SLACK: usize = 16 * 1024 * 1024;
const MAX_TIME: Duration = Duration::from_secs(1);
/// The maximum time for complete pictures just within the limits (6 to 49 megapixels). They are really decoded, and the
/// tests run in a debug build.
const HONEST_TIME: Duration = Duration::from_secs(4);

/// The processor time of this thread, so that busy neighbours do not count; on other systems than Linux, the wall-clock
/// time.
fn run_case(since: Instant) -> Duration {
    let read = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = read.and_then(|t| t.split(' ').next().and_then(|ns| ns.parse().ok()));
    ns.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

/// Runs one case and returns its time and memory.
fn try_out(case: &Case) -> (Duration, usize) {
    let Case { nombre, bytes, expected, .. } = case;
    let (since, before) = (Instant::now(), MEMORY.current_usage());
    let start = run_case(since);
    MEMORY.reset_peak_usage();
    let done = catch_unwind(|| prepare(bytes)).unwrap_or_else(|_| panic!("{nombre}: a panic came through"));
    let time = run_case(since).saturating_sub(start);
    // Checking the headers never refuses a picture that can be shown.
    let looked = catch_unwind(|| inspect(bytes)).unwrap_or_else(|_| panic!("{nombre}: a panic came through"));
    assert!(looked.is_ok() || done.is_err(), "{nombre}: {looked:?}");
    let memory = MEMORY.peak_usage().saturating_sub(before);
    if let Some(reason) = expected {
        assert_eq!(done.as_ref().err(), Some(reason), "{nombre}");
    }
    if let Ok(done) = done {
        assert!(done.print.bytes.starts_with(&[0xFF, 0xD8, 0xFF]), "{nombre}");
        assert!(image::load_from_memory(&done.thumbnail.bytes).is_ok(), "{nombre}");
    }
    (time, memory)
}

#[test]
fn five_hundred_do_no_harm() {
    // Panics inside decoders are expected and caught: their messages would hide the result.
    std::panic::set_hook(Box::new(|info| {
        if info.location().is_none_or(|l| l.file().contains("tests/")) {
            eprintln!("{info}");
        }
    }));
    let cases = [bombs::cases(), breakages::cases(), mixes::cases()];
    let (mut how_many, mut worst_time, mut worst_memory) = (0, (Duration::ZERO, ""), (0, ""));
    let mut bad_ones = Vec::new();
    for case in cases.iter().flatten() {
        let (time, memory) = try_out(case);
        let maximum = usize::try_from(MAX_MEMORY).expect("fits") + SLACK;
        if memory > maximum || time > case.max_time {
            bad_ones.push(format!("{}: {} MiB, {time:?}", case.nombre, memory >> 20));
        }
        if case.bytes.len() < 10_000 && time < Duration::from_millis(20) {
            // The other two entry points use the same code.
            let others = catch_unwind(|| (logo(&case.bytes).is_ok(), reduce(&case.bytes, 100, 50).is_ok()));
            assert!(others.is_ok(), "{}: a panic came through", case.nombre);
        }
        how_many += 1;
        worst_time = worst_time.max((time, &case.nombre));
        worst_memory = worst_memory.max((memory >> 20, &case.nombre));
    }
    eprintln!("{how_many} pictures; slowest {worst_time:?}; largest {worst_memory:?} MiB");
    assert!(bad_ones.is_empty(), "{bad_ones:#?}");
    assert!(how_many >= 500, "only {how_many} pictures");
}
