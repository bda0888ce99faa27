//! The chapters by zone: pictures, notes and lines.

use embudo_domain::presupuesto::Document;
use embudo_domain::pricing::{Capitulo, Line};
use serde::Serialize;

use crate::fotos::{self, List, Row};
use crate::text::Cleanup;
use crate::widths::{BODY, Columns, SMALL, Weight, Widths};

/// The maximum number of characters of notes that are printed.
const MAX_NOTAS: usize = 40_000;
/// A line this long may break across pages; shorter ones never do.
const LONG_LINE: usize = 900;

#[derive(Serialize)]
pub(super) struct PrintedZona {
    nombre: String,
    total: Option<String>,
    #[serde(rename = "filas")]
    rows: Vec<Row>,
    notas: Vec<Vec<String>>,
    capitulos: Vec<PrintedChapter>,
    /// The width of each column of the zone's table except the first, in points; `None` if it is not known.
    #[serde(rename = "anchos")]
    widths: Vec<Option<f32>>,
}

#[derive(Serialize)]
struct PrintedChapter {
    nombre: String,
    total: String,
    /// Whether its title takes one line.
    #[serde(rename = "corto")]
    short: bool,
    #[serde(rename = "lineas")]
    lines: Vec<PrintedLine>,
}

#[derive(Serialize)]
struct PrintedLine {
    concepto: String,
    #[serde(rename = "detalle")]
    detail: Option<String>,
    cantidad: String,
    unidad: &'static str,
    precio: String,
    importe: String,
    /// «10 %», if there is a discount.
    #[serde(rename = "descuento")]
    discount: Option<String>,
    /// The amount before the discount.
    #[serde(rename = "importe_antes")]
    before: Option<String>,
    #[serde(rename = "larga")]
    long: bool,
    /// Whether each of its texts takes one line.
    #[serde(rename = "corta")]
    short: bool,
}

/// The content for each room or zone, and at the end the content that applies to all of them.
pub(super) fn zonas(
    d: &Document,
    lists: &[List],
    l: &mut Cleanup<'_>,
    widths: &Widths,
    notices: &mut Vec<String>,
) -> Vec<PrintedZona> {
    let sections = d.sections();
    let with_precio = sections.iter().filter(|s| s.zona.is_some() && !s.capitulos.is_empty()).count();
    let mut fit = MAX_NOTAS;
    let mut shown = Vec::new();
    let mut printed: Vec<PrintedZona> = Vec::new();
    for section in &sections {
        // If two rooms are in one zone, photos and notes are shown with the first room.
        let zona = section.zona.filter(|z| !shown.contains(z));
        shown.extend(zona);
        let nombre = l.line(&section.nombre);
        let own_fotos = d.fotos.iter().zip(lists).enumerate().filter(|(_, (f, _))| Some(f.zona) == zona);
        let own_fotos: Vec<_> = own_fotos.map(|(n, (foto, list))| (n, foto, list)).collect();
        let notas = d.notas.iter().filter(|n| Some(n.zona) == zona).map(|n| {
            let text: String = n.text.chars().take(fit).collect();
            fit -= text.chars().count();
            if text.len() < n.text.len() {
                notices.push("Las notas son tan largas que no se imprimen enteras.".to_owned());
            }
            l.paragraphs(&text)
        });
        let notas: Vec<Vec<String>> = notas.filter(|n| !n.is_empty()).collect();
        let has_total = !section.capitulos.is_empty() && (with_precio > 1 || section.zona.is_none());
        let mut capitulos: Vec<_> = section.capitulos.iter().map(|c| capitulo(c, l)).collect();
        let widths = set_widths(&mut capitulos, widths);
        printed.push(PrintedZona {
            total: has_total.then(|| section.total.to_string()),
            rows: fotos::rows(&own_fotos, &nombre),
            notas,
            capitulos,
            widths,
            nombre,
        });
    }
    // A zone with nothing but unreadable photos has nothing to show.
    printed.retain(|z| !(z.rows.is_empty() && z.notas.is_empty() && z.capitulos.is_empty()));
    notices.dedup();
    printed
}

fn capitulo(c: &Capitulo, l: &mut Cleanup<'_>) -> PrintedChapter {
    let lines = c.lines.iter().map(|n| line(n, l)).collect();
    PrintedChapter { nombre: l.line(&c.nombre), total: c.total.to_string(), short: false, lines }
}

/// Computes the widths of the columns of a table, and marks the chapters and lines whose texts take one line.
fn set_widths(capitulos: &mut [PrintedChapter], widths: &Widths) -> Vec<Option<f32>> {
    let lines = capitulos.iter().flat_map(|c| &c.lines);
    let cells = lines.flat_map(|l| [&*l.cantidad, l.unidad, &*l.precio, &*l.importe].into_iter().enumerate());
    let cells = cells.map(|(column, text)| (column, text, Weight::Regular));
    let totals = capitulos.iter().map(|c| (3, &*c.total, Weight::Bold));
    let columns = Columns::new(widths, &["Cantidad", "Ud.", "Precio", "Importe"], cells.chain(totals));
    for c in &mut *capitulos {
        c.short = columns.fits(&c.nombre, Weight::Bold, BODY, 0.0);
        for l in &mut c.lines {
            let detail = l.detail.as_ref().is_none_or(|t| columns.fits(t, Weight::Regular, SMALL, 0.0));
            l.short = detail && columns.fits(&l.concepto, Weight::Regular, BODY, 0.0);
        }
    }
    columns.others
}

fn line(n: &Line, l: &mut Cleanup<'_>) -> PrintedLine {
    PrintedLine {
        short: false,
        long: n.concepto.len() + n.detail.as_ref().map_or(0, String::len) > LONG_LINE,
        concepto: l.sentence(&n.concepto),
        detail: n.detail.as_ref().map(|t| l.sentence(t)),
        cantidad: n.cantidad.with_decimals(),
        unidad: n.unidad.symbol(),
        precio: n.precio.to_string(),
        importe: n.importe.to_string(),
        discount: n.discount.map(|d| d.percentage.to_string()),
        before: n.discount.map(|d| d.importe.to_string()),
    }
}
