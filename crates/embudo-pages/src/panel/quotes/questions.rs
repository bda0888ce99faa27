//! Conflicts between two people's changes, side by side. The person chooses one version for each conflict; all other
//! changes of both people are kept.
//!
//! The page carries all three versions, so that the answers refer to what was shown, even if somebody saves meanwhile.

use askama::Template;
use embudo_domain::presupuesto::Draft;
use embudo_domain::presupuesto::draft::{Answers, Question, Side};
use embudo_store::drafts::StoredDraft;
use http::StatusCode;

use super::fields::{Mistakes, Typed};
use super::steps::Step;
use super::{OpenQuote, STYLES};
use crate::panel::form_state::FormState;
use crate::panel::kit::people::People;
use crate::panel::words::moment;
use crate::panel::{PanelFrame, PanelResult, Section};
use crate::parts::private_page;

/// The three versions behind a page of questions.
pub(super) struct Versions {
    /// The version from which both people began.
    pub base: Draft,
    pub theirs: Draft,
    pub mine: Draft,
}

impl Versions {
    /// Reads the versions that a page of questions sent back. `None` if the form is not such a page.
    pub fn parse(open: &OpenQuote, typed: &Typed) -> Option<Self> {
        let version = |name: &str| open.unpack(&typed.word(name));
        Some(Self { base: version("base")?, theirs: version("suya")?, mine: version("mia")? })
    }
}

#[derive(Template)]
#[template(path = "panel/quotes/questions.html")]
struct QuestionsPage {
    frame: PanelFrame,
    form: FormState,
    base: String,
    /// The person who saved meanwhile, and when.
    who: String,
    when: String,
    hidden: Vec<(String, String)>,
    questions: Vec<Asked>,
    button: &'static str,
}

struct Asked {
    name: String,
    question: Question,
    chosen: Option<Side>,
    mistake: Option<String>,
}

impl Asked {
    fn is(&self, word: &str) -> bool {
        self.chosen.map(Side::as_str) == Some(word)
    }
}

fn name_of(question: &Question) -> String {
    format!("elige.{}", question.key)
}

/// The chosen answers.
pub(super) fn answers(typed: &Typed) -> Answers {
    let answer = |name: &str| {
        let key = name.strip_prefix("elige.")?.to_owned();
        Some((key, Side::parse(&typed.word(name))?))
    };
    typed.names().filter_map(answer).collect()
}

/// Asks about the parts that both people changed. `is_again`: the page was sent with an unanswered question.
pub(super) async fn ask(
    open: &OpenQuote,
    stored: &StoredDraft,
    versions: &Versions,
    typed: &Typed,
    step: &Step<'_>,
    is_again: bool,
) -> PanelResult {
    let given = if is_again { answers(typed) } else { Answers::new() };
    let merged = Draft::merge(&versions.base, &versions.theirs, &versions.mine, &Answers::new());
    let mut mistakes = Mistakes::default();
    let questions: Vec<Asked> = merged
        .open
        .into_iter()
        .map(|question| {
            let (name, chosen) = (name_of(&question), given.get(&question.key).copied());
            let mistake = (is_again && chosen.is_none()).then(|| "Elige una de las dos.".to_owned());
            if let Some(text) = &mistake {
                mistakes.add(name.clone(), format!("{}: {text}", question.subject));
            }
            Asked { name, question, chosen, mistake }
        })
        .collect();
    let mut form = FormState::default();
    for (field, text) in mistakes.iter() {
        form.add(field.clone(), text);
    }
    // The removal is already done in `mine` and must not be done again.
    let button = if step.takes_out() { "guardar".to_owned() } else { typed.word("accion") };
    let mut hidden = vec![
        ("revision".to_owned(), open.form_revision(stored)),
        ("base".to_owned(), open.pack(&versions.base)),
        ("suya".to_owned(), open.pack(&versions.theirs)),
        ("mia".to_owned(), open.pack(&versions.mine)),
        ("accion".to_owned(), button),
    ];
    // The other fields that the button needs.
    let loose = typed.names().filter(|name| name.starts_with("tabla.") || name.starts_with("nueva."));
    hidden.extend(loose.map(|name| (name.to_owned(), typed.word(name))));
    let people = People::load(&open.state).await?;
    let frame = PanelFrame::new(&open.state, &open.signed, "Dos versiones", Section::Quotes).await?;
    let page = QuestionsPage {
        frame: frame.with(STYLES, &[]),
        form,
        base: open.path(),
        who: stored.saved_by.map_or("Alguien", |id| people.name(id)).to_owned(),
        when: moment(stored.guardado_en, open.state.app.now()),
        hidden,
        questions,
        button: if *step == Step::Send { "Guardar y revisar" } else { "Guardar lo elegido" },
    };
    let status = if is_again { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::CONFLICT };
    Ok(private_page(status, &page))
}
