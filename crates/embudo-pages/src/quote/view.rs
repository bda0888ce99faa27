//! The data of the quote's template: texts that are ready to be shown.

use askama::Template;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{Character, Presupuesto};
use embudo_domain::rights::RightAsked;
use embudo_domain::words::name;

use super::offer::{Offer, Selection};
use super::pictures::Album;
use super::standing::Standing;
use super::words;
use super::zonas::{ZonaView, zonas};
use crate::form::mistakes::Errors;
use crate::parts::{Frame, Mistake, Storefront, draws_inputs};

#[derive(Template)]
#[template(path = "quote/page.html")]
pub(super) struct QuotePage {
    pub frame: Frame,
    pub base: String,
    pub number: String,
    pub d: Texts,
    pub offer: Offer,
    pub zonas: Vec<ZonaView>,
    pub standing: Standing,
    /// The address of the PDF, once it is drawn.
    pub pdf: Option<String>,
    /// Whether the accepted version has a PDF of its own.
    pub has_accepted: bool,
    /// Whether this is a draft that the company previews. It cannot be answered.
    pub is_draft: bool,
    /// Whether one of the pictures was generated.
    pub has_ai: bool,
    /// The result of the form in this request.
    pub sending: FormPost,
}

const UNMARKED: &str = "Marca la casilla para poder aceptarlo.";
const UNDECLARED: &str = "Para este precio necesitamos tu declaración. Si no se cumple, pregúntanos y te hacemos otro presupuesto.";

draws_inputs!(FormPost);

impl FormPost {
    /// All errors of the form, for the summary at the top.
    pub fn errors(&self) -> Errors {
        let mut errors = Errors::default();
        for field in ["acepto", "declaro", "nota", "motivo"] {
            if let Some(mistake) = self.mistake(field) {
                errors.note_down(field, mistake.text);
            }
        }
        errors
    }

    pub fn mistake(&self, field: &str) -> Option<Mistake> {
        let text = match field {
            "acepto" => self.unmarked.then_some(UNMARKED),
            "declaro" => self.undeclared.then_some(UNDECLARED),
            "nota" => self.bad_note,
            "motivo" => self.bad_reason,
            _ => None,
        };
        let has_focus = field != "declaro" || !self.unmarked;
        Some(Mistake { text: text?.to_owned(), has_focus, ..Mistake::default() })
    }
}

/// The result of a form that was sent.
#[derive(Default)]
pub(super) struct FormPost {
    /// The box that confirms the acceptance was not ticked.
    pub unmarked: bool,
    /// The declaration was not ticked.
    pub undeclared: bool,
    /// The boxes that the client had ticked. They stay ticked.
    pub accepted: bool,
    pub declared: bool,
    pub early_start: bool,
    /// The ids of the ticked options.
    pub options: Vec<String>,
    /// The total with these options differs from the total that the client saw.
    pub moved: bool,
    /// The error of the note about a visit.
    pub bad_note: Option<&'static str>,
    /// The note as the client wrote it.
    pub note: String,
    /// The error of the reason.
    pub bad_reason: Option<&'static str>,
    /// The reason as the client wrote it.
    pub reason: String,
    /// Why the answer was refused.
    pub denied: Option<&'static str>,
    /// Whether the client asked to continue by messaging.
    pub asked: bool,
    /// Whether a person of the company must check the number before the conversation starts.
    pub waits: bool,
    /// Which right over their own data the client exercised.
    pub right_asked: Option<RightAsked>,
}

/// The texts of the document.
pub(super) struct Texts {
    pub obra: String,
    /// «5 m² · calidad media», or the number of rooms.
    pub measure: String,
    /// Explains whether the price is binding.
    pub character: &'static str,
    pub is_binding: bool,
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
    /// The large amount: the total or the range.
    pub figure: String,
    /// The total in cents. It is compared when the client accepts.
    pub total_cents: i64,
    pub range: Option<String>,
    pub total_range: Option<String>,
    pub target: Option<String>,
    pub why: String,
    pub norma: String,
    /// The share of the materials in the base.
    pub materiales: String,
    pub reasons: Vec<String>,
    pub assumptions: Vec<String>,
    pub not_included: Vec<String>,
    pub condiciones: Vec<String>,
    pub declaracion: Option<String>,
    pub empresa: String,
    pub empresa_telefono: Option<(String, String)>,
    pub empresa_mail: Option<(String, String)>,
}

impl QuotePage {
    /// The page of a quote at `base`.
    pub fn new(
        storefront: Storefront,
        base: String,
        p: &Presupuesto,
        album: &Album,
        standing: Standing,
        sending: FormPost,
    ) -> Self {
        Self::named(p.number.to_string(), storefront, base, p, album, standing, sending)
    }

    /// Whether nobody can answer here: the quote is a draft, or a person of the company is looking at it.
    pub fn is_locked(&self) -> bool {
        self.is_draft || self.frame.is_preview
    }

    /// The page of a draft, which has no number.
    pub fn of_draft(storefront: Storefront, p: &Presupuesto, album: &Album, standing: Standing) -> Self {
        let named = "(borrador)".to_owned();
        let page = Self::named(named, storefront, String::new(), p, album, standing, FormPost::default());
        Self { is_draft: true, ..page }
    }

    fn named(
        number: String,
        storefront: Storefront,
        base: String,
        p: &Presupuesto,
        album: &Album,
        standing: Standing,
        sending: FormPost,
    ) -> Self {
        let title = format!("Presupuesto {number}");
        let zonas = zonas(&p.document, album);
        let selection = Selection::of(p, &sending.options);
        Self {
            frame: Frame::new(storefront, title)
                .with(&["cuadros.css", "presupuesto.css"], &["presupuesto.js"]),
            base,
            d: Texts::of(p, &selection, &number),
            offer: Offer::of(&p.document, &selection),
            has_ai: zonas.iter().any(|z| !z.pairs.is_empty() || z.loose.iter().any(|c| c.ia)),
            zonas,
            standing,
            pdf: None,
            has_accepted: p.accepted_pdf.is_some(),
            is_draft: false,
            sending,
            number,
        }
    }
}

impl Texts {
    fn of(p: &Presupuesto, selection: &Selection, number: &str) -> Self {
        let d = &p.document;
        let (pricing, impuesto, empresa) = (&d.pricing, &selection.chosen.impuesto, &d.empresa);
        let subject = format!("Presupuesto {number}");
        let present = |t: &Option<String>| t.clone().filter(|t| !t.trim().is_empty());
        let typed_place = present(&d.cliente.provincia).map(|place| name(&place));
        let assumptions = pricing.assumptions.iter().chain(&impuesto.assumptions);
        let with_link = |text: Option<String>, link: &dyn Fn(&str) -> Option<String>| {
            text.and_then(|t| link(&t).map(|e| (t, e)))
        };
        Self {
            obra: pricing.title.clone(),
            measure: match d.rooms.len() {
                0 | 1 => format!("{} m² · calidad {}", pricing.m2, pricing.calidad.in_sentence()),
                n => format!("{} m² en {n} estancias", pricing.m2),
            },
            character: d.character().explanation(),
            is_binding: d.character() == Character::Binding,
            place: pricing.provincia.map(|p| p.nombre().to_owned()).or(typed_place),
            cliente: name(&d.cliente.nombre),
            telefono: words::telefono(&d.cliente.telefono),
            email: d.cliente.email.clone(),
            issued: words::day(p.validity.issued),
            until: words::day(p.validity.until),
            base: impuesto.base.to_string(),
            impuesto: format!("{} ({})", impuesto.nombre, impuesto.percentage),
            quota: impuesto.quota.to_string(),
            total: impuesto.total.to_string(),
            total_cents: impuesto.total.0,
            range: pricing.range.map(|r| r.to_string()),
            total_range: d.shown_range().map(|r| r.to_string()),
            figure: d.shown_range().map_or_else(|| impuesto.total.to_string(), |r| r.figure()),
            target: d.shown_target().map(Cents::short),
            why: impuesto.text.clone(),
            norma: impuesto.norma.clone(),
            materiales: impuesto.materiales.to_string(),
            reasons: impuesto.reasons.clone(),
            assumptions: assumptions.map(|s| s.text.clone()).collect(),
            not_included: pricing.not_included.clone(),
            condiciones: d.condiciones.clone(),
            declaracion: impuesto.owed_declaration().map(str::to_owned),
            empresa: empresa.nombre.clone(),
            empresa_telefono: with_link(present(&empresa.telefono), &words::phone_link),
            empresa_mail: with_link(present(&empresa.email), &|e| words::mail_link(e, &subject)),
        }
    }
}
