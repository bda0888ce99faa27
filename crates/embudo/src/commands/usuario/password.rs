//! A password from standard input: on a terminal it is prompted for twice without showing it, otherwise it is the first
//! line.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::process::{Command, Stdio};

pub fn read() -> Result<String, String> {
    let refused = |error: io::Error| format!("the password cannot be read: {error}");
    if !io::stdin().is_terminal() {
        return line().map_err(refused).and_then(given);
    }
    let first = ask("Password: ").map_err(refused).and_then(given)?;
    let second = ask("Again: ").map_err(refused)?;
    if first != second { Err("the two passwords are not the same".to_owned()) } else { Ok(first) }
}

fn given(password: String) -> Result<String, String> {
    if password.is_empty() {
        return Err("no password came: give it on standard input, or ask for a link with --link".to_owned());
    }
    Ok(password)
}

fn ask(prompt: &str) -> io::Result<String> {
    let mut out = io::stderr();
    write!(out, "{prompt}")?;
    out.flush()?;
    let shown = Echo::off();
    let typed = line();
    drop(shown);
    writeln!(out)?;
    typed
}

fn line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// While this value exists, the terminal does not show what is typed. On a machine without `stty` it still does.
struct Echo;

impl Echo {
    fn off() -> Self {
        stty("-echo");
        Self
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        stty("echo");
    }
}

fn stty(mode: &str) {
    let _ = Command::new("stty").arg(mode).stdin(Stdio::inherit()).stderr(Stdio::null()).status();
}
