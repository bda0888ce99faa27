//! The queries of the search: names by their trigrams, and written texts in parts, beginning with the newest.

use embudo_domain::search::Asked;
use embudo_domain::{EmpresaId, LeadId, Timestamp};

use super::{Query, Reach};
use crate::Result;
use crate::row::Columns;

/// How an engine finds a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigrams {
    /// SQLite's FTS5.
    Fts5,
    /// PostgreSQL's pg_trgm, or a scan without it.
    Like,
}

/// A text that may match a search.
#[derive(Debug, Clone)]
pub struct Written {
    pub lead: LeadId,
    pub texts: [Option<String>; 2],
    pub at: Timestamp,
}

fn written_row(c: &Columns<'_>) -> Result<Written> {
    let texts = [c.get("texto")?, c.get("texto_2")?];
    Ok(Written { lead: LeadId(c.get("lead_id")?), texts, at: c.get("creado_en")? })
}

/// Leads of a company whose name, e-mail or telephone contains every word, newest first. At least one word must be long
/// enough for trigrams.
pub fn names(by: Trigrams, empresa: EmpresaId, asked: &Asked, limit: u32) -> Query<(Timestamp, LeadId)> {
    let text = match by {
        Trigrams::Fts5 => {
            "SELECT b.lead_id, b.creado_en FROM lead_trigrama f CROSS JOIN lead_busqueda b ON b.n = f.rowid\n"
        }
        Trigrams::Like => "SELECT b.lead_id, b.creado_en FROM lead_busqueda b\n",
    };
    let mut query = Query::new(text, |c| Ok((c.get("creado_en")?, LeadId(c.get("lead_id")?))));
    for part in parts(by, asked.indexed()) {
        query = query.only(&part.condition).bind(part.name, part.value);
    }
    let short = asked.words.iter().filter(|word| asked.indexed().all(|indexed| indexed != word.as_str()));
    for (i, word) in short.enumerate() {
        let contains = format!("replace(b.texto, :corta{i}, '') <> b.texto");
        query = query.only(&contains).bind(format!("corta{i}"), word.as_str());
    }
    let newest = match by {
        Trigrams::Fts5 => "ORDER BY f.rowid DESC LIMIT :limit",
        Trigrams::Like => "ORDER BY b.creado_en DESC, b.lead_id DESC LIMIT :limit",
    };
    query.only("b.empresa_id = :empresa").bind("empresa", empresa.0).then(newest).bind("limit", limit)
}

/// A condition on `lead_busqueda b` and, with FTS5, on `lead_trigrama f`.
struct Part {
    condition: String,
    /// Its parameter.
    name: String,
    value: String,
}

/// The conditions that a lead's text contains every one of `texts`, which are long enough for trigrams.
fn parts<'a>(by: Trigrams, texts: impl Iterator<Item = &'a str>) -> Vec<Part> {
    match by {
        Trigrams::Fts5 => {
            let phrases: Vec<String> =
                texts.map(|text| format!("\"{}\"", text.replace('"', "\"\""))).collect();
            let (condition, name) = ("f.texto MATCH :frase".to_owned(), "frase".to_owned());
            vec![Part { condition, name, value: phrases.join(" AND ") }]
        }
        Trigrams::Like => {
            let part = |(i, text)| Part {
                condition: format!("b.texto LIKE :frase{i}"),
                name: format!("frase{i}"),
                value: like(text),
            };
            texts.enumerate().map(part).collect()
        }
    }
}

/// Adds the condition that a column is the id of a lead whose text contains every one of `texts`.
pub(super) fn only_with<'a, T>(
    query: Query<T>,
    by: Trigrams,
    column: &str,
    texts: impl Iterator<Item = &'a str>,
) -> Query<T> {
    let from = match by {
        Trigrams::Fts5 => "lead_trigrama f CROSS JOIN lead_busqueda b ON b.n = f.rowid",
        Trigrams::Like => "lead_busqueda b",
    };
    let parts = parts(by, texts);
    let conditions: Vec<&str> = parts.iter().map(|part| part.condition.as_str()).collect();
    let among = format!("{column} IN (SELECT b.lead_id FROM {from} WHERE {})", conditions.join(" AND "));
    parts.into_iter().fold(query.only(&among), |query, part| query.bind(part.name, part.value))
}

/// A pattern for `LIKE` that finds a text anywhere; special characters of `LIKE` are escaped.
fn like(word: &str) -> String {
    let mut pattern = String::from("%");
    for c in word.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern + "%"
}

/// The search texts of a company's leads, newest leads first, after a position.
pub fn newest(empresa: EmpresaId, after: Option<(Timestamp, LeadId)>, limit: u32) -> Query<Written> {
    let page = Query::new(include_str!("../../sql/lead_busqueda/newest.sql"), written_row)
        .only("empresa_id = :empresa")
        .bind("empresa", empresa.0);
    let page = match after {
        None => page,
        Some((at, lead)) => {
            page.only("(creado_en, lead_id) < (:after, :after_id)").bind("after", at).bind("after_id", lead.0)
        }
    };
    page.then("ORDER BY creado_en DESC, lead_id DESC LIMIT :limit").bind("limit", limit).reaching(Reach::Walk)
}

/// A table with texts of people, in the order of a serial number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenIn {
    NotasInternas,
    Replies,
    Notas,
    Turnos,
}

impl WrittenIn {
    pub const ALL: [Self; 4] = [Self::NotasInternas, Self::Replies, Self::Notas, Self::Turnos];

    pub fn table(self) -> &'static str {
        match self {
            Self::NotasInternas => "nota_interna",
            Self::Replies => "mensaje",
            Self::Notas => "nota",
            Self::Turnos => "turno",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::NotasInternas => include_str!("../../sql/nota_interna/written.sql"),
            Self::Replies => include_str!("../../sql/mensaje/written.sql"),
            Self::Notas => include_str!("../../sql/nota/written.sql"),
            Self::Turnos => include_str!("../../sql/turno/written.sql"),
        }
    }
}

/// The texts between two serial numbers.
pub fn part(of: WrittenIn, empresa: EmpresaId, low: i64, high: i64) -> Query<Written> {
    Query::new(of.text(), written_row)
        .bind("low", low)
        .bind("high", high)
        .bind("empresa", empresa.0)
        .reaching(Reach::Walk)
}
