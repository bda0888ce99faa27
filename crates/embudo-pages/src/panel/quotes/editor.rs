//! `/panel/presupuestos/:id`: the editor of a draft; of a quote, what it says.

use askama::Template as _;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use embudo_app::Ingredients;
use embudo_domain::presupuesto::Draft;
use embudo_store::drafts::{DraftChange, DraftReason, StoredDraft};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode, Uri};

use super::differences::{compose, described};
use super::fields::{Mistakes, Typed};
use super::fill::{fill, missing};
use super::revision::FormRevision;
use super::steps::Step;
use super::sums::{Money, Outdated, Sums};
use super::view::{Conflict, DraftEditorPage, Maker, Saved, notas};
use super::{OpenQuote, Paper, STYLES, read_draft, sealed};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::people::People;
use crate::panel::words::moment;
use crate::panel::{PanelFrame, PanelResult, Section};
use crate::parts::{Refusal, private_page, read_fields, read_public};

/// The longest form: a draft of many lines is longer than other forms.
const MAX_FORM_BYTES: usize = 2 << 20;

/// What stands beside a draft that was made again from the lead.
const NOT_YET_SAVED: &str = "Al día con los datos de ahora. Se guarda con tu primer cambio.";

/// `GET /panel/presupuestos/:id`.
pub(crate) async fn show(open: OpenQuote, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let stored = match &open.paper {
        Paper::Quote(quote) => return sealed::show(&open, quote, &query).await,
        // The editor shows costs: somebody who only looks sees what the client would see.
        Paper::Draft(_) if !open.can_write() => return Ok(open.to("/pagina")),
        Paper::Draft(stored) => stored,
    };
    let done = match query.raw("hecho") {
        "guardado" => Some("Guardado."),
        "recalculado" => Some("Recalculado: lo que cambiaste a mano sigue igual."),
        "nuevo" => Some("Borrador preparado. Nada sale hasta que lo envíes."),
        _ => None,
    };
    let draft = read_draft(stored)?;
    Shown { done, ..Shown::of(&open, stored, &draft) }.render(StatusCode::OK).await
}

/// `POST /panel/presupuestos/:id`: the whole form, and the button that sent it.
pub(crate) async fn save(State(state): State<WebState>, open: OpenQuote, request: Request) -> PanelResult {
    let Some(stored) = open.draft() else { return Ok(open.to("")) };
    let (parts, body) = request.into_parts();
    let read = read_public(&state, &parts, body, MAX_FORM_BYTES).await?;
    let typed = Typed::of(read_fields(&read.bytes));
    let before = read_draft(stored)?;
    let button = typed.word("accion");
    let step = Step::parse(&button);
    let Some(seen) = FormRevision::parse(&typed.word("revision")) else {
        let wrong = Mistakes::one("", "No ha llegado entero. No se ha guardado nada: vuelve a intentarlo.");
        return Shown { wrong, ..Shown::of(&open, stored, &before) }
            .answer(&step, StatusCode::UNPROCESSABLE_ENTITY)
            .await;
    };
    let ingredients = open.ingredients().await?;
    let mut draft = before.clone();
    let wrong = fill(&mut draft, &typed, &open.record, ingredients.base());
    let shown = |draft| Shown { typed: Some(&typed), ..Shown::of(&open, stored, draft) };
    let is_stale = !seen.is_of(stored);
    let lost = if is_stale { missing(&before, &typed) } else { Vec::new() };
    if is_stale && (draft != before || !wrong.is_empty() || !lost.is_empty()) {
        let stale = Shown { before: Some(&before), lost, wrong, ..shown(&draft) };
        return stale.answer(&step, StatusCode::CONFLICT).await;
    }
    if !wrong.is_empty() {
        return Shown { wrong, ..shown(&draft) }.answer(&step, StatusCode::UNPROCESSABLE_ENTITY).await;
    }
    let place = match step.apply(&mut draft, &typed, &open.record, ingredients.base()) {
        Ok(place) => place,
        Err(wrong) => {
            return Shown { wrong, ..shown(&draft) }.answer(&step, StatusCode::UNPROCESSABLE_ENTITY).await;
        }
    };
    let mut now = stored.clone();
    if draft != before {
        let actor = open.signed.actor();
        match state.app.quotes().save(open.seen(stored), &draft, &actor).await? {
            DraftChange::Done(revision) => {
                now = StoredDraft { revision, guardado_en: state.app.now(), ..now }
            }
            DraftChange::Gone => return Ok(open.to_lead("presupuesto-ido")),
            DraftChange::Stale(other) => {
                let stands = read_draft(&other)?;
                let stale = Shown { before: Some(&stands), ..Shown::of(&open, &other, &draft) };
                return stale.answer(&step, StatusCode::CONFLICT).await;
            }
        }
    }
    Ok(match step {
        Step::Auto => return Shown::of(&open, &now, &draft).fragment(StatusCode::OK).await,
        Step::Send => open.to("/enviar"),
        Step::Recalculate => open.to("/recalcular"),
        Step::Save => open.to("?hecho=guardado"),
        _ => open.to(&place),
    })
}

/// A page of the editor.
struct Shown<'a> {
    open: &'a OpenQuote,
    stored: &'a StoredDraft,
    draft: &'a Draft,
    typed: Option<&'a Typed>,
    /// What cannot be read of what was typed.
    wrong: Mistakes,
    /// What stands, where it is not what this form was made from.
    before: Option<&'a Draft>,
    /// What the form still has, and somebody took out.
    lost: Vec<String>,
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
            before: None,
            lost: Vec::new(),
            done: None,
        }
    }

    /// The page, or for a module what it shows of it.
    async fn answer(self, step: &Step<'_>, status: StatusCode) -> PanelResult {
        if *step == Step::Auto { self.fragment(status).await } else { self.render(status).await }
    }

    async fn fragment(self, status: StatusCode) -> PanelResult {
        let ingredients = self.open.ingredients().await?;
        let (sums, wrong) = self.sums(&ingredients);
        let maker = Maker { typed: self.typed, mistakes: &wrong };
        let saved = Saved { sums, rooms: maker.rooms(self.draft) };
        let html = saved.render().expect("writing a template to memory does not fail");
        let mut response: Response = (status, html).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(response)
    }

    /// The sums, and everything that is wrong.
    fn sums(&self, ingredients: &Ingredients) -> (Sums, Mistakes) {
        let record = &self.open.record;
        let composed = compose(self.draft, record, ingredients);
        let mut wrong = Mistakes::default();
        for (field, text) in self.wrong.iter() {
            wrong.add(field, text);
        }
        let money = match &composed {
            // A total that leaves out what could not be read would be a wrong one.
            Ok(_) if !self.wrong.is_empty() => None,
            Ok(document) => {
                let money = Money::of(Some(self.draft), document);
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
        let is_saved = self.wrong.is_empty() && self.before.is_none();
        let standing = match (&self.before, is_saved) {
            (Some(_), _) => "Sin guardar: otra persona lo ha cambiado".to_owned(),
            (None, false) => "Sin guardar: corrige lo marcado".to_owned(),
            (None, true) if !self.open.is_saved => NOT_YET_SAVED.to_owned(),
            (None, true) => format!("Guardado: {}", moment(self.stored.guardado_en, now)),
        };
        let outdated = Outdated::of(self.draft, self.open, ingredients);
        let revision = self.open.form_revision(self.stored);
        (Sums::new(revision, standing, is_saved, money, &wrong).beside(outdated), wrong)
    }

    async fn render(self, status: StatusCode) -> PanelResult {
        let (state, record) = (&self.open.state, &self.open.record);
        let ingredients = self.open.ingredients().await?;
        let base = ingredients.base();
        let (sums, wrong) = self.sums(&ingredients);
        let maker = Maker { typed: self.typed, mistakes: &wrong };
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
        let mut items: Vec<String> = base.tarifa.partidas().iter().map(|p| p.concepto.clone()).collect();
        items.sort_unstable();
        items.dedup();
        let page = DraftEditorPage {
            frame: frame.with(STYLES, &["editor.js"]),
            form,
            done: self.done,
            base: self.open.path(),
            lead: record.lead.id.to_string(),
            nombre: record.lead.name(),
            is_review: self.stored.reason == DraftReason::Review,
            conflict: match self.before {
                Some(before) => Some(self.conflict(before, &ingredients).await?),
                None => None,
            },
            rooms: maker.rooms(self.draft),
            items,
            parts: maker.parts(self.draft, record, base),
            payments: maker.payments(self.draft),
            fotos: maker.fotos(self.draft, record),
            notas: notas(self.draft, record, base.brand),
            sums,
        };
        Ok(private_page(status, &page))
    }

    async fn conflict(&self, before: &Draft, ingredients: &Ingredients) -> Result<Conflict, Refusal> {
        let state = &self.open.state;
        let people = People::load(state).await?;
        Ok(Conflict {
            who: self.stored.saved_by.map_or("Alguien", |id| people.name(id)).to_owned(),
            when: moment(self.stored.guardado_en, state.app.now()),
            differences: described(before, self.draft, &self.open.record, ingredients),
            lost: self.lost.clone(),
        })
    }
}
