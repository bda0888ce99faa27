//! The priced parts of a quote with their pictures, notes and lines, by room or by zone, as in the PDF.

use embudo_domain::presupuesto::{Document, Section};
use embudo_domain::pricing::{Capitulo, Line};

use super::pictures::{Album, Gallery, Pair, Picture};

/// The maximum number of characters of notes on the page. The PDF has a similar limit.
const MAX_NOTAS: usize = 60_000;

pub(super) struct ZonaView {
    pub nombre: String,
    /// «8 m², calidad media», if there are several rooms.
    pub measure: Option<String>,
    pub drawing: &'static str,
    pub total: Option<String>,
    pub pairs: Vec<Pair>,
    pub loose: Vec<Picture>,
    pub notas: Vec<String>,
    pub capitulos: Vec<ChapterView>,
}

pub(super) struct ChapterView {
    pub nombre: String,
    pub total: String,
    pub lines: Vec<LineView>,
}

pub(super) struct LineView {
    pub concepto: String,
    pub detail: Option<String>,
    pub cantidad: String,
    pub unidad: &'static str,
    pub precio: String,
    pub importe: String,
    /// The discount, and the amount before it.
    pub discount: Option<(String, String)>,
}

/// The parts of the page, by room or by zone. The last part contains what applies to all of them.
pub(super) fn zonas(d: &Document, album: &Album) -> Vec<ZonaView> {
    let sections = d.sections();
    let with_precio = sections.iter().filter(|s| s.zona.is_some() && !s.capitulos.is_empty()).count();
    let (mut fit, mut shown) = (MAX_NOTAS, Vec::new());
    let section = |s: &Section<'_>| {
        // If two rooms share a zone, only the first one shows the photos and notes of the zone.
        let zona = s.zona.filter(|z| !shown.contains(z));
        shown.extend(zona);
        let Gallery { pairs, loose } =
            album.arrange(d.fotos.iter().filter(|f| Some(f.zona) == zona), &s.nombre);
        let notas = d.notas.iter().filter(|n| Some(n.zona) == zona).map(|n| {
            let text: String = n.text.trim().chars().take(fit).collect();
            fit -= text.chars().count();
            text
        });
        let has_total = !s.capitulos.is_empty() && (with_precio > 1 || s.zona.is_none());
        let room = s.room.filter(|_| d.rooms.len() > 1);
        ZonaView {
            nombre: s.nombre.clone(),
            measure: room.map(|r| format!("{} m², calidad {}", r.m2, r.calidad.in_sentence())),
            drawing: s.zona.map_or("otro", |zona| zona.as_str()),
            total: has_total.then(|| s.total.to_string()),
            pairs,
            loose,
            notas: notas.filter(|n| !n.is_empty()).collect(),
            capitulos: s.capitulos.iter().map(|c| ChapterView::of(c)).collect(),
        }
    };
    let mut views: Vec<ZonaView> = sections.iter().map(section).collect();
    views.retain(|z| z.pairs.len() + z.loose.len() + z.notas.len() + z.capitulos.len() > 0);
    views
}

impl ChapterView {
    fn of(c: &Capitulo) -> Self {
        Self {
            nombre: c.nombre.clone(),
            total: c.total.to_string(),
            lines: c.lines.iter().map(LineView::of).collect(),
        }
    }
}

impl LineView {
    pub fn of(l: &Line) -> Self {
        Self {
            concepto: l.concepto.clone(),
            detail: l.detail.clone(),
            cantidad: l.cantidad.with_decimals(),
            unidad: l.unidad.symbol(),
            precio: l.precio.to_string(),
            importe: l.importe.to_string(),
            discount: l.discount.map(|d| (d.percentage.to_string(), d.importe.to_string())),
        }
    }
}
