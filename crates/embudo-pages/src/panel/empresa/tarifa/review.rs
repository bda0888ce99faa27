//! The page between changing prices and saving the next version: the differences, a sample lead, and the button that
//! saves.

use askama::Template;
use embudo_domain::words;
use http::StatusCode;
use jiff::ToSpan as _;
use jiff::civil::Date;

use super::changes::Changes;
use super::proposal::{Proposal, What};
use super::sample::Sample;
use super::{PATH, Shelf, TABS, Tabs, Which, unsaved_frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{FormFields, private_page};

/// A version must begin within this number of years.
pub(super) const MAX_YEARS: i32 = 5;

#[derive(Template)]
#[template(path = "panel/empresa/tarifa/review.html")]
struct TarifaReviewPage {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    proposal: Proposal,
    seen: String,
    before: String,
    base: String,
    today: String,
    /// Remarks that are useful before saving.
    notes: Vec<String>,
    /// The version to which the changes could be applied instead.
    rebase: Option<String>,
    changes: Changes,
    sample: Sample,
}

impl TarifaReviewPage {
    fn is_file(&self) -> bool {
        matches!(self.proposal.what, What::File(_))
    }

    fn back(&self) -> &'static str {
        PATH
    }
}

/// The contents of the page.
pub(super) struct Review {
    pub proposal: Proposal,
    pub form: FormState,
    pub status: StatusCode,
    /// The sample lead, as it was typed.
    pub tried: FormFields,
}

impl Review {
    pub fn new(proposal: Proposal) -> Self {
        let (form, tried) = (FormState::default(), FormFields::default());
        Self { proposal, form, status: StatusCode::OK, tried }
    }
}

/// Parses a day on which a version may begin.
pub(super) fn day_of(text: &str, today: Date) -> Option<Date> {
    let day: Date = text.parse().ok()?;
    let last = today.checked_add(MAX_YEARS.years()).ok()?;
    (today..=last).contains(&day).then_some(day)
}

pub(super) async fn page(state: &WebState, signed: &Signed, shelf: &Shelf, review: Review) -> PanelResult {
    let Review { proposal, mut form, mut status, tried } = review;
    let (table, lost) = proposal.table(state, shelf).await?;
    let since = day_of(&proposal.since, shelf.today).unwrap_or(shelf.today);
    let (before, before_table) = shelf.table_of(state, since).await?;
    let comparison = state.app.tarifas().compare(before_table.clone(), table.clone()).await?;
    let impuestos = state.app.quotes().impuestos();
    let (sample, facts) = Sample::read("revisar", &tried, &mut form);
    if facts.is_none() && status == StatusCode::OK {
        status = StatusCode::UNPROCESSABLE_ENTITY;
    }
    let before_name = before.name();
    let tables = [(before_name.as_str(), &before_table), (proposal.version.as_str(), &table)];
    let sample = sample.with(facts.as_ref(), tables, (impuestos, shelf.today));
    let rebase = proposal.base().filter(|base| **base != before).map(|_| before.word().to_owned());
    let page = TarifaReviewPage {
        frame: unsaved_frame(state, signed, "Revisar la tarifa").await?,
        tabs: TABS,
        notes: notes(shelf, &proposal, &before, since, lost),
        seen: shelf.fingerprint(),
        base: proposal.base().map(|base| base.word().to_owned()).unwrap_or_default(),
        before: before_name,
        today: shelf.today.to_string(),
        rebase,
        changes: Changes::of(&comparison, impuestos),
        sample,
        proposal,
        form,
    };
    Ok(private_page(status, &page))
}

fn notes(shelf: &Shelf, proposal: &Proposal, before: &Which, since: Date, lost: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if proposal.seen != shelf.fingerprint() {
        notes.push(
            "Desde que empezaste ha cambiado la lista de versiones: lo que ves abajo ya la tiene en cuenta."
                .to_owned(),
        );
    }
    if let Some(base) = proposal.base().filter(|base| *base != before) {
        notes.push(format!(
            "Partiste de la versión {}, pero el {} la que vale es {}. Abajo ves la diferencia con esa: lo que cambió en ella y no en la tuya se perdería.",
            base.name(),
            words::day(since),
            before.name()
        ));
    }
    match lost {
        0 => {}
        1 => notes.push("Un cambio no se puede aplicar a esa versión, y se queda fuera.".to_owned()),
        n => notes.push(format!("{n} cambios no se pueden aplicar a esa versión, y se quedan fuera.")),
    }
    // The list is sorted with the latest day first.
    if let Some(next) = shelf.versions.iter().rev().find(|v| v.since > since) {
        notes.push(format!(
            "Valdrá hasta que entre la versión {}, el {}.",
            next.version,
            words::day(next.since)
        ));
    }
    if let Some(same) = shelf.versions.iter().find(|v| v.since == since) {
        notes.push(format!(
            "La versión {} empieza el mismo día: la que guardes ahora ocupa su lugar.",
            same.version
        ));
    }
    notes
}
