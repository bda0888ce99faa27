//! The progress of accepted work, as the page of its lead shows it.

use embudo_app::{progress_label, work_label};
use embudo_domain::etapa::Progress;
use embudo_domain::presupuesto::Terms;
use embudo_domain::words::day;
use embudo_store::desk::WorkState;

use super::desk_forms::Back;
use crate::panel::kit::form::fingerprint;

/// The progress of the work, and its form.
pub(super) struct WorkView {
    /// «1 de diciembre de 2026, hasta el 21 de diciembre de 2026».
    pub start: Option<String>,
    pub inicio: String,
    pub dias: String,
    /// Whether the fields contain suggestions from the accepted quote, because nobody has saved them yet.
    pub is_suggested: bool,
    /// Value, words, and whether it is selected.
    pub choices: Vec<(&'static str, &'static str, bool)>,
    pub version: String,
    pub is_open: bool,
    pub clash: Option<(String, String)>,
}

impl WorkView {
    /// While nobody has planned the work, the fields start with the values of the accepted quote.
    pub fn of(work: WorkState, planned: Option<&Terms>, back: Option<&Back>) -> Self {
        let typed = |name| back.map(|back| back.fields.text(name));
        let planned = planned.filter(|_| work.start.is_none() && work.days.is_none());
        let (first, days) = planned.map_or((None, None), |terms| (terms.start, terms.days()));
        let end = work.last().filter(|_| work.days.is_some_and(|days| days > 1));
        let until = end.map(|end| format!(", hasta el {}", day(end))).unwrap_or_default();
        let chosen = typed("progreso").unwrap_or_else(|| value(work.progress).to_owned());
        let choice = |progress| (value(progress), progress_label(progress), value(progress) == chosen);
        Self {
            start: work.start.map(|start| format!("{}{until}", day(start))),
            inicio: typed("inicio").or(work.start.or(first).map(|day| day.to_string())).unwrap_or_default(),
            dias: typed("dias").or(work.days.or(days).map(|days| days.to_string())).unwrap_or_default(),
            is_suggested: back.is_none() && (first.is_some() || days.is_some()),
            choices: [None, Some(Progress::EnObra), Some(Progress::Terminado)].map(choice).into(),
            version: version(work),
            is_open: back.is_some(),
            clash: back.and_then(Back::both),
        }
    }
}

fn value(progress: Option<Progress>) -> &'static str {
    progress.map_or("", |progress| progress.as_str())
}

/// The version that the form carries.
pub(super) fn version(work: WorkState) -> String {
    fingerprint(&work_label(work))
}
