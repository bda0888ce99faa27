//! The progress of a long command: a bar on a terminal, otherwise a line from time to time.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use embudo_backup::Progress;

const WIDTH: usize = 30;
const ON_TERMINAL: Duration = Duration::from_millis(100);
const IN_LINES: Duration = Duration::from_secs(10);

/// The progress bar. It is removed when the command has ended.
pub struct Bar {
    terminal: bool,
    last: Mutex<Option<Instant>>,
}

impl Bar {
    pub fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        // Without a terminal, the first line is printed after [`IN_LINES`], so a short command prints none.
        let last = (!terminal).then(Instant::now);
        Self { terminal, last: Mutex::new(last) }
    }

    /// Clears the line for other output.
    pub fn end(&self) {
        if self.terminal {
            // If the terminal is gone, nothing is lost.
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

impl Progress for Bar {
    fn at(&self, what: &str, done: u64, total: u64) {
        let pause = if self.terminal { ON_TERMINAL } else { IN_LINES };
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < pause) {
            return;
        }
        *last = Some(Instant::now());
        let text = line(what, done, total);
        let _ = if self.terminal {
            write!(std::io::stderr(), "\r\x1b[K{} {text}", drawn(done, total))
        } else {
            writeln!(std::io::stderr(), "{text}")
        };
    }
}

fn line(what: &str, done: u64, total: u64) -> String {
    format!("{:>3} %  {done} of {total}  {what}", percent(done, total))
}

fn percent(done: u64, total: u64) -> u64 {
    if total == 0 { 100 } else { (u128::from(done.min(total)) * 100 / u128::from(total)) as u64 }
}

fn drawn(done: u64, total: u64) -> String {
    let full = percent(done, total) as usize * WIDTH / 100;
    format!("[{}{}]", "#".repeat(full), ".".repeat(WIDTH - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_and_never_runs_over() {
        for (done, total, full) in [(0, 10, 0), (5, 10, 15), (10, 10, 30), (11, 10, 30), (0, 0, 30)] {
            let bar = drawn(done, total);
            assert_eq!(bar.matches('#').count(), full, "{done} of {total}");
            assert_eq!(bar.len(), WIDTH + 2);
        }
        assert_eq!(line("turno", 5, 10), " 50 %  5 of 10  turno");
    }
}
