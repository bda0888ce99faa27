//! The report: the promises S7 and S12, and a table of medians.

use std::fmt::Write;
use std::process::Command;
use std::time::Duration;

use crate::data::Size;
use crate::measure::Measured;

/// The figures of one engine: a column for each database size, and the costs of a chat turn there.
pub(crate) struct Engine {
    pub(crate) name: &'static str,
    pub(crate) columns: Vec<Vec<Measured>>,
    pub(crate) turns: Vec<Vec<f64>>,
}

/// How many times more a chat turn may cost in the largest database than in the smallest.
const TURN_GROWTH: f64 = 1.3;
/// How many times longer every other query may take.
const GROWTH: f64 = 3.0;

/// The largest median that is allowed, in milliseconds.
fn limit(largest: Size) -> f64 {
    if largest.leads >= 1_000_000 { 100.0 } else { 50.0 }
}

/// The machine and the date. Collected before the measurement makes the machine busy.
pub(crate) fn facts() -> String {
    let output = |program: &str, args: &[&str]| {
        let output =
            Command::new(program).args(args).output().map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&output).trim().to_owned()
    };
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').take(3).collect::<Vec<_>>().join(" ");
    format!(
        "- date: {}\n- {cores} cores, load average before the run: {load}\n- commit: {}\n",
        output("date", &["-u", "+%Y-%m-%d %H:%M UTC"]),
        output("git", &["describe", "--always", "--dirty", "--abbrev=10"]),
    )
}

pub(crate) fn markdown(facts: &str, engines: &[Engine], sizes: &[Size]) -> String {
    let mut out = format!(
        "# Growth: few leads and many\n\nWritten by `bench/inbox/run`; `bench/README.md` says what is asked for.\n\n{facts}"
    );
    let (Some(small), Some(large)) = (sizes.first(), sizes.last()) else { return out };
    let words: Vec<_> =
        sizes.iter().map(|s| format!("{} leads with {} turns", s.leads, s.leads * s.turns)).collect();
    let _ = writeln!(out, "- databases: {}\n", words.join(", "));
    if sizes.len() > 1 {
        out += "## Promises\n\n| # | what | goal | measured | |\n|---|---|---|---|---|\n";
        for engine in engines {
            promises(&mut out, engine, *small, *large);
        }
        out += "\n";
    }
    turns(&mut out, engines, sizes);
    table(&mut out, engines, sizes);
    out
}

fn promises(out: &mut String, engine: &Engine, small: Size, large: Size) {
    let name = engine.name;
    let mut line = |id: &str, what: String, goal: String, measured: String, met: bool| {
        let met = if met { "met" } else { "**missed**" };
        let _ = writeln!(out, "| {id} | {what}, {name} | {goal} | {measured} | {met} |");
    };
    let growth = turn_growth(engine, engine.turns.len() - 1);
    let what = format!(
        "a `conversacion` in the store, {} turns against {}",
        large.leads * large.turns,
        small.leads * small.turns
    );
    line("S7", what, format!("≤ {TURN_GROWTH} ×"), format!("{growth:.2} ×"), growth <= TURN_GROWTH);
    let (Some(first), Some(last)) = (engine.columns.first(), engine.columns.last()) else { return };
    let ratio = |(a, b): (&Measured, &Measured)| b.median.as_secs_f64() / a.median.as_secs_f64();
    let Some((worst, growth)) =
        first.iter().zip(last).map(|pair| (pair.1.what, ratio(pair))).max_by(|a, b| a.1.total_cmp(&b.1))
    else {
        return;
    };
    let many = first.iter().zip(last).filter(|pair| ratio(*pair) > GROWTH).count();
    let what = format!("any list, count, search or page, {} leads against {}", large.leads, small.leads);
    let measured = format!("{growth:.1} × ({worst}); {many} of {} above", first.len());
    line("S7, S12", what, format!("≤ {GROWTH} ×"), measured, many == 0);
    let Some(slowest) = last.iter().max_by_key(|measured| measured.median) else { return };
    let (limit, ms) = (limit(large), millis(slowest.median));
    let what = format!("the slowest of them with {} leads, median", large.leads);
    line("S12", what, format!("< {limit} ms"), format!("{ms:.1} ms ({})", slowest.what), ms < limit);
}

/// The median of the rounds' ratios to the smallest database.
fn turn_growth(engine: &Engine, i: usize) -> f64 {
    let mut ratios: Vec<f64> = engine.turns[i].iter().zip(&engine.turns[0]).map(|(b, a)| b / a).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

fn turns(out: &mut String, engines: &[Engine], sizes: &[Size]) {
    out.push_str("## A chat turn\n\nMicroseconds a call with 64 under way, in rounds; ratio: to the smallest, median.\n\n");
    out.push_str("| | turns before | µs a call | ratio |\n|---|---:|---:|---:|\n");
    for engine in engines {
        for (i, size) in sizes.iter().enumerate() {
            let costs: Vec<_> = engine.turns[i].iter().map(|cost| format!("{cost:.0}")).collect();
            let (turns, growth) = (size.leads * size.turns, turn_growth(engine, i));
            let _ = writeln!(out, "| {} | {turns} | {} | {growth:.2} |", engine.name, costs.join(", "));
        }
    }
}

fn table(out: &mut String, engines: &[Engine], sizes: &[Size]) {
    let Some(first) = engines.first().and_then(|engine| engine.columns.first()) else { return };
    out.push_str("\n## Lists, counts, searches, pages\n\nMedian in ms (the 95th of a hundred in brackets); how many times ");
    out.push_str("slower the largest database is.\n\n");
    let (mut head, mut rule) = (String::from("| |"), String::from("|---|"));
    for engine in engines {
        for size in sizes {
            let _ = write!(head, " {} {} |", engine.name, size.leads);
            rule += "---:|";
        }
        if sizes.len() > 1 {
            head += " × |";
            rule += "---:|";
        }
    }
    let _ = writeln!(out, "{head}\n{rule}");
    for (i, measured) in first.iter().enumerate() {
        let mut line = format!("| {} |", measured.what);
        for engine in engines {
            for column in &engine.columns {
                let _ = write!(line, " {:.1} ({:.1}) |", millis(column[i].median), millis(column[i].p95));
            }
            if let [small, .., large] = &engine.columns[..] {
                let growth = large[i].median.as_secs_f64() / small[i].median.as_secs_f64();
                let _ = write!(line, " {growth:.1} |");
            }
        }
        let _ = writeln!(out, "{line}");
    }
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
