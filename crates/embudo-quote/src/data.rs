//! Converts a quote into the data that the template reads: plain texts, already worded, formatted and cleaned.
//!
//! This is the interface for operators' own templates (`/embudo/datos.json`): fields may be added, but never renamed.

mod offer;
mod zonas;

use embudo_domain::ingesta::Momento;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{Document, PrintedFoto};
use jiff::civil::Date;
use serde::Serialize;

use crate::fonts::Fonts;
use crate::fotos::{self, List};
use crate::pdf_request::PdfRequest;
use crate::text::Cleanup;
use crate::widths::Widths;
use embudo_domain::words;
use offer::Offer;
use zonas::{PrintedZona, zonas};

#[derive(Serialize)]
pub(crate) struct Data {
    #[serde(rename = "numero")]
    number: String,
    version: u32,
    #[serde(rename = "titulo")]
    title: String,
    #[serde(rename = "descripcion")]
    description: String,
    #[serde(rename = "palabras_clave")]
    keywords: Vec<String>,
    #[serde(rename = "emitido")]
    issued: Day,
    #[serde(rename = "hasta")]
    until: Day,
    #[serde(rename = "dias")]
    days: u16,
    #[serde(rename = "colores")]
    colours: Colours,
    empresa: Empresa,
    logo: bool,
    qr: bool,
    #[serde(rename = "pagina_url")]
    page_url: Option<String>,
    /// What the client agreed to; `None` if the quote is not accepted.
    #[serde(rename = "aceptado")]
    accepted: Option<Accepted>,
    cliente: Cliente,
    obra: Work,
    precio: Precio,
    zonas: Vec<PrintedZona>,
    impuesto: Reasons,
    #[serde(rename = "supuestos")]
    assumptions: Vec<String>,
    #[serde(rename = "no_incluye")]
    not_included: Vec<String>,
    condiciones: Vec<String>,
    declaracion: Option<String>,
    /// Whether the conditions and the signatures certainly fit on one page, by a cautious estimate. The template then
    /// lays them out once, without measuring them first.
    #[serde(rename = "letra_corta")]
    short_print: bool,
    #[serde(rename = "hay_ia")]
    has_ai: bool,
    #[serde(flatten)]
    offer: Offer,
}

#[derive(Serialize)]
struct Accepted {
    #[serde(rename = "dia")]
    day: String,
    #[serde(rename = "opciones")]
    options: Vec<String>,
    #[serde(rename = "declaracion")]
    declared: bool,
    #[serde(rename = "inicio_anticipado")]
    early_start: bool,
}

#[derive(Serialize)]
struct Day {
    #[serde(rename = "anio")]
    year: i16,
    #[serde(rename = "mes")]
    month: i8,
    #[serde(rename = "dia")]
    day: i8,
    #[serde(rename = "texto")]
    text: String,
}

#[derive(Serialize)]
struct Colours {
    #[serde(rename = "marca")]
    brand: String,
    #[serde(rename = "fuerte")]
    strong: String,
    #[serde(rename = "suave")]
    soft: String,
    #[serde(rename = "sobre")]
    over: String,
}

#[derive(Serialize)]
struct Empresa {
    nombre: String,
    legal: Vec<String>,
    #[serde(rename = "contacto")]
    contact: Vec<String>,
}

#[derive(Serialize)]
struct Cliente {
    nombre: String,
    telefono: String,
    email: String,
    #[serde(rename = "lugar")]
    place: Option<String>,
    nif: Option<String>,
    #[serde(rename = "direccion")]
    address: Option<String>,
}

#[derive(Serialize)]
struct Work {
    #[serde(rename = "titulo")]
    title: String,
    m2: String,
    calidad: &'static str,
    capitulos: usize,
    #[serde(rename = "lineas")]
    lines: usize,
    /// Where the work is done.
    #[serde(rename = "direccion")]
    site: Option<String>,
    #[serde(rename = "inicio")]
    start: Option<String>,
    #[serde(rename = "duracion")]
    duration: Option<String>,
    #[serde(rename = "estancias")]
    rooms: Vec<PrintedRoom>,
}

#[derive(Serialize)]
struct PrintedRoom {
    nombre: String,
    m2: String,
    calidad: &'static str,
    total: String,
}

#[derive(Serialize)]
struct Precio {
    base: String,
    impuesto: String,
    #[serde(rename = "cuota")]
    quota: String,
    total: String,
    #[serde(rename = "rango")]
    range: Option<String>,
    #[serde(rename = "rango_total")]
    total_range: Option<String>,
    /// The large number: the total, or the range.
    #[serde(rename = "cifra")]
    figure: String,
    #[serde(rename = "objetivo")]
    target: Option<String>,
    /// The width of the column of amounts beside the totals, in points. Set only if each row takes one line.
    #[serde(rename = "ancho")]
    width: Option<f32>,
}

#[derive(Serialize)]
struct Reasons {
    #[serde(rename = "texto")]
    text: String,
    norma: String,
    #[serde(rename = "motivos")]
    reasons: Vec<String>,
    /// The share of materials in the base; `None` if the rate does not depend on it.
    materiales: Option<String>,
    /// What the client has already declared.
    #[serde(rename = "declarado")]
    declared: Option<String>,
}

/// Composes the data, and reports what could not be printed unchanged.
pub(crate) fn compose(
    pdf_request: &PdfRequest,
    lists: &[List],
    logo: bool,
    qr: bool,
    fonts: &Fonts,
) -> (Data, Vec<String>) {
    let l = &mut Cleanup::new(fonts);
    let mut notices = Vec::new();
    let d = &pdf_request.document;
    let number = pdf_request.number.map_or_else(|| "BORRADOR".to_owned(), |n| n.to_string());
    let obra = l.line(&d.pricing.title);
    let nombre = l.line(&d.empresa.nombre);
    let cliente = l.line(&d.cliente.nombre);
    let is_ai =
        |(f, l): (&PrintedFoto, &List)| f.momento == Momento::After && matches!(l, List::Image { .. });
    let has_ai = d.fotos.iter().zip(lists).any(is_ai);
    let mut keywords = vec!["presupuesto".to_owned(), obra.to_lowercase()];
    let mut description = format!("{obra} para {cliente}. Total: {}.", d.impuesto.total);
    if has_ai {
        keywords.push("Imagen generada por IA".to_owned());
        description.push_str(" Las imágenes «después» están generadas por IA.");
    }
    if d.fotos.len() > fotos::MAXIMUM {
        notices.push(format!("Se imprimen {} de {} fotos.", fotos::MAXIMUM, d.fotos.len()));
    }
    let zonas = zonas(d, lists, l, fonts.widths(), &mut notices);
    let assumptions: Vec<String> =
        d.pricing.assumptions.iter().chain(&d.impuesto.assumptions).map(|s| l.sentence(&s.text)).collect();
    let palette = d.empresa.color.palette();
    let mut several = |texts: &[String]| texts.iter().map(|t| l.sentence(t)).collect::<Vec<_>>();
    let (not_included, condiciones) = (several(&d.pricing.not_included), several(&d.condiciones));
    let reasons = several(&d.impuesto.reasons);
    let declaracion = d.impuesto.declaracion.as_ref();
    let pending = declaracion.filter(|_| d.impuesto.pending_declaration);
    let declared = declaracion.filter(|_| !d.impuesto.pending_declaration).map(|t| l.sentence(t));
    // Only the reduced rate has a limit on materials: elsewhere the share has no meaning.
    let has_limit = declaracion.is_some() || !d.impuesto.reasons.is_empty();
    let materiales = has_limit.then(|| d.impuesto.materiales.to_string());
    let offer = Offer::of(d, l);
    let accepted = pdf_request.accepted.as_ref().map(|note| Accepted {
        day: note.day.clone(),
        options: note.options.iter().map(|option| l.sentence(option)).collect(),
        declared: note.declared,
        early_start: note.early_start,
    });
    let called = match &accepted {
        Some(note) => format!("Presupuesto {number}, aceptado el {}", note.day),
        None => format!("Presupuesto {number}"),
    };
    let capitulos = || d.pricing.capitulos.iter().filter(|c| !c.is_discount());
    let data = Data {
        title: format!("{called}: {}", words::lowercase_first(&obra)),
        description,
        keywords,
        version: pdf_request.version,
        issued: Day::of(pdf_request.validity.issued),
        until: Day::of(pdf_request.validity.until),
        days: d.valid_days,
        colours: Colours {
            brand: palette.brand.to_string(),
            strong: palette.strong.to_string(),
            soft: palette.soft.to_string(),
            over: palette.over.to_string(),
        },
        empresa: empresa(d, nombre.clone(), l),
        logo,
        qr,
        page_url: pdf_request.page_url.clone(),
        accepted,
        cliente: Cliente {
            nombre: cliente,
            telefono: l.line(&words::telefono(&d.cliente.telefono)),
            email: l.line(&d.cliente.email),
            place: place(d, l),
            nif: d.terms.nif.as_ref().map(|t| l.line(t)),
            address: d.terms.address.as_ref().map(|t| l.line(t)),
        },
        obra: Work {
            title: obra,
            m2: d.pricing.m2.to_string(),
            calidad: d.pricing.calidad.in_sentence(),
            capitulos: capitulos().count(),
            lines: capitulos().map(|c| c.lines.len()).sum(),
            site: d.terms.site.as_ref().map(|t| l.line(t)),
            start: d.terms.start.map(words::day),
            duration: d.terms.duration.as_ref().map(|t| l.line(t)),
            rooms: d.rooms.iter().map(|r| room(r, l)).collect(),
        },
        precio: precio(d, l, fonts.widths()),
        short_print: pdf_request.accepted.is_none()
            && is_short_print(
                &assumptions,
                &not_included,
                &condiciones,
                pending.map_or(0, String::len),
                &nombre,
            ),
        zonas,
        impuesto: Reasons {
            text: l.sentence(&d.impuesto.text),
            norma: l.line(&d.impuesto.norma),
            reasons,
            materiales,
            declared,
        },
        assumptions,
        not_included,
        condiciones,
        declaracion: pending.map(|t| l.sentence(t)),
        has_ai,
        offer,
        number,
    };
    if l.superseded > 0 {
        notices.push(format!(
            "{} caracteres que no tienen signo en las letras del documento salen como «□».",
            l.superseded
        ));
    }
    (data, notices)
}

fn empresa(d: &Document, nombre: String, l: &mut Cleanup<'_>) -> Empresa {
    let e = &d.empresa;
    let mut present = |fields: &[Option<String>]| -> Vec<String> {
        let has = fields.iter().flatten().filter(|t| !t.trim().is_empty());
        has.map(|t| l.line(t)).collect()
    };
    let nif = e.nif.as_ref().map(|n| format!("NIF {n}"));
    let mut legal = present(&[e.razon_social.clone(), nif, e.address.clone()]);
    if e.razon_social.is_none() {
        legal.insert(0, nombre.clone());
    }
    Empresa { nombre, legal, contact: present(&[e.telefono.clone(), e.email.clone(), e.web.clone()]) }
}

fn room(r: &embudo_domain::presupuesto::PrintedRoom, l: &mut Cleanup<'_>) -> PrintedRoom {
    PrintedRoom {
        nombre: l.line(&r.nombre),
        m2: r.m2.to_string(),
        calidad: r.calidad.in_sentence(),
        total: r.total.to_string(),
    }
}

/// Whether two columns of small print and the two boxes below fit on one page, even if all letters are wide.
fn is_short_print(
    assumptions: &[String],
    not_included: &[String],
    condiciones: &[String],
    declaracion: usize,
    nombre: &str,
) -> bool {
    /// The minimum number of letters in a line, and the number of lines that are left on a page for each column.
    const LETTERS: usize = 36;
    const LINES: usize = 30;
    let lines = |texts: &[String]| texts.iter().map(|t| t.len() / LETTERS + 2).sum::<usize>();
    let column = lines(not_included) + lines(assumptions).max(lines(condiciones));
    column <= LINES && declaracion <= 14 * LETTERS && nombre.len() <= 120
}

fn precio(d: &Document, l: &mut Cleanup<'_>, widths: &Widths) -> Precio {
    let mut precio = Precio {
        base: d.impuesto.base.to_string(),
        impuesto: format!("{} ({})", l.line(&d.impuesto.nombre), d.impuesto.percentage),
        quota: d.impuesto.quota.to_string(),
        total: d.impuesto.total.to_string(),
        range: d.pricing.range.map(|r| r.to_string()),
        total_range: d.shown_range().map(|r| r.to_string()),
        figure: d.figure(),
        target: d.shown_target().map(Cents::short),
        width: None,
    };
    let second = precio.total_range.as_ref().map(|_| ("Con lo que suponemos", &*precio.total));
    let rows =
        [("Base imponible", &*precio.base), (&*precio.impuesto, &*precio.quota)].into_iter().chain(second);
    let last = (if precio.total_range.is_some() { "Orientativo" } else { "Total" }, &*precio.figure);
    precio.width = widths.of_totals(rows, last);
    precio
}

/// The official name of the province if it was recognised, otherwise the client's text.
fn place(d: &Document, l: &mut Cleanup<'_>) -> Option<String> {
    let said = d.cliente.provincia.as_deref().map(str::trim).filter(|p| !p.is_empty());
    d.pricing.provincia.map(|p| p.nombre().to_owned()).or_else(|| said.map(|p| l.line(p)))
}

impl Day {
    fn of(day: Date) -> Self {
        Self { year: day.year(), month: day.month(), day: day.day(), text: words::day(day) }
    }
}
