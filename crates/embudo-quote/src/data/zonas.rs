//! The chapters by zone: pictures, notes and lines.

use embudo_domain::money::Cents;
use embudo_domain::presupuesto::Document;
use embudo_domain::pricing::{Capitulo, Line};
use serde::Serialize;

use crate::fotos::{self, List, Row};
use crate::text::Cleanup;
use embudo_domain::words;

/// Notes beyond so many characters are not printed.
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
}

#[derive(Serialize)]
struct PrintedChapter {
    nombre: String,
    total: String,
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
    #[serde(rename = "larga")]
    long: bool,
}

/// What to show by zone; surcharges over several zones stand by themselves at the end.
pub(super) fn zonas(
    d: &Document,
    lists: &[List],
    l: &mut Cleanup<'_>,
    notices: &mut Vec<String>,
) -> Vec<PrintedZona> {
    let kind = d.pricing.kind;
    let (capitulos, settings) = d.capitulos();
    let with_precio = d.zonas().iter().filter(|z| capitulos.iter().any(|c| c.zona == **z)).count();
    let mut fit = MAX_NOTAS;
    let mut printed: Vec<PrintedZona> = d
        .zonas()
        .into_iter()
        .map(|zona| {
            let nombre = words::zona(zona, kind);
            let own_fotos = d.fotos.iter().zip(lists).enumerate().filter(|(_, (f, _))| f.zona == zona);
            let own_fotos: Vec<_> = own_fotos.map(|(n, (foto, list))| (n, foto, list)).collect();
            let own_capitulos: Vec<&Capitulo> = capitulos.iter().filter(|c| c.zona == zona).collect();
            let total = Cents::sum(own_capitulos.iter().map(|c| c.total));
            let notas = d.notas.iter().filter(|n| n.zona == zona).map(|n| {
                let text: String = n.text.chars().take(fit).collect();
                fit -= text.chars().count();
                if text.len() < n.text.len() {
                    notices.push("Las notas son tan largas que no se imprimen enteras.".to_owned());
                }
                l.paragraphs(&text)
            });
            let notas: Vec<Vec<String>> = notas.filter(|n| !n.is_empty()).collect();
            PrintedZona {
                nombre: nombre.to_owned(),
                total: total.filter(|_| with_precio > 1 && !own_capitulos.is_empty()).map(|t| t.to_string()),
                rows: fotos::rows(&own_fotos, nombre),
                notas,
                capitulos: own_capitulos.into_iter().map(|c| capitulo(c, l)).collect(),
            }
        })
        // A zone of which only unreadable photos are known has nothing to show.
        .filter(|z| !(z.rows.is_empty() && z.notas.is_empty() && z.capitulos.is_empty()))
        .collect();
    printed.extend(settings.map(|c| PrintedZona {
        nombre: l.line(&c.nombre),
        total: Some(c.total.to_string()),
        rows: Vec::new(),
        notas: Vec::new(),
        capitulos: vec![capitulo(c, l)],
    }));
    notices.dedup();
    printed
}

fn capitulo(c: &Capitulo, l: &mut Cleanup<'_>) -> PrintedChapter {
    let lines = c.lines.iter().map(|n| line(n, l)).collect();
    PrintedChapter { nombre: l.line(&c.nombre), total: c.total.to_string(), lines }
}

fn line(n: &Line, l: &mut Cleanup<'_>) -> PrintedLine {
    PrintedLine {
        long: n.concepto.len() + n.detail.as_ref().map_or(0, String::len) > LONG_LINE,
        concepto: l.sentence(&n.concepto),
        detail: n.detail.as_ref().map(|t| l.sentence(t)),
        cantidad: n.cantidad.with_decimals(),
        unidad: n.unidad.symbol(),
        precio: n.precio.to_string(),
        importe: n.importe.to_string(),
    }
}
