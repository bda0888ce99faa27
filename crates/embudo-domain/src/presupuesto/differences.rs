//! What changed from one version of a quote to another, as people read it.

use std::fmt;

use super::{Character, Document, Draft, Terms};
use crate::decimal::{Cantidad, Percentage};
use crate::money::Cents;
use crate::tarifa::Unidad;
use crate::words;

enumeration! {
    DifferenceKind { Added = "nuevo", Removed = "quitado", Changed = "cambiado" }
}

/// One thing that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub kind: DifferenceKind,
    /// What changed: a line's concept, with its room if there are several; «Total»; «Condiciones».
    pub subject: String,
    /// The text or the quantity before. `None` for an addition, or if only the amount changed.
    pub before: Option<String>,
    pub after: Option<String>,
    /// The amount before, if the subject has one.
    pub importe_before: Option<Cents>,
    pub importe_after: Option<Cents>,
}

impl fmt::Display for Difference {
    /// «Alicatado: 24 → 31 m² (1.056,00 € → 1.364,00 €)».
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.kind {
            DifferenceKind::Added => "nuevo",
            DifferenceKind::Removed => "quitado",
            DifferenceKind::Changed => "",
        };
        let both = |a: Option<String>, b: Option<String>| match (a, b) {
            (Some(a), Some(b)) => format!("{a} → {b}"),
            (a, b) => a.or(b).unwrap_or_default(),
        };
        let text = both(self.before.clone(), self.after.clone());
        let amounts =
            both(self.importe_before.map(|c| c.to_string()), self.importe_after.map(|c| c.to_string()));
        let said: Vec<&str> = [word, text.as_str()].into_iter().filter(|t| !t.is_empty()).collect();
        match (said.is_empty(), amounts.is_empty()) {
            (true, _) => write!(f, "{}: {amounts}", self.subject),
            (false, true) => write!(f, "{}: {}", self.subject, said.join(", ")),
            (false, false) => write!(f, "{}: {} ({amounts})", self.subject, said.join(", ")),
        }
    }
}

/// What changed from one version to another: lines, options, totals, texts.
pub fn differences(before: &Document, after: &Document) -> Vec<Difference> {
    let mut found = of_rows(&rows_of_document(before), &rows_of_document(after));
    let (a, b) = (&before.impuesto, &after.impuesto);
    let amount = |subject: &str, a: Cents, b: Cents| {
        (a != b).then(|| Difference {
            importe_before: Some(a),
            importe_after: Some(b),
            ..Difference::changed(subject, None, None)
        })
    };
    found.extend(amount("Base imponible", a.base, b.base));
    let rate = |i: &crate::iva::Impuesto| Some(format!("{} ({})", i.nombre, i.percentage));
    found.extend(text("Impuesto", rate(a), rate(b)));
    found.extend(amount("Total", a.total, b.total));
    found.extend(of_texts(before, after));
    found
}

/// What changed in the lines of a draft.
pub fn of_drafts(before: &Draft, after: &Draft) -> Vec<Difference> {
    of_rows(&rows_of_draft(before), &rows_of_draft(after))
}

impl Difference {
    fn changed(subject: impl Into<String>, before: Option<String>, after: Option<String>) -> Self {
        Self {
            kind: DifferenceKind::Changed,
            subject: subject.into(),
            before,
            after,
            importe_before: None,
            importe_after: None,
        }
    }
}

/// A line in the form in which lines are compared.
struct Row<'a> {
    /// Its room if there are several, otherwise empty.
    room: &'a str,
    /// The name by which the line is found in the other version: its key, or its concept if it has no key.
    name: &'a str,
    concepto: &'a str,
    detail: Option<&'a str>,
    cantidad: Cantidad,
    unidad: Unidad,
    precio: Cents,
    discount: Percentage,
    importe: Cents,
    is_option: bool,
}

fn rows_of_document(d: &Document) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for section in d.sections() {
        let room = section.room.map_or("", |r| r.nombre.as_str());
        let lines = section.capitulos.into_iter().flat_map(|c| &c.lines);
        rows.extend(lines.map(|l| row_of_line(room, l, false)));
    }
    rows.extend(d.options.iter().map(|o| row_of_line(o.room.as_deref().unwrap_or_default(), &o.line, true)));
    rows
}

fn row_of_line<'a>(room: &'a str, l: &'a crate::pricing::Line, is_option: bool) -> Row<'a> {
    Row {
        room,
        name: if l.key.is_empty() { &l.concepto } else { &l.key },
        concepto: &l.concepto,
        detail: l.detail.as_deref(),
        cantidad: l.cantidad,
        unidad: l.unidad,
        precio: l.precio,
        discount: l.discount.map_or(Percentage(0), |d| d.percentage),
        importe: l.importe,
        is_option,
    }
}

/// A draft can be compared even if it is not valid.
fn rows_of_draft(d: &Draft) -> Vec<Row<'_>> {
    let is_one = d.rooms.len() <= 1;
    let mut rows = Vec::new();
    for room in &d.rooms {
        let kind = crate::Zona::assumed(room.facts.kind);
        let nombre = room.nombre.as_deref().unwrap_or(kind.heading(kind));
        rows.extend(room.lines().map(|l| {
            let before = l.precio.by_cantidad(l.cantidad).unwrap_or_default();
            let off = before.part(l.discount).unwrap_or_default();
            Row {
                room: if is_one { "" } else { nombre },
                name: &l.id,
                concepto: &l.concepto,
                detail: l.detail.as_deref(),
                cantidad: l.cantidad,
                unidad: l.unidad,
                precio: l.precio,
                discount: l.discount,
                importe: before.checked_sub(off).unwrap_or_default(),
                is_option: l.optional,
            }
        }));
    }
    rows
}

/// Lines of the same name are compared in their order.
fn of_rows(before: &[Row<'_>], after: &[Row<'_>]) -> Vec<Difference> {
    let mut used = vec![false; before.len()];
    let mut found = Vec::new();
    let mut by_name: std::collections::HashMap<(&str, &str), Vec<usize>> = std::collections::HashMap::new();
    for (n, row) in before.iter().enumerate().rev() {
        by_name.entry((row.room, row.name)).or_default().push(n);
    }
    for row in after {
        match by_name.get_mut(&(row.room, row.name)).and_then(Vec::pop) {
            Some(n) => {
                used[n] = true;
                found.extend(before[n].compare(row));
            }
            None => found.push(Difference {
                kind: DifferenceKind::Added,
                after: Some(row.measure()),
                importe_after: Some(row.importe),
                ..Difference::changed(row.subject(), None, None)
            }),
        }
    }
    let gone = before.iter().zip(used).filter(|(_, used)| !used).map(|(row, _)| Difference {
        kind: DifferenceKind::Removed,
        before: Some(row.measure()),
        importe_before: Some(row.importe),
        ..Difference::changed(row.subject(), None, None)
    });
    found.extend(gone);
    found
}

impl Row<'_> {
    fn subject(&self) -> String {
        if self.room.is_empty() {
            self.concepto.to_owned()
        } else {
            format!("{} · {}", self.room, self.concepto)
        }
    }

    /// «24 m²», «24 m², opcional».
    fn measure(&self) -> String {
        let option = if self.is_option { ", opcional" } else { "" };
        format!("{} {}{option}", self.cantidad, self.unidad.symbol())
    }

    fn compare(&self, new: &Self) -> Option<Difference> {
        let mut parts: Vec<(String, String)> = Vec::new();
        let mut part = |a: String, b: String| parts.push((a, b));
        let unit = |r: &Self| r.unidad.symbol();
        if self.concepto != new.concepto {
            part(format!("«{}»", self.concepto), format!("«{}»", new.concepto));
        }
        if self.unidad != new.unidad {
            part(self.measure(), new.measure());
        } else if self.cantidad != new.cantidad {
            part(self.cantidad.to_string(), format!("{} {}", new.cantidad, unit(new)));
        }
        // For a lump sum (a surcharge, a discount) the amount already shows this change.
        if self.precio != new.precio && self.unidad != Unidad::Pa {
            part(self.precio.to_string(), format!("{} por {}", new.precio, unit(new)));
        }
        if self.discount != new.discount {
            part(format!("descuento del {}", self.discount), new.discount.to_string());
        }
        if self.is_option != new.is_option {
            let word = |r: &Self| if r.is_option { "opcional" } else { "incluido" }.to_owned();
            part(word(self), word(new));
        }
        if self.detail != new.detail {
            let text = |r: &Self| format!("«{}»", r.detail.unwrap_or_default());
            part(text(self), text(new));
        }
        if parts.is_empty() && self.importe == new.importe {
            return None;
        }
        let (before, after): (Vec<String>, Vec<String>) = parts.into_iter().unzip();
        let joined = |all: Vec<String>| (!all.is_empty()).then(|| all.join(", "));
        let is_dearer = self.importe != new.importe;
        Some(Difference {
            importe_before: is_dearer.then_some(self.importe),
            importe_after: is_dearer.then_some(new.importe),
            ..Difference::changed(new.subject(), joined(before), joined(after))
        })
    }
}

/// The differences in everything except the lines.
fn of_texts(before: &Document, after: &Document) -> Vec<Difference> {
    let days = |d: &Document| Some(format!("{} días", d.valid_days));
    let list = |all: &[String]| (!all.is_empty()).then(|| all.join(" "));
    let character = |d: &Document| {
        let word = match d.character() {
            Character::Binding => "vinculante",
            Character::Orientative => "orientativo",
        };
        Some(word.to_owned())
    };
    let fotos = |d: &Document| Some(format!("{} fotos", d.fotos.len()));
    let notas = |d: &Document| Some(format!("{} notas", d.notas.len()));
    let payments = |t: &Terms| {
        let each = t.payments.iter().map(|p| format!("{} {}", p.percentage, p.moment));
        list(&each.collect::<Vec<_>>())
    };
    let legal = |d: &Document| {
        let each = d.legal.iter().map(|l| format!("{} ({})", l.title, l.version));
        list(&each.collect::<Vec<_>>())
    };
    let start = |t: &Terms| t.start.map(words::day);
    let (a, b) = (&before.terms, &after.terms);
    let mut found: Vec<Difference> = [
        text("Carácter", character(before), character(after)),
        text("Validez", days(before), days(after)),
        text("Introducción", a.intro.clone(), b.intro.clone()),
        text("Texto adicional", a.extra.clone(), b.extra.clone()),
        text("Dirección de la obra", a.site.clone(), b.site.clone()),
        text("NIF del cliente", a.nif.clone(), b.nif.clone()),
        text("Dirección del cliente", a.address.clone(), b.address.clone()),
        text("Inicio", start(a), start(b)),
        text("Duración", a.duration.clone(), b.duration.clone()),
        text("Pagos", payments(a), payments(b)),
        text("Condiciones", list(&before.condiciones), list(&after.condiciones)),
        text("Textos legales", legal(before), legal(after)),
    ]
    .into_iter()
    .flatten()
    .collect();
    // The number of photos may be equal although they are different photos.
    if before.fotos != after.fotos {
        found.push(Difference::changed("Fotos", fotos(before), fotos(after)));
    }
    if before.notas != after.notas {
        found.push(Difference::changed("Notas", notas(before), notas(after)));
    }
    found
}

fn text(subject: &str, before: Option<String>, after: Option<String>) -> Option<Difference> {
    let kind = match (&before, &after) {
        _ if before == after => return None,
        (None, _) => DifferenceKind::Added,
        (_, None) => DifferenceKind::Removed,
        _ => DifferenceKind::Changed,
    };
    Some(Difference { kind, ..Difference::changed(subject, before, after) })
}
