//! Bar charts as SVG for the width of a phone. Each name is on a line above its bars, so that long names fit.

use embudo_domain::words::beginning;

/// Sizes in units of the drawing. On a phone one unit is one pixel.
const WIDTH: i64 = 320;
const TEXT: i64 = 18;
const BAR: i64 = 10;
const GAP: i64 = 10;
/// The maximum length of a name. A longer name would overlap the figure beside it.
const MAX_LABEL: usize = 32;

pub(super) struct Chart {
    /// The alternative text, for people who cannot see the chart.
    pub text: String,
    pub lines: Vec<Line>,
    /// The meaning of each kind of bar, if there are several.
    pub legend: &'static [&'static str],
    pub height: i64,
}

pub(super) struct Line {
    pub label: String,
    /// The full name with its figures.
    pub title: String,
    pub figure: String,
    pub text_y: i64,
    pub bars: Vec<Bar>,
}

pub(super) struct Bar {
    pub y: i64,
    pub width: i64,
}

/// The data of one line.
pub(super) struct Drawn {
    pub name: String,
    /// The short text beside the name.
    pub figure: String,
    /// The figure in words.
    pub description: String,
    /// The lengths of the bars, in any unit.
    pub bars: Vec<i64>,
}

impl Drawn {
    /// A line whose figure needs no further description.
    pub fn plain(name: impl Into<String>, figure: String, n: i64) -> Self {
        Self { name: name.into(), description: figure.clone(), figure, bars: vec![n] }
    }
}

impl Chart {
    pub const WIDTH: i64 = WIDTH;

    /// Makes the chart. `None` if all bars are empty.
    pub fn of(title: &str, legend: &'static [&'static str], drawn: Vec<Drawn>) -> Option<Self> {
        let most = drawn.iter().flat_map(|line| &line.bars).copied().max().filter(|most| *most > 0)?;
        let texts: Vec<String> =
            drawn.iter().map(|line| format!("{}: {}", line.name, line.description)).collect();
        let mut y = 0;
        let mut lines = Vec::new();
        for Drawn { name, figure, description, bars } in drawn {
            let text_y = y + TEXT - 5;
            y += TEXT;
            let mut shown = Vec::new();
            for length in bars {
                // Every value above zero gets a visible bar, however small it is.
                let width = (length.max(0) * WIDTH / most).max(i64::from(length > 0) * 2);
                shown.push(Bar { y, width });
                y += BAR;
            }
            y += GAP;
            lines.push(Line {
                title: format!("{name}: {description}"),
                label: short(&name),
                figure,
                text_y,
                bars: shown,
            });
        }
        Some(Self { text: format!("{title}. {}.", texts.join("; ")), lines, legend, height: y - GAP })
    }
}

fn short(name: &str) -> String {
    beginning(name, MAX_LABEL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_figures() {
        let drawn = |n: i64| Drawn::plain(format!("fila {n}"), n.to_string(), n);
        let chart = Chart::of("Filas", &[], vec![drawn(1_000), drawn(500), drawn(1), drawn(0), drawn(-5)])
            .expect("a chart");
        let widths: Vec<i64> = chart.lines.iter().map(|line| line.bars[0].width).collect();
        assert_eq!(widths, [WIDTH, WIDTH / 2, 2, 0, 0]);
        assert!(chart.text.starts_with("Filas. fila 1000: 1000; "));
        assert!(Chart::of("Nada", &[], vec![drawn(0)]).is_none() && Chart::of("Nada", &[], vec![]).is_none());
        assert_eq!(short(&"ñ".repeat(50)).chars().count(), MAX_LABEL + 1);
    }
}
