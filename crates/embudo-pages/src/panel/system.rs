//! `/panel/sistema`: the state of the installation, for administrators.

use askama::Template;
use axum::extract::State;
use embudo_app::Queue;
use embudo_domain::Timestamp;
use http::StatusCode;
use jiff::SignedDuration;

use super::words::{ago, exact, moment, until};
use super::{PanelFrame, PanelResult, Section, Signed};
use crate::WebState;
use crate::installation::{Backups, BlobPlace, CheckResult, InstallationState};
use crate::parts::private_page;

#[derive(Template)]
#[template(path = "panel/system.html")]
struct SystemPage {
    frame: PanelFrame,
    /// The state of the running program. `None` if the binary gave the pages no function that examines it.
    program: Option<Program>,
    database_size: String,
    totals: Totals,
    queues: Vec<QueueLine>,
}

struct Program {
    version: &'static str,
    engine: &'static str,
    blobs: &'static str,
    started: String,
    backup: Backup,
    checks: Vec<CheckLine>,
    logged: Vec<LogLine>,
}

/// The state of the backups: the CSS class and the words.
struct Backup {
    chip: &'static str,
    word: &'static str,
    last: String,
    next: String,
}

struct CheckLine {
    name: &'static str,
    chip: &'static str,
    word: &'static str,
    detail: String,
    mend: Option<String>,
}

struct LogLine {
    when: String,
    chip: &'static str,
    word: &'static str,
    target: String,
    text: String,
}

struct Totals {
    pending: u64,
    due: u64,
    oldest: String,
    dead: u64,
    parked: u64,
}

/// A kind of job whose queue has something to report.
struct QueueLine {
    kind: &'static str,
    queue: Queue,
    oldest: String,
}

/// `GET /panel/sistema`.
pub(super) async fn show(State(state): State<WebState>, signed: Signed) -> PanelResult {
    let now = state.app.now();
    let queues = state.app.housekeeping().queues().await?;
    let database_size = bytes(state.app.store.database_bytes().await?);
    let program = match &state.settings.installation {
        Some(look) => Some(program(look().await, now)),
        None => None,
    };
    let page = SystemPage {
        frame: PanelFrame::new(&state, &signed, "Sistema", Section::System).await?,
        program,
        database_size,
        totals: totals(&queues, now),
        queues: queues
            .into_iter()
            .filter(|q| q.pending + q.dead + q.parked > 0)
            .map(|q| line(q, now))
            .collect(),
    };
    Ok(private_page(StatusCode::OK, &page))
}

fn totals(queues: &[Queue], now: Timestamp) -> Totals {
    let sum = |count: fn(&Queue) -> u64| queues.iter().map(count).sum();
    let oldest = queues.iter().filter_map(|queue| queue.oldest).min();
    Totals {
        pending: sum(|queue| queue.pending),
        due: sum(|queue| queue.due),
        oldest: oldest.map_or_else(|| "ninguno espera".to_owned(), |oldest| ago(oldest, now)),
        dead: sum(|queue| queue.dead),
        parked: sum(|queue| queue.parked),
    }
}

fn line(queue: Queue, now: Timestamp) -> QueueLine {
    let oldest = queue.oldest.map_or_else(String::new, |oldest| ago(oldest, now));
    QueueLine { kind: queue.kind.label(), queue, oldest }
}

fn program(of: InstallationState, now: Timestamp) -> Program {
    let check = |check: crate::installation::Check| {
        let (chip, word) = match check.result {
            CheckResult::Ok => ("ficha-bien", "bien"),
            CheckResult::Warning => ("ficha-ojo", "aviso"),
            CheckResult::Failed => ("ficha-mal", "falla"),
            CheckResult::NotConfigured => ("", "sin configurar"),
        };
        CheckLine { name: check.name, chip, word, detail: check.detail, mend: check.mend }
    };
    let logged = |line: crate::installation::Logged| {
        let (chip, word) = if line.is_error { ("ficha-mal", "error") } else { ("ficha-ojo", "aviso") };
        LogLine { when: exact(line.at, now), chip, word, target: line.target, text: line.text }
    };
    Program {
        version: of.version,
        engine: of.engine,
        blobs: match of.blobs {
            BlobPlace::Folder => "en una carpeta de este servidor",
            BlobPlace::S3 => "en S3",
        },
        started: format!("{} ({})", moment(of.started, now), ago(of.started, now)),
        backup: backup(of.backups, now),
        checks: of.checks.into_iter().map(check).collect(),
        logged: of.logged.into_iter().map(logged).collect(),
    }
}

fn backup(backups: Backups, now: Timestamp) -> Backup {
    let shown = |chip, word, last: String, next: String| Backup { chip, word, last, next };
    match backups {
        Backups::Off => shown(
            "ficha-ojo",
            "sin copias automáticas",
            "ninguna".to_owned(),
            "nunca: falta el ajuste BACKUP_DEST en el servidor".to_owned(),
        ),
        Backups::Unknown => shown(
            "ficha-mal",
            "no se sabe",
            "el sitio de las copias no responde".to_owned(),
            "cuando responda".to_owned(),
        ),
        Backups::On { last: None, .. } => {
            shown("ficha-ojo", "aún no hay ninguna", "ninguna".to_owned(), "en unos minutos".to_owned())
        }
        Backups::On { last: Some(last), every } => {
            let every = SignedDuration::try_from(every).unwrap_or(SignedDuration::MAX);
            let next = last.saturating_add(every).unwrap_or(last);
            let is_late = last.saturating_add(every.saturating_mul(2)).is_ok_and(|late| late < now);
            let (chip, word) = if is_late { ("ficha-mal", "con retraso") } else { ("ficha-bien", "al día") };
            let next = match next <= now {
                true => "en unos minutos".to_owned(),
                false => format!("{} ({})", moment(next, now), until(next, now)),
            };
            shown(chip, word, format!("{} ({})", moment(last, now), ago(last, now)), next)
        }
    }
}

/// «3,2 MB».
fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KB", "MB", "GB", "TB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let number = if unit == 0 { format!("{value}") } else { format!("{value:.1}").replace('.', ",") };
    format!("{number} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn sizes_read_as_in_spain() {
        for (size, told) in [(0, "0 B"), (999, "999 B"), (1_234, "1,2 KB"), (52_000_000, "52,0 MB")] {
            assert_eq!(bytes(size), told);
        }
    }

    #[test]
    fn a_backup_is_late_after_twice_its_time() {
        let now: Timestamp = "2026-11-14T10:30:00Z".parse().expect("a moment");
        let every = Duration::from_secs(24 * 3600);
        let word = |hours| {
            let last = Some(now - SignedDuration::from_hours(hours));
            backup(Backups::On { last, every }, now).word
        };
        assert_eq!([word(1), word(30), word(49)], ["al día", "al día", "con retraso"]);
        assert_eq!(backup(Backups::On { last: None, every }, now).word, "aún no hay ninguna");
    }
}
