//! The output of the program: the log on stderr, and lists for people or programs on stdout.
//!
//! The log never contains personal data or secrets; every event must be written so. Libraries do not follow this rule:
//! below the level of warnings, the database drivers, the HTTP stack and the mail client print the data that passes
//! through them (parameters of statements, headers, whole bodies). So at these levels only our own events are logged,
//! whatever level is configured. Commands print their results through [`print()`], so that a closed pipe ends them
//! quietly.

#[cfg(test)]
mod capture;
mod json;
mod lines;
mod recent;
mod text;

pub use self::lines::LogGuard;
pub use self::recent::recent;

use self::json::JsonFormat;
use self::lines::LineQueue;
use self::recent::KeepRecent;
use self::text::TextFormat;
use crate::settings::{LogFilter, LogFormat};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use tracing::{Level, Metadata};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Starts the log. Events that are still waiting are written when the guard is dropped.
pub fn start_log(format: LogFormat, filter: &LogFilter) -> LogGuard {
    let terminal = io::stderr().is_terminal();
    let as_text = match format {
        LogFormat::Auto => terminal,
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    let (queue, guard) = LineQueue::start(io::stderr());
    let filter = EnvFilter::new(filter.as_str());
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(queue);
    // A second start, which happens only in tests, keeps the first log.
    let _ = if as_text {
        let format = TextFormat::new(terminal && colours_wanted());
        let log = builder.with_ansi(false).event_format(format).finish();
        log.with(filter_fn(may_be_logged)).with(KeepRecent).try_init()
    } else {
        let log = builder.with_ansi(false).event_format(JsonFormat).finish();
        log.with(filter_fn(may_be_logged)).with(KeepRecent).try_init()
    };
    guard
}

/// Our own events at any level; events of libraries only from warnings upwards, without those of `repeats_clients`.
fn may_be_logged(event: &Metadata<'_>) -> bool {
    let is_wrong = *event.level() <= Level::WARN && !repeats_clients(event.target());
    is_wrong || is_ours(event.target())
}

/// Whether the warnings of a library repeat what a client sent. They are not lost: the client gets the same text in its
/// answer.
fn repeats_clients(target: &str) -> bool {
    target.split("::").next() == Some("rmcp")
}

fn is_ours(target: &str) -> bool {
    let module = target.split("::").next().unwrap_or_default();
    matches!(module, "access" | "server") || module == "embudo" || module.starts_with("embudo_")
}

fn colours_wanted() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// How a command prints a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFormat {
    /// Aligned columns for people.
    Table,
    /// A JSON array for programs.
    Json,
}

impl ListFormat {
    /// The format that a `--json` flag asks for.
    pub fn from_json_flag(json: bool) -> Self {
        if json { Self::Json } else { Self::Table }
    }
}

/// A list as text: JSON holds the items themselves, a table what `cells` makes of each.
pub fn list<T: Serialize>(
    format: ListFormat,
    headings: &[&str],
    items: &[T],
    cells: impl Fn(&T) -> Vec<String>,
) -> String {
    match format {
        ListFormat::Table => table(headings, &items.iter().map(cells).collect::<Vec<_>>()),
        ListFormat::Json => {
            let text = serde_json::to_string_pretty(items).expect("lists of plain structs are always JSON");
            text + "\n"
        }
    }
}

/// Columns aligned to the left, two spaces apart, without spaces at the end of a line.
pub fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let headings: Vec<String> = headings.iter().map(ToString::to_string).collect();
    let lines = || std::iter::once(&headings).chain(rows);
    let widths: Vec<usize> = (0..headings.len())
        .map(|column| {
            lines().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            format!("{}{:width$}", clean(cell), "", width = width - cell.chars().count())
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    lines().map(line).collect()
}

/// Replaces control characters, so that a name cannot move the cursor or break a line. The number of characters stays
/// the same.
pub fn clean(cell: &str) -> String {
    cell.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Whether stdout is a terminal.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Writes a result to stdout. A closed pipe is no error: the reader has read as much as it wanted.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_modules_are_ours() {
        for ours in
            ["embudo", "embudo::comandos", "embudo_api::api", "embudo_store_sqlite", "access", "server"]
        {
            assert!(is_ours(ours), "{ours}");
        }
        for other in ["tokio_postgres::prepare", "rusqlite", "hyper::proto", "h2", "embudos", "log", ""] {
            assert!(!is_ours(other), "{other}");
        }
        assert!(repeats_clients("rmcp::service") && !repeats_clients("hyper::proto"));
    }

    #[test]
    fn tables_are_aligned_also_with_accents_and_harmless_with_control_characters() {
        let rows = [["Baño", "1", ""], ["a\x1b[2J\n", "22", "x"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&["zona", "n", "nota"], &rows), "zona    n   nota\nBaño    1\na�[2J�  22  x\n");
    }

    #[test]
    fn an_empty_table_is_its_headings() {
        assert_eq!(table(&["id", "nombre"], &[]), "id  nombre\n");
    }

    #[test]
    fn lists_come_as_table_or_json() {
        #[derive(Serialize)]
        struct Empresa {
            nombre: &'static str,
        }
        let items = [Empresa { nombre: "Ñu" }];
        let cells = |item: &Empresa| vec![item.nombre.to_owned()];
        assert_eq!(list(ListFormat::from_json_flag(false), &["nombre"], &items, cells), "nombre\nÑu\n");
        let json = list(ListFormat::from_json_flag(true), &["nombre"], &items, cells);
        assert_eq!(json, "[\n  {\n    \"nombre\": \"Ñu\"\n  }\n]\n");
    }
}
