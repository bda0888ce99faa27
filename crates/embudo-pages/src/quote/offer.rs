//! The parts of a quote besides its lines: options, payments, place and days, and the information that the law
//! requires.

use embudo_domain::legal::LegalText;
use embudo_domain::money::Cents;
use embudo_domain::presupuesto::{Chosen, Document, Presupuesto, PrintedOption};

use super::words;
use super::zonas::LineView;

/// The options that are selected on the page of a quote.
pub(super) struct Selection {
    /// The ids of the selected options.
    pub ids: Vec<String>,
    pub chosen: Chosen,
}

impl Selection {
    /// The accepted options, or before acceptance the ticked ones. An id that is not an option of this quote is left
    /// out.
    pub fn of(p: &Presupuesto, ticked: &[String]) -> Self {
        let accepted: Option<Vec<String>> =
            p.acceptance().map(|a| a.options.into_iter().map(|option| option.id).collect());
        let wanted = accepted.as_deref().unwrap_or(ticked);
        let own = p.document.options.iter().filter(|o| wanted.contains(&o.id)).map(|o| o.id.clone());
        let ids: Vec<String> = own.collect();
        Self { chosen: p.document.with_options(&ids), ids }
    }
}

pub(super) struct OptionView {
    pub id: String,
    pub room: Option<String>,
    pub line: LineView,
    /// How much the option adds to the total, or already contributes to it, with the other options unchanged. Tax is
    /// included.
    pub adds: String,
    pub is_chosen: bool,
}

pub(super) struct PaymentView {
    pub percentage: String,
    pub moment: String,
    pub importe: String,
}

pub(super) struct LegalView {
    pub title: String,
    pub paragraphs: Vec<String>,
    pub version: String,
}

pub(super) struct Offer {
    pub intro: Vec<String>,
    pub extra: Vec<String>,
    /// The terms agreed for the work, as names and values.
    pub work: Vec<(&'static str, String)>,
    pub nif: Option<String>,
    pub address: Option<String>,
    pub options: Vec<OptionView>,
    pub payments: Vec<PaymentView>,
    pub legal: Vec<LegalView>,
    /// The client's request to begin within the withdrawal period, if it applies.
    pub early_start: Option<String>,
}

impl Offer {
    pub fn of(d: &Document, selection: &Selection) -> Self {
        let terms = &d.terms;
        let prose = |t: &Option<String>| {
            let lines = t.as_deref().unwrap_or_default().split("\n\n").map(str::trim);
            lines.filter(|p| !p.is_empty()).map(str::to_owned).collect()
        };
        let work = [
            ("Dirección de la obra", terms.site.clone()),
            ("Inicio", terms.start.map(words::day)),
            ("Duración", terms.duration.clone()),
        ];
        let payments = terms.payments_of(selection.chosen.total).into_iter().map(|due| PaymentView {
            percentage: due.payment.percentage.to_string(),
            moment: due.payment.moment.clone(),
            importe: due.importe.to_string(),
        });
        Self {
            intro: prose(&terms.intro),
            extra: prose(&terms.extra),
            work: work.into_iter().filter_map(|(name, value)| Some((name, value?))).collect(),
            nif: terms.nif.clone(),
            address: terms.address.clone(),
            options: d.options.iter().map(|o| OptionView::of(o, d, selection)).collect(),
            payments: payments.collect(),
            legal: d.legal.iter().map(LegalView::of).collect(),
            early_start: d.early_start().map(|text| text.title.clone()),
        }
    }
}

impl OptionView {
    fn of(option: &PrintedOption, d: &Document, selection: &Selection) -> Self {
        let is_chosen = selection.ids.contains(&option.id);
        let toggled = selection.ids.iter().filter(|id| **id != option.id).cloned();
        let mut other: Vec<String> = toggled.collect();
        if !is_chosen {
            other.push(option.id.clone());
        }
        let (now, then) = (selection.chosen.total, d.with_options(&other).total);
        let (more, less) = if is_chosen { (now, then) } else { (then, now) };
        let adds: Cents = more.checked_sub(less).unwrap_or_default();
        Self {
            id: option.id.clone(),
            room: option.room.clone(),
            line: LineView::of(&option.line),
            adds: adds.to_string(),
            is_chosen,
        }
    }
}

impl LegalView {
    fn of(text: &LegalText) -> Self {
        Self { title: text.title.clone(), paragraphs: text.paragraphs.clone(), version: text.version.clone() }
    }
}
