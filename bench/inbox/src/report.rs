//! The table: medians, how they grow, and the slowest of twenty.

use crate::measure::Measured;

/// Columns come engine by engine, `sizes` of each.
pub(crate) fn print(columns: &[(String, Vec<Measured>)], sizes: usize) {
    let Some((_, first)) = columns.first() else { return };
    println!(
        "\nMedian in ms (the 95th of a hundred in brackets); how many times slower the largest database is.\n"
    );
    let mut head = String::from("| |");
    let mut rule = String::from("|---|");
    for engine in columns.chunks(sizes) {
        for (name, _) in engine {
            head += &format!(" {name} |");
            rule += "---:|";
        }
        if sizes > 1 {
            head += " × |";
            rule += "---:|";
        }
    }
    println!("{head}\n{rule}");
    for (i, measured) in first.iter().enumerate() {
        let mut line = format!("| {} |", measured.what);
        for engine in columns.chunks(sizes) {
            for (_, column) in engine {
                let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
                line += &format!(" {:.1} ({:.1}) |", ms(column[i].median), ms(column[i].p95));
            }
            if let ([(_, small), .., (_, large)], true) = (engine, sizes > 1) {
                line += &format!(" {:.1} |", large[i].median.as_secs_f64() / small[i].median.as_secs_f64());
            }
        }
        println!("{line}");
    }
}
