//! Jobs as readable text, and as JSON. The content of a job is personal data, so it appears only in JSON, which must be
//! requested.

use crate::commands::lead::minute;
use crate::logging::{clean, table};
use embudo_domain::job::{Delivery, Job, JobState};
use serde::Serialize;

/// The columns of the list.
pub const HEADINGS: &[&str] = &["ID", "CREATED", "KIND", "STATE", "ATTEMPTS", "NEXT", "LEAD", "ERROR"];

/// How much of an answer or an error is shown in a line.
const SHORT: usize = 160;

/// A job in the form in which it is printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    id: String,
    lead: String,
    empresa: String,
    #[serde(rename = "tipo")]
    kind: &'static str,
    #[serde(rename = "estado")]
    state: &'static str,
    intentos: u32,
    /// Only present while the job waits.
    proximo_en: Option<String>,
    en_duda: bool,
    ultimo_error: Option<String>,
    creado_en: String,
    terminado_en: Option<String>,
}

impl From<Job> for Row {
    fn from(job: Job) -> Self {
        Self::from(&job)
    }
}

impl From<&Job> for Row {
    fn from(job: &Job) -> Self {
        let waits = job.state == JobState::Pending;
        Self {
            id: job.id.to_string(),
            lead: job.lead.to_string(),
            empresa: job.empresa.to_string(),
            kind: job.kind.as_str(),
            state: job.state.as_str(),
            intentos: job.intentos,
            proximo_en: waits.then(|| job.proximo_en.to_string()),
            en_duda: job.en_duda,
            ultimo_error: job.ultimo_error.clone(),
            creado_en: job.creado_en.to_string(),
            terminado_en: job.terminado_en.map(|at| at.to_string()),
        }
    }
}

impl Row {
    /// The cells under [`HEADINGS`].
    pub fn cells(&self) -> Vec<String> {
        vec![
            self.id.clone(),
            minute(&self.creado_en),
            self.kind.to_owned(),
            self.state.to_owned(),
            self.intentos.to_string(),
            self.proximo_en.as_deref().map(minute).unwrap_or_else(dash),
            self.lead.clone(),
            self.ultimo_error.as_deref().map(|text| shorten(text, 60)).unwrap_or_default(),
        ]
    }
}

/// One attempt in the form in which it is printed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Intento {
    #[serde(rename = "inicio")]
    start: String,
    duracion_ms: i64,
    ok: bool,
    status: Option<u16>,
    error: Option<String>,
    #[serde(rename = "respuesta")]
    answer: Option<String>,
}

#[derive(Serialize)]
struct All {
    #[serde(flatten)]
    row: Row,
    /// The payload, as it was fixed when the job was made.
    #[serde(rename = "carga")]
    payload: serde_json::Value,
    #[serde(rename = "entregas")]
    deliveries: Vec<Intento>,
}

/// A job with its attempts, in full.
pub fn json(job: &Job, deliveries: Vec<Delivery>) -> String {
    let intento = |delivery: Delivery| Intento {
        start: delivery.start.to_string(),
        duracion_ms: delivery.duracion_ms,
        ok: delivery.ok,
        status: delivery.status,
        error: delivery.error,
        answer: delivery.answer,
    };
    let payload =
        serde_json::from_str(&job.payload).unwrap_or(serde_json::Value::String(job.payload.clone()));
    let all = All { row: Row::from(job), payload, deliveries: deliveries.into_iter().map(intento).collect() };
    serde_json::to_string_pretty(&all).expect("plain structs are always JSON") + "\n"
}

/// A job with its attempts, in short lines.
pub fn text(job: &Job, deliveries: &[Delivery]) -> String {
    let row = Row::from(job);
    let doubt = if row.en_duda { " (in doubt: it may have arrived)" } else { "" };
    let facts = [
        ("id", Some(row.id)),
        ("kind", Some(row.kind.to_owned())),
        ("state", Some(format!("{}{doubt}", row.state))),
        ("lead", Some(row.lead)),
        ("company", Some(row.empresa)),
        ("created", Some(row.creado_en)),
        ("attempts", Some(row.intentos.to_string())),
        ("next", row.proximo_en),
        ("ended", row.terminado_en),
        ("error", row.ultimo_error.map(|error| shorten(&error, SHORT))),
    ];
    let line = |(label, value): (&str, Option<String>)| Some(format!("{label:8}  {}\n", clean(&value?)));
    let mut text: String = facts.into_iter().filter_map(line).collect();
    if deliveries.is_empty() {
        return text;
    }
    let cells = |delivery: &Delivery| {
        let said = delivery.error.iter().chain(&delivery.answer).map(|said| shorten(said, SHORT));
        vec![
            delivery.start.to_string(),
            format!("{} ms", delivery.duracion_ms),
            if delivery.ok { "ok" } else { "failed" }.to_owned(),
            delivery.status.map(|status| status.to_string()).unwrap_or_else(dash),
            said.filter(|said| !said.is_empty()).collect::<Vec<_>>().join(" | "),
        ]
    };
    let rows: Vec<Vec<String>> = deliveries.iter().map(cells).collect();
    text += &format!("\ndeliveries ({})\n", deliveries.len());
    text += &table(&["START", "DURATION", "END", "STATUS", "ANSWER"], &rows);
    text
}

fn dash() -> String {
    "–".to_owned()
}

/// The text as one line of limited length.
fn shorten(text: &str, longest: usize) -> String {
    let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(longest) {
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_stay_on_one_short_line() {
        assert_eq!(shorten("<html>\n\t<body>  no", 40), "<html> <body> no");
        assert_eq!(shorten("ñandú", 2), "ña…");
        assert_eq!(shorten("ña", 2), "ña");
    }
}
