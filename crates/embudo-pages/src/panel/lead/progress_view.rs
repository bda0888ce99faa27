//! How accepted work goes, as the page of its lead shows it.

use embudo_app::{progress_label, work_label};
use embudo_domain::etapa::Progress;
use embudo_store::desk::WorkState;

use super::desk_forms::Back;
use crate::panel::kit::form::fingerprint;

/// What is said of the work, and the form for it.
pub(super) struct WorkView {
    pub start: Option<String>,
    pub inicio: String,
    /// Value, words, and whether it is chosen.
    pub choices: Vec<(&'static str, &'static str, bool)>,
    pub version: String,
    pub is_open: bool,
    pub clash: Option<(String, String)>,
}

impl WorkView {
    pub fn of(work: WorkState, back: Option<&Back>) -> Self {
        let typed = |name| back.map(|back| back.fields.text(name));
        let chosen = typed("progreso").unwrap_or_else(|| value(work.progress).to_owned());
        let choice = |progress| (value(progress), progress_label(progress), value(progress) == chosen);
        Self {
            start: work.start.map(embudo_domain::words::day),
            inicio: typed("inicio").or(work.start.map(|day| day.to_string())).unwrap_or_default(),
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

/// What a form was made from.
pub(super) fn version(work: WorkState) -> String {
    fingerprint(&work_label(work))
}
