//! `/panel/presupuestos/:id`: the editor of a draft, or the contents of a quote.

use askama::Template as _;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use embudo_app::Ingredients;
use embudo_domain::presupuesto::draft::{Answers, MAX_BYTES, Merged};
use embudo_domain::presupuesto::{Base, Draft};
use embudo_store::drafts::{DraftChange, DraftReason, StoredDraft};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode, Uri};

use super::actions::STALE;
use super::differences::compose;
use super::fields::{Mistakes, Typed};
use super::fill::fill;
use super::questions::{self, Versions, answers};
use super::revision::FormRevision;
use super::steps::Step;
use super::sums::{Money, Outdated, Sums};
use super::view::{DraftEditorPage, Maker, Saved, items, notas};
use super::{OpenQuote, Paper, STYLES, read_draft, sealed};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::form::TRIES;
use crate::panel::words::moment;
use crate::panel::{PanelFrame, PanelResult, Section};
use crate::parts::{private_page, read_fields, read_public};

/// The maximum size of a form. A draft with many lines is larger than other forms.
const MAX_FORM_BYTES: usize = 2 << 20;

/// The error of a form that somebody else's save made stale, if the draft inside the form cannot be read: an older
/// version of the program packed it.
const UNKNOWN_BASE: &str = "Otra persona ha guardado cambios mientras escribías. No se ha guardado nada: abajo está lo tuyo encima de lo suyo. Repásalo y guarda.";

/// The status of a draft that was generated again from the lead and is not stored yet.
const NOT_YET_SAVED: &str = "Al día con los datos de ahora. Se guarda con tu primer cambio.";

/// `GET /panel/presupuestos/:id`.
pub(crate) async fn show(open: OpenQuote, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let stored = match &open.paper {
        Paper::Quote(quote) => return sealed::show(&open, quote, &query).await,
        // The editor shows costs, so a person who may not edit gets the client's view.
        Paper::Draft(_) if !open.can_write() => return Ok(open.to("/pagina")),
        Paper::Draft(stored) => stored,
    };
    let done = match query.raw("hecho") {
        "guardado" => Some("Guardado."),
        "juntado" => Some("Guardado, junto con lo que otra persona ha cambiado a la vez."),
        "recalculado" => Some("Recalculado: lo que cambiaste a mano sigue igual."),
        "nuevo" => Some("Borrador preparado. Nada sale hasta que lo envíes."),
        _ => None,
    };
    let draft = read_draft(stored)?;
    Shown { done, ..Shown::of(&open, stored, &draft) }.render(StatusCode::OK).await
}

/// `POST /panel/presupuestos/:id`: saves the whole form and does the step of the button that sent it.
pub(crate) async fn save(State(state): State<WebState>, open: OpenQuote, request: Request) -> PanelResult {
    let Some(stored) = open.draft() else { return Ok(open.to("")) };
    let (parts, body) = request.into_parts();
    let read = read_public(&state, &parts, body, MAX_FORM_BYTES).await?;
    let mut fields = read_fields(&read.bytes);
    if !open.sees_costs() {
        fields.0.retain(|(name, _)| !name.ends_with(".coste"));
    }
    let typed = Typed::of(fields);
    let current = read_draft(stored)?;
    let button = typed.word("accion");
    let step = Step::parse(&button);
    let Some(seen) = FormRevision::parse(&typed.word("revision")) else {
        let wrong = Mistakes::one("", "No ha llegado entero. No se ha guardado nada: vuelve a intentarlo.");
        return Shown { wrong, ..Shown::of(&open, stored, &current) }
            .answer(&step, StatusCode::UNPROCESSABLE_ENTITY)
            .await;
    };
    let ingredients = open.ingredients().await?;
    let base = ingredients.base();
    if let Some(asked) = Versions::parse(&open, &typed) {
        let merged = Draft::merge(&asked.base, &asked.theirs, &asked.mine, &answers(&typed));
        if !merged.open.is_empty() {
            return questions::ask(&open, stored, &asked, &typed, &step, true).await;
        }
        // The merge starts from the version that the page of questions showed, as with any other form.
        let saving = Saving { open: &open, typed: &typed, step: &step, base, place: None };
        return saving.put(stored.clone(), asked.theirs, merged.draft).await;
    }
    let is_stale = !seen.is_of(stored);
    let base_draft = if is_stale { open.unpack(&typed.word("base")) } else { Some(current.clone()) };
    let mut mine = base_draft.clone().unwrap_or_else(|| current.clone());
    let mut wrong = fill(&mut mine, &typed, &open.record, base);
    let Some(base_draft) = base_draft else {
        wrong.add("", UNKNOWN_BASE);
        let stale = Shown { wrong, is_stale: true, ..Shown::of(&open, stored, &mine) };
        return stale.answer(&step, StatusCode::CONFLICT).await;
    };
    if !wrong.is_empty() {
        let revision = typed.word("revision");
        let shown = Shown {
            typed: Some(&typed),
            wrong,
            from: Some((revision, &base_draft)),
            ..Shown::of(&open, stored, &mine)
        };
        return shown.answer(&step, StatusCode::UNPROCESSABLE_ENTITY).await;
    }
    // A removal belongs to this person's changes, so it is done before merging. If somebody else changed the removed
    // part meanwhile, the person is asked.
    let place = match step.takes_out() {
        true => step.apply(&mut mine, &typed, &open.record, base).ok(),
        false => None,
    };
    Saving { open: &open, typed: &typed, step: &step, base, place }
        .put(stored.clone(), base_draft, mine)
        .await
}

/// A form that is being saved.
struct Saving<'a> {
    open: &'a OpenQuote,
    typed: &'a Typed,
    step: &'a Step<'a>,
    base: Base<'a>,
    /// The place on the page where the result of the step is shown, if the step is already done.
    place: Option<String>,
}

impl Saving<'_> {
    /// Merges the changes that a person made to `base_draft` with the stored draft, does the step of their button, and
    /// saves the result.
    async fn put(self, mut stored: StoredDraft, base_draft: Draft, mine: Draft) -> PanelResult {
        let Self { open, typed, step, base, place } = self;
        // If somebody saves between reading and writing, everything is tried again with the newer draft.
        for _ in 0..TRIES {
            let current = read_draft(&stored)?;
            let merged = match base_draft == current {
                true => Merged { draft: mine.clone(), open: Vec::new() },
                false => Draft::merge(&base_draft, &current, &mine, &Answers::new()),
            };
            if !merged.open.is_empty() {
                if *step == Step::Auto {
                    let stale =
                        Shown { is_stale: true, typed: Some(typed), ..Shown::of(open, &stored, &mine) };
                    return stale.fragment(StatusCode::CONFLICT).await;
                }
                let versions = Versions { base: base_draft, theirs: current, mine };
                return questions::ask(open, &stored, &versions, typed, step, false).await;
            }
            let mut draft = merged.draft;
            let is_mine_alone = draft == mine;
            let done = match &place {
                Some(place) => Ok(place.clone()),
                None => step.apply(&mut draft, typed, &open.record, base),
            };
            let json = serde_json::to_string(&draft).expect("a draft is written as JSON");
            let done = done.and_then(|place| match json.len() <= MAX_BYTES {
                true => Ok(place),
                false => Err(Mistakes::one("", "El borrador es demasiado largo: quita partidas o textos.")),
            });
            let place = match done {
                Ok(place) => place,
                Err(wrong) => {
                    let shown = Shown { typed: Some(typed), wrong, ..Shown::of(open, &stored, &draft) };
                    return shown.answer(step, StatusCode::UNPROCESSABLE_ENTITY).await;
                }
            };
            if draft != current {
                let actor = open.signed.actor();
                match open.state.app.quotes().save(open.seen(&stored), &draft, &actor).await? {
                    DraftChange::Done(revision) => {
                        stored = StoredDraft { revision, json, guardado_en: open.state.app.now(), ..stored };
                    }
                    DraftChange::Gone => return Ok(open.to_lead("presupuesto-ido")),
                    DraftChange::Stale(other) => {
                        stored = other;
                        continue;
                    }
                }
            }
            let saved = Shown { is_joined: !is_mine_alone, ..Shown::of(open, &stored, &draft) };
            return match step {
                Step::Auto if is_mine_alone => saved.fragment(StatusCode::OK).await,
                // The module replaces its whole form, because that form lacks the other person's changes.
                Step::Auto => saved.render(StatusCode::OK).await,
                Step::Send => Ok(open.to("/enviar")),
                Step::Recalculate => Ok(open.to("/recalcular")),
                Step::Save if is_mine_alone => Ok(open.to("?hecho=guardado")),
                Step::Save => Ok(open.to("?hecho=juntado")),
                _ => Ok(open.to(&place)),
            };
        }
        let current = read_draft(&stored)?;
        let wrong = Mistakes::one("", STALE);
        Shown { wrong, ..Shown::of(open, &stored, &current) }.answer(step, StatusCode::CONFLICT).await
    }
}

/// The data of an editor page.
struct Shown<'a> {
    open: &'a OpenQuote,
    stored: &'a StoredDraft,
    draft: &'a Draft,
    typed: Option<&'a Typed>,
    /// The typed values that cannot be read.
    wrong: Mistakes,
    /// The revision and the draft that the form was loaded from. `None` means the stored draft.
    from: Option<(String, &'a Draft)>,
    /// Whether somebody else changed the same parts, so that nothing was saved.
    is_stale: bool,
    /// Whether this save merged somebody else's changes.
    is_joined: bool,
    done: Option<&'static str>,
}

impl<'a> Shown<'a> {
    fn of(open: &'a OpenQuote, stored: &'a StoredDraft, draft: &'a Draft) -> Self {
        Self {
            open,
            stored,
            draft,
            typed: None,
            wrong: Mistakes::default(),
            from: None,
            is_stale: false,
            is_joined: false,
            done: None,
        }
    }

    /// Renders only the fragment that the module updates if the request was an autosave, otherwise the page.
    async fn answer(self, step: &Step<'_>, status: StatusCode) -> PanelResult {
        if *step == Step::Auto { self.fragment(status).await } else { self.render(status).await }
    }

    async fn fragment(self, status: StatusCode) -> PanelResult {
        let ingredients = self.open.ingredients().await?;
        let (sums, wrong) = self.sums(&ingredients);
        let maker = Maker { typed: self.typed, mistakes: &wrong, sees_costs: self.open.sees_costs() };
        let saved = Saved { sums, rooms: maker.rooms(self.draft) };
        let html = saved.render().expect("writing a template to memory does not fail");
        let mut response: Response = (status, html).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(response)
    }

    /// The sums and all errors.
    fn sums(&self, ingredients: &Ingredients) -> (Sums, Mistakes) {
        let record = &self.open.record;
        let composed = compose(self.draft, record, ingredients);
        let mut wrong = Mistakes::default();
        for (field, text) in self.wrong.iter() {
            wrong.add(field, text);
        }
        let money = match &composed {
            // A total without the values that could not be read would be wrong.
            Ok(_) if !self.wrong.is_empty() => None,
            Ok(document) => {
                let money = Money::of(Some(self.draft), document).seen_in(self.open);
                Some(money.priced_by(ingredients.base().tarifa, self.draft, document))
            }
            Err(invalid) => {
                for (field, text) in Mistakes::of_draft(invalid, self.draft).iter() {
                    wrong.add(field, text);
                }
                None
            }
        };
        let now = self.open.state.app.now();
        let is_saved = self.wrong.is_empty() && !self.is_stale;
        let standing = match is_saved {
            _ if self.is_stale => "Sin guardar: otra persona ha cambiado lo mismo. Guarda y elige".to_owned(),
            false => "Sin guardar: corrige lo marcado".to_owned(),
            true if !self.open.is_saved => NOT_YET_SAVED.to_owned(),
            true if self.is_joined => "Guardado, junto con lo que otra persona ha cambiado".to_owned(),
            true => format!("Guardado: {}", moment(self.stored.guardado_en, now)),
        };
        let outdated = Outdated::of(self.draft, self.open, ingredients);
        let (revision, base) = match &self.from {
            Some((revision, draft)) => (revision.clone(), self.open.pack(draft)),
            None => {
                let stored = read_draft(self.stored).map(|draft| self.open.pack(&draft)).unwrap_or_default();
                (self.open.form_revision(self.stored), stored)
            }
        };
        let sums = Sums::new(revision, standing, is_saved, money, &wrong);
        (sums.carrying(base).beside(outdated), wrong)
    }

    async fn render(self, status: StatusCode) -> PanelResult {
        let (state, record) = (&self.open.state, &self.open.record);
        let ingredients = self.open.ingredients().await?;
        let base = ingredients.base();
        let (sums, wrong) = self.sums(&ingredients);
        let maker = Maker { typed: self.typed, mistakes: &wrong, sees_costs: self.open.sees_costs() };
        let title = format!("Presupuesto de {}", record.lead.name());
        let frame = PanelFrame::new(state, &self.open.signed, title, Section::Quotes).await?;
        let mut form = FormState::default();
        if let Some(text) = self.wrong.of("") {
            form.add("", text);
        } else if !self.wrong.is_empty() {
            form.add("", "No se ha guardado nada: corrige lo que está marcado y guarda otra vez.");
        }
        for (field, text) in self.wrong.iter().filter(|(field, _)| !field.is_empty()) {
            form.add(field.clone(), text);
        }
        let page = DraftEditorPage {
            frame: frame.with(STYLES, &["editor.js"]),
            form,
            done: self.done,
            base: self.open.path(),
            lead: record.lead.id.to_string(),
            nombre: record.lead.name(),
            is_review: self.stored.reason == DraftReason::Review,
            rooms: maker.rooms(self.draft),
            items: items(self.draft, record, base.tarifa),
            parts: maker.parts(self.draft, record, base),
            payments: maker.payments(self.draft),
            fotos: maker.fotos(self.draft, record),
            notas: notas(self.draft, record, base.brand),
            sums,
        };
        Ok(private_page(status, &page))
    }
}
