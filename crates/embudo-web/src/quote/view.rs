//! What the quote's template is given: texts that are ready to be read.

use askama::Template;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{Document, Presupuesto};
use embudo_domain::pricing::{Capitulo, Line};

use super::pictures::{Album, Gallery, Pair, Picture};
use super::standing::Standing;
use super::words;
use crate::parts::{Frame, Storefront};

/// Notes beyond so many characters are not shown, as in the PDF.
const MAX_NOTAS: usize = 60_000;

#[derive(Template)]
#[template(path = "quote/page.html")]
pub(super) struct Page {
    pub frame: Frame,
    pub base: String,
    pub number: String,
    pub d: Texts,
    pub zonas: Vec<ZonaView>,
    pub standing: Standing,
    pub has_pdf: bool,
    /// A picture that is shown was generated.
    pub has_ai: bool,
    /// What this request came to, where it came to nothing.
    pub sending: FormPost,
}

/// What became of a form that was sent.
#[derive(Default)]
pub(super) struct FormPost {
    /// The box was not ticked.
    pub unmarked: bool,
    /// What is wrong with the reason.
    pub bad_reason: Option<&'static str>,
    /// The reason as written.
    pub reason: String,
    /// Why an answer was not taken.
    pub denied: Option<&'static str>,
    /// The wish to talk was passed on.
    pub asked: bool,
}

/// The texts of the document.
pub(super) struct Texts {
    pub obra: String,
    pub m2: String,
    pub calidad: &'static str,
    pub place: Option<String>,
    pub cliente: String,
    pub telefono: String,
    pub email: String,
    pub issued: String,
    pub until: String,
    pub base: String,
    pub impuesto: String,
    pub quota: String,
    pub total: String,
    pub range: Option<String>,
    pub total_range: Option<String>,
    pub target: Option<String>,
    pub why: String,
    pub norma: String,
    pub reasons: Vec<String>,
    pub assumptions: Vec<String>,
    pub not_included: Vec<String>,
    pub condiciones: Vec<String>,
    pub declaracion: Option<String>,
    pub empresa: String,
    pub empresa_telefono: Option<(String, String)>,
    pub empresa_mail: Option<(String, String)>,
}

pub(super) struct ZonaView {
    pub nombre: String,
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
}

impl Page {
    /// The page of a quote at `base`.
    pub fn new(
        storefront: Storefront,
        base: String,
        p: &Presupuesto,
        album: &Album,
        standing: Standing,
        sending: FormPost,
    ) -> Self {
        let number = p.number.to_string();
        let title = format!("Presupuesto {number}");
        let zonas = zonas(&p.document, album);
        Self {
            frame: Frame::new(storefront, title)
                .with(&["cuadros.css", "presupuesto.css"], &["presupuesto.js"]),
            base,
            d: Texts::of(p),
            has_ai: zonas.iter().any(|z| !z.pairs.is_empty() || z.loose.iter().any(|c| c.ia)),
            zonas,
            standing,
            has_pdf: p.pdf.is_some(),
            sending,
            number,
        }
    }
}

impl Texts {
    fn of(p: &Presupuesto) -> Self {
        let d = &p.document;
        let (pricing, impuesto, empresa) = (&d.pricing, &d.impuesto, &d.empresa);
        let subject = format!("Presupuesto {}", p.number);
        let present = |t: &Option<String>| t.clone().filter(|t| !t.trim().is_empty());
        let said = present(&d.cliente.provincia);
        let assumptions = pricing.assumptions.iter().chain(&impuesto.assumptions);
        let with_link = |text: Option<String>, link: &dyn Fn(&str) -> Option<String>| {
            text.and_then(|t| link(&t).map(|e| (t, e)))
        };
        Self {
            obra: pricing.title.clone(),
            m2: pricing.m2.to_string(),
            calidad: words::calidad(pricing.calidad),
            place: pricing.provincia.map(|p| p.nombre().to_owned()).or(said),
            cliente: d.cliente.nombre.clone(),
            telefono: words::telefono(&d.cliente.telefono),
            email: d.cliente.email.clone(),
            issued: words::day(p.validity.issued),
            until: words::day(p.validity.until),
            base: impuesto.base.to_string(),
            impuesto: format!("{} ({})", impuesto.nombre, impuesto.percentage),
            quota: impuesto.quota.to_string(),
            total: impuesto.total.to_string(),
            range: pricing.range.map(|r| r.to_string()),
            total_range: d.total_range().map(|r| r.to_string()),
            target: pricing.target.filter(|o| o.0 > 0).map(Cents::short),
            why: impuesto.text.clone(),
            norma: impuesto.norma.clone(),
            reasons: impuesto.reasons.clone(),
            assumptions: assumptions.map(|s| s.text.clone()).collect(),
            not_included: pricing.not_included.clone(),
            condiciones: d.condiciones.clone(),
            declaracion: impuesto.declaracion.clone().filter(|_| impuesto.pending_declaration),
            empresa: empresa.nombre.clone(),
            empresa_telefono: with_link(present(&empresa.telefono), &words::phone_link),
            empresa_mail: with_link(present(&empresa.email), &|e| words::mail_link(e, &subject)),
        }
    }
}

/// What to show by zone; surcharges over several zones stand by themselves at the end, as in the PDF.
fn zonas(d: &Document, album: &Album) -> Vec<ZonaView> {
    let kind = d.pricing.kind;
    let (capitulos, settings) = d.capitulos();
    let all = d.zonas();
    let with_precio = all.iter().filter(|z| capitulos.iter().any(|c| c.zona == **z)).count();
    let mut fit = MAX_NOTAS;
    let zona = |zona: &embudo_domain::Zona| {
        let nombre = words::zona(*zona, kind);
        let own: Vec<&Capitulo> = capitulos.iter().filter(|c| c.zona == *zona).collect();
        let total = Cents::sum(own.iter().map(|c| c.total));
        let Gallery { pairs, loose } = album.hang(d.fotos.iter().filter(|f| f.zona == *zona), nombre);
        let notas = d.notas.iter().filter(|n| n.zona == *zona).map(|n| {
            let text: String = n.text.trim().chars().take(fit).collect();
            fit -= text.chars().count();
            text
        });
        ZonaView {
            nombre: nombre.to_owned(),
            drawing: zona.as_str(),
            total: total.filter(|_| with_precio > 1 && !own.is_empty()).map(|t| t.to_string()),
            pairs,
            loose,
            notas: notas.filter(|n| !n.is_empty()).collect(),
            capitulos: own.into_iter().map(ChapterView::of).collect(),
        }
    };
    let has_something = |z: &ZonaView| {
        let fotos = z.pairs.len() + z.loose.len();
        fotos + z.notas.len() + z.capitulos.len() > 0
    };
    let mut views: Vec<ZonaView> = all.iter().map(zona).filter(has_something).collect();
    views.extend(settings.map(|c| ZonaView {
        nombre: c.nombre.clone(),
        drawing: "otro",
        total: Some(c.total.to_string()),
        pairs: Vec::new(),
        loose: Vec::new(),
        notas: Vec::new(),
        capitulos: vec![ChapterView::of(c)],
    }));
    views
}

impl ChapterView {
    fn of(c: &Capitulo) -> Self {
        let line = |l: &Line| LineView {
            concepto: l.concepto.clone(),
            detail: l.detail.clone(),
            cantidad: l.cantidad.with_decimals(),
            unidad: l.unidad.symbol(),
            precio: l.precio.to_string(),
            importe: l.importe.to_string(),
        };
        Self {
            nombre: c.nombre.clone(),
            total: c.total.to_string(),
            lines: c.lines.iter().map(line).collect(),
        }
    }
}
