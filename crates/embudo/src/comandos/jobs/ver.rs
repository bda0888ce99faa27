//! Jobs laid out for reading, and as JSON. What a job sends is personal, so only JSON, asked for by name, has it.

use crate::comandos::lead::minute;
use crate::salida::{clean, table};
use embudo_domain::trabajo::{Entrega, EstadoTrabajo, Trabajo};
use serde::Serialize;

/// The columns of the list.
pub const HEADINGS: &[&str] = &["ID", "CREADO", "TIPO", "ESTADO", "INTENTOS", "PRÓXIMO", "LEAD", "ERROR"];

/// How much of an answer or an error a line shows.
const SHORT: usize = 160;

/// A job as it is printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fila {
    id: String,
    lead: String,
    empresa: String,
    tipo: &'static str,
    estado: &'static str,
    intentos: u32,
    /// Only while it waits.
    proximo_en: Option<String>,
    en_duda: bool,
    ultimo_error: Option<String>,
    creado_en: String,
    terminado_en: Option<String>,
}

impl From<Trabajo> for Fila {
    fn from(trabajo: Trabajo) -> Self {
        Self::from(&trabajo)
    }
}

impl From<&Trabajo> for Fila {
    fn from(trabajo: &Trabajo) -> Self {
        let waits = trabajo.estado == EstadoTrabajo::Pendiente;
        Self {
            id: trabajo.id.to_string(),
            lead: trabajo.lead.to_string(),
            empresa: trabajo.empresa.to_string(),
            tipo: trabajo.tipo.as_str(),
            estado: trabajo.estado.as_str(),
            intentos: trabajo.intentos,
            proximo_en: waits.then(|| trabajo.proximo_en.to_string()),
            en_duda: trabajo.en_duda,
            ultimo_error: trabajo.ultimo_error.clone(),
            creado_en: trabajo.creado_en.to_string(),
            terminado_en: trabajo.terminado_en.map(|en| en.to_string()),
        }
    }
}

impl Fila {
    /// The cells under [`HEADINGS`].
    pub fn cells(&self) -> Vec<String> {
        vec![
            self.id.clone(),
            minute(&self.creado_en),
            self.tipo.to_owned(),
            self.estado.to_owned(),
            self.intentos.to_string(),
            self.proximo_en.as_deref().map(minute).unwrap_or_else(dash),
            self.lead.clone(),
            self.ultimo_error.as_deref().map(|text| shorten(text, 60)).unwrap_or_default(),
        ]
    }
}

/// One attempt as it is printed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Intento {
    inicio: String,
    duracion_ms: i64,
    ok: bool,
    status: Option<u16>,
    error: Option<String>,
    respuesta: Option<String>,
}

#[derive(Serialize)]
struct Todo {
    #[serde(flatten)]
    fila: Fila,
    /// What it sends, as it was fixed when it was made.
    carga: serde_json::Value,
    entregas: Vec<Intento>,
}

/// A job with its attempts, in full.
pub fn json(trabajo: &Trabajo, entregas: Vec<Entrega>) -> String {
    let intento = |entrega: Entrega| Intento {
        inicio: entrega.inicio.to_string(),
        duracion_ms: entrega.duracion_ms,
        ok: entrega.ok,
        status: entrega.status,
        error: entrega.error,
        respuesta: entrega.respuesta,
    };
    let carga =
        serde_json::from_str(&trabajo.carga).unwrap_or(serde_json::Value::String(trabajo.carga.clone()));
    let todo =
        Todo { fila: Fila::from(trabajo), carga, entregas: entregas.into_iter().map(intento).collect() };
    serde_json::to_string_pretty(&todo).expect("plain structs are always JSON") + "\n"
}

/// A job with its attempts, in short lines.
pub fn text(trabajo: &Trabajo, entregas: &[Entrega]) -> String {
    let fila = Fila::from(trabajo);
    let doubt = if fila.en_duda { " (en duda: puede que haya llegado)" } else { "" };
    let facts = [
        ("id", Some(fila.id)),
        ("tipo", Some(fila.tipo.to_owned())),
        ("estado", Some(format!("{}{doubt}", fila.estado))),
        ("lead", Some(fila.lead)),
        ("empresa", Some(fila.empresa)),
        ("creado", Some(fila.creado_en)),
        ("intentos", Some(fila.intentos.to_string())),
        ("próximo", fila.proximo_en),
        ("terminado", fila.terminado_en),
        ("error", fila.ultimo_error.map(|error| shorten(&error, SHORT))),
    ];
    let line = |(label, value): (&str, Option<String>)| Some(format!("{label:9}  {}\n", clean(&value?)));
    let mut text: String = facts.into_iter().filter_map(line).collect();
    if entregas.is_empty() {
        return text;
    }
    let cells = |entrega: &Entrega| {
        let said = entrega.error.iter().chain(&entrega.respuesta).map(|said| shorten(said, SHORT));
        vec![
            entrega.inicio.to_string(),
            format!("{} ms", entrega.duracion_ms),
            if entrega.ok { "ok" } else { "falla" }.to_owned(),
            entrega.status.map(|status| status.to_string()).unwrap_or_else(dash),
            said.filter(|said| !said.is_empty()).collect::<Vec<_>>().join(" | "),
        ]
    };
    let rows: Vec<Vec<String>> = entregas.iter().map(cells).collect();
    text += &format!("\nentregas ({})\n", entregas.len());
    text += &table(&["INICIO", "DURACIÓN", "FIN", "STATUS", "RESPUESTA"], &rows);
    text
}

fn dash() -> String {
    "–".to_owned()
}

/// One line of bearable length.
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
