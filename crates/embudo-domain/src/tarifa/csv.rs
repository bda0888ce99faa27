//! The items of a price table as a CSV file that spreadsheets open: one row for each item, one column for each field of
//! the item.
//!
//! Written as Spanish Excel writes: semicolons, decimal commas, UTF-8 with a byte order mark. Read in the same form, or
//! with commas and decimal points. The file is read over an existing table: a column that is left out keeps the table's
//! values, and an item without a row is removed. Every row is converted to TOML and checked as TOML, so that both
//! formats obey one set of rules.

use std::collections::HashMap;
use std::fmt::Write;

use super::parse::items::MAX_PARTIDAS;
use super::parse::parse;
use super::{MAX_BYTES, Partida, Tarifa};
use crate::data::{DataError, InvalidData, in_quotes};
use crate::decimal;
use crate::perfil::Calidad;
use crate::search::fold;

/// The byte order mark tells Excel that a file is UTF-8.
const MARK: char = '\u{feff}';

/// The content of a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A word that the program knows, without blanks around it.
    Word,
    /// A text for people, kept exactly.
    Text,
    /// Words separated by commas.
    Words,
    Number,
    Year,
    YesNo,
}

/// The columns. They have the names of the fields in the TOML file.
const COLUMNS: [(&str, Kind); 25] = [
    ("clave", Kind::Word),
    ("capitulo", Kind::Word),
    ("tipos", Kind::Words),
    ("zona", Kind::Word),
    ("estancias", Kind::Words),
    ("salvo_estancias", Kind::Words),
    ("solo_estructural", Kind::YesNo),
    ("concepto", Kind::Text),
    ("unidad", Kind::Word),
    ("cantidad", Kind::Word),
    ("basica.precio", Kind::Number),
    ("basica.coste", Kind::Number),
    ("basica.material", Kind::Number),
    ("basica.detalle", Kind::Text),
    ("media.precio", Kind::Number),
    ("media.coste", Kind::Number),
    ("media.material", Kind::Number),
    ("media.detalle", Kind::Text),
    ("premium.precio", Kind::Number),
    ("premium.coste", Kind::Number),
    ("premium.material", Kind::Number),
    ("premium.detalle", Kind::Text),
    ("fuente.texto", Kind::Text),
    ("fuente.publicada", Kind::Year),
    ("fuente.enlace", Kind::Word),
];

/// Characters that make a spreadsheet treat a cell as a formula, and the character that prevents it.
const FORMULAS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
const GUARD: char = '\'';

/// One item: a cell for each column.
type Cells = [String; COLUMNS.len()];

pub(super) fn write(t: &Tarifa) -> String {
    let mut builder = csv::WriterBuilder::new();
    builder.delimiter(b';').quote_style(csv::QuoteStyle::Always).terminator(csv::Terminator::CRLF);
    let mut writer = builder.from_writer(Vec::new());
    let in_memory = "writing to memory cannot fail";
    writer.write_record(COLUMNS.map(|(name, _)| name)).expect(in_memory);
    for item in &t.partidas {
        writer.write_record(cells(item).map(|cell| guarded(&cell))).expect(in_memory);
    }
    let bytes = writer.into_inner().expect(in_memory);
    format!("{MARK}{}", String::from_utf8(bytes).expect("made of texts"))
}

/// The cells of an item's row. Numbers have no points: a spreadsheet would read `1.5` as a date.
fn cells(p: &Partida) -> Cells {
    let number = |value: i64| decimal::write(value, 2).replace('.', ",");
    let source = p.source.as_ref();
    COLUMNS.map(|(name, _)| {
        let (group, part) = name.split_once('.').unwrap_or((name, ""));
        let price = Calidad::parse(group).and_then(|calidad| p.precio(calidad));
        match (group, part) {
            ("clave", _) => p.key.clone(),
            ("capitulo", _) => p.capitulo.clone(),
            ("tipos", _) => p.kinds.iter().map(|k| k.as_str()).collect::<Vec<_>>().join(", "),
            ("zona", _) => p.zona.map(|z| z.to_string()).unwrap_or_default(),
            ("estancias", _) => p.only_in.iter().map(|e| e.as_str()).collect::<Vec<_>>().join(", "),
            ("salvo_estancias", _) => p.not_in.iter().map(|e| e.as_str()).collect::<Vec<_>>().join(", "),
            ("solo_estructural", _) => if p.only_estructural { "sí" } else { "" }.to_owned(),
            ("concepto", _) => p.concepto.clone(),
            ("unidad", _) => p.unidad.to_string(),
            ("cantidad", _) => p.cantidad.to_string().replace('.', ","),
            ("fuente", "texto") => source.map(|s| s.text.clone()).unwrap_or_default(),
            ("fuente", "publicada") => {
                source.and_then(|s| s.published).map(|y| y.to_string()).unwrap_or_default()
            }
            ("fuente", _) => source.and_then(|s| s.link.clone()).unwrap_or_default(),
            (_, "precio") => price.map(|p| number(p.precio.0)).unwrap_or_default(),
            (_, "coste") => price.and_then(|p| p.coste).map(|c| number(c.0)).unwrap_or_default(),
            (_, "material") => price.map(|p| number(p.material.0)).unwrap_or_default(),
            _ => price.and_then(|p| p.detail.clone()).unwrap_or_default(),
        }
    })
}

/// A cell that no spreadsheet treats as a formula. A cell that begins with the guard is guarded too, so that reading
/// gives the same cell back.
fn guarded(cell: &str) -> String {
    if cell.starts_with(FORMULAS) || cell.starts_with(GUARD) {
        format!("{GUARD}{cell}")
    } else {
        cell.to_owned()
    }
}

fn unguarded(cell: &str) -> &str {
    let is_guard = |rest: &&str| rest.starts_with(FORMULAS) || rest.starts_with(GUARD);
    cell.strip_prefix(GUARD).filter(is_guard).unwrap_or(cell)
}

/// The format in which a file was written.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Style {
    delimiter: u8,
}

impl Style {
    const SPANISH: Self = Self { delimiter: b';' };

    /// Detects the format from the first line: the most frequent separator.
    fn of(text: &str) -> Self {
        let head = text.lines().next().unwrap_or_default();
        let count = |sign: u8| head.bytes().filter(|b| *b == sign).count();
        let mut delimiter = b';';
        for other in [b',', b'\t'] {
            if count(other) > count(delimiter) {
                delimiter = other;
            }
        }
        Self { delimiter }
    }

    /// A number with at most two decimals. If commas separate the cells, a point separates decimals: `1.200` could mean
    /// either, so it is refused.
    fn number(self, cell: &str) -> Option<i64> {
        match self.delimiter {
            b',' if !cell.contains(',') => decimal::parse(cell.trim_end_matches(['€', '%', ' ']), 2),
            _ => decimal::from_spanish(cell, 2),
        }
    }
}

pub(super) fn is_csv(text: &str) -> bool {
    let head = text.trim_start_matches(MARK).lines().next().unwrap_or_default();
    let style = Style::of(head);
    head.split(char::from(style.delimiter)).any(|cell| fold(cell.trim().trim_matches('"')) == COLUMNS[0].0)
}

/// A row of the file.
struct Row {
    line: usize,
    cells: Cells,
    /// For each cell, the format of its source: the file, or the earlier table.
    style: [Style; COLUMNS.len()],
}

pub(super) fn read(base: &Tarifa, text: &str) -> Result<Tarifa, InvalidData> {
    if text.len() > MAX_BYTES {
        return Err(mistake(1, "", format!("El archivo pesa más de {} KB.", MAX_BYTES / 1024)));
    }
    if text.contains(char::REPLACEMENT_CHARACTER) {
        let encoding = "El archivo no está en UTF-8. En Excel, guárdalo como «CSV UTF-8».";
        return Err(mistake(1, "", encoding));
    }
    // The CSV reader counts lines by their last character, so with CR LF it would be one line behind.
    let text = text.trim_start_matches(MARK).replace("\r\n", "\n");
    let rows = rows(base, &text)?;
    let checked = parse(&toml(base, &rows)).map_err(|wrong| in_the_sheet(wrong, &rows))?;
    let mut table = Tarifa { scales_own: base.scales_own, ..checked };
    for item in &mut table.partidas {
        let before = base.partidas.iter().find(|p| p.key == item.key);
        item.own = before.is_none_or(|before| before.own || prices(before) != prices(item));
    }
    Ok(table)
}

fn prices(p: &Partida) -> [Option<i64>; 3] {
    p.precios.each_ref().map(|price| price.as_ref().map(|price| price.precio.0))
}

fn mistake(line: usize, field: &str, mensaje: impl Into<String>) -> InvalidData {
    InvalidData { errors: vec![DataError { line, field: field.to_owned(), mensaje: mensaje.into() }] }
}

fn rows(base: &Tarifa, text: &str) -> Result<Vec<Row>, InvalidData> {
    let style = Style::of(text);
    let mut builder = csv::ReaderBuilder::new();
    builder.delimiter(style.delimiter).has_headers(false).flexible(true);
    let mut reader = builder.from_reader(text.as_bytes());
    let (mut records, mut rows, mut wrong) = (reader.records(), Vec::new(), Vec::new());
    let head = records.next().and_then(Result::ok).unwrap_or_default();
    let places = places(&head, &mut wrong);
    if !wrong.is_empty() {
        return Err(InvalidData { errors: wrong });
    }
    let known: HashMap<&str, Cells> = base.partidas.iter().map(|p| (p.key.as_str(), cells(p))).collect();
    for record in records {
        let Ok(record) = record else { continue };
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let line = record.position().map_or(1, |p| usize::try_from(p.line()).unwrap_or(usize::MAX));
        if rows.len() == MAX_PARTIDAS {
            wrong.push(DataError {
                line,
                field: String::new(),
                mensaje: format!("Hay más de {MAX_PARTIDAS} partidas."),
            });
            break;
        }
        if record.iter().skip(head.len()).any(|cell| !cell.trim().is_empty()) {
            let mensaje = "Sobran celdas: ¿falta una columna, o hay un separador dentro de un texto?";
            wrong.push(DataError { line, field: String::new(), mensaje: mensaje.to_owned() });
        }
        let cell = |n: usize| places[n].map(|at| unguarded(record.get(at).unwrap_or_default()).to_owned());
        let key = cell(0).unwrap_or_default().trim().to_owned();
        let before = known.get(key.as_str());
        let mut style_of = [style; COLUMNS.len()];
        let cells = std::array::from_fn(|n| {
            cell(n).unwrap_or_else(|| {
                style_of[n] = Style::SPANISH;
                before.map(|before| before[n].clone()).unwrap_or_default()
            })
        });
        rows.push(Row { line, cells, style: style_of });
    }
    if wrong.is_empty() { Ok(rows) } else { Err(InvalidData { errors: wrong }) }
}

/// The position of each column in the file.
fn places(head: &csv::StringRecord, wrong: &mut Vec<DataError>) -> [Option<usize>; COLUMNS.len()] {
    let mut places = [None; COLUMNS.len()];
    let mut note = |field: &str, mensaje: &str| {
        let short: String = field.chars().take(60).collect();
        wrong.push(DataError { line: 1, field: short, mensaje: mensaje.to_owned() });
    };
    for (at, name) in head.iter().enumerate().filter(|(_, name)| !name.trim().is_empty()) {
        let folded = fold(unguarded(name).trim());
        match COLUMNS.iter().position(|(column, _)| *column == folded) {
            None => note(name.trim(), "Columna desconocida: ¿está bien escrita?"),
            Some(n) if places[n].is_some() => note(name.trim(), "La columna está repetida."),
            Some(n) => places[n] = Some(at),
        }
    }
    if places[0].is_none() {
        note(COLUMNS[0].0, "Falta esta columna: la primera fila lleva los nombres de las columnas.");
    }
    places
}

/// The table of these rows, as TOML.
fn toml(base: &Tarifa, rows: &[Row]) -> String {
    let mut text = Tarifa { partidas: Vec::new(), ..base.clone() }.write();
    for row in rows {
        text.push_str("\n[[partida]]\n");
        let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
        for (n, (name, kind)) in COLUMNS.iter().enumerate() {
            let Some(value) = value(*kind, name, &row.cells[n], row.style[n]) else { continue };
            match name.split_once('.') {
                None => writeln!(text, "{name} = {value}").expect("writing to a string cannot fail"),
                Some((group, part)) => {
                    let field = format!("{part} = {value}");
                    match groups.last_mut().filter(|(last, _)| *last == group) {
                        Some((_, fields)) => fields.push(field),
                        None => groups.push((group, vec![field])),
                    }
                }
            }
        }
        for (group, fields) in groups {
            let fields = fields.join(", ");
            writeln!(text, "{group} = {{ {fields} }}").expect("writing to a string cannot fail");
        }
    }
    text
}

/// A cell as TOML. Something that should be a number but is not stays a text, which the TOML parser then refuses.
/// `None` for an empty cell.
fn value(kind: Kind, name: &str, cell: &str, style: Style) -> Option<String> {
    let trimmed = cell.trim();
    let yes_no = fold(trimmed);
    match kind {
        // The field `tipos` must be present even if it is empty; the other lists may be left out.
        Kind::Words if trimmed.is_empty() => (name == "tipos").then(|| "[]".to_owned()),
        _ if trimmed.is_empty() => None,
        Kind::Text => Some(quoted(cell)),
        Kind::Word => Some(quoted(trimmed)),
        Kind::Words => {
            let words = trimmed.split([',', '|', ' ']).filter(|word| !word.is_empty()).map(quoted);
            Some(format!("[{}]", words.collect::<Vec<_>>().join(", ")))
        }
        Kind::Number => {
            let number = style.number(trimmed).map(|value| decimal::write(value, 2));
            Some(number.unwrap_or_else(|| quoted(trimmed)))
        }
        Kind::Year => Some(trimmed.parse::<i16>().map_or_else(|_| quoted(trimmed), |year| year.to_string())),
        Kind::YesNo => match yes_no.as_str() {
            "si" | "true" | "verdadero" | "1" => Some("true".to_owned()),
            "no" | "false" | "falso" | "0" => None,
            _ => Some(quoted(trimmed)),
        },
    }
}

/// A text as TOML writes it, whatever characters it contains.
fn quoted(text: &str) -> String {
    let mut safe = String::new();
    for c in in_quotes(text).chars() {
        if c.is_control() {
            write!(safe, "\\u{:04X}", u32::from(c)).expect("writing to a string cannot fail");
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Moves the mistakes of the TOML file to the rows and columns of the CSV file.
fn in_the_sheet(wrong: InvalidData, rows: &[Row]) -> InvalidData {
    let place = |field: &str| -> Option<(usize, String)> {
        let (n, column) = field.strip_prefix("partida[")?.split_once(']')?;
        let column = column.trim_start_matches('.');
        // A mistake in one word of a list is reported at the column of the list.
        let column = column.split_once('[').map_or(column, |(list, _)| list);
        Some((rows.get(n.parse::<usize>().ok()?)?.line, column.to_owned()))
    };
    let mut errors: Vec<DataError> = wrong
        .errors
        .into_iter()
        .map(|e| {
            let (line, field) = place(&e.field).unwrap_or((1, e.field));
            let mensaje = e
                .mensaje
                .replace(", con punto decimal", "")
                .replace("un texto entre comillas,", "un texto")
                .replace("true o false", "sí o no");
            DataError { line, field, mensaje }
        })
        .collect();
    errors.sort();
    errors.dedup();
    InvalidData { errors }
}

#[cfg(test)]
mod tests;
