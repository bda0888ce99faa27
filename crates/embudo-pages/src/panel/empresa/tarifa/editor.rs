//! `/panel/empresa/tarifa/editar`: the editor of prices and costs. It changes one chapter or one search result at a
//! time, or all prices by a percentage, and adds and withdraws items.
//!
//! The form carries all changes made so far, so that a person can go from chapter to chapter. The number of fields of a
//! page is limited, whatever the size of the table.

use askama::Template;
use axum::extract::{Request, State};
use embudo_domain::tarifa::{Partida, Tarifa, TarifaEdit, Unidad, diff};
use http::{StatusCode, Uri};

use super::factors::{self, Factors};
use super::item_fields::{Field, Fill, Item};
use super::new_item::{self, NewItem};
use super::posted::read_form;
use super::proposal::{Proposal, What};
use super::{PATH, Shelf, TABS, Tabs, Wanted, Which, asked, edits, review, unsaved_frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{FormFields, private_page, read_fields};

/// The number of items on one page.
const PAGE: usize = 25;
/// The word for all chapters.
const ALL: &str = "todos";
const COSTS: &str = "costes";

#[derive(Template)]
#[template(path = "panel/empresa/tarifa/editor.html")]
struct TarifaEditorPage {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    base: String,
    base_name: String,
    seen: String,
    edits: String,
    /// How many items differ from the base version so far.
    changed: usize,
    chapters: Vec<(String, String)>,
    chapter: String,
    q: String,
    /// Whether the boxes contain costs instead of prices.
    shows_costs: bool,
    raise: String,
    raise_in: String,
    costs: String,
    costs_in: String,
    /// The chapters whose items have a cost that is a percentage of the price.
    chapter_costs: Vec<(String, String)>,
    /// Key and name of the withdrawn items.
    withdrawn: Vec<(String, String)>,
    new_item: NewItem,
    items: Vec<Item>,
    page: usize,
    pages: usize,
    found: usize,
    recargos: Vec<Field>,
    factors: Factors,
    levels: Vec<Field>,
}

impl TarifaEditorPage {
    fn units(&self) -> Vec<(&'static str, &'static str)> {
        let all = Unidad::WORDS.iter().filter_map(|word| Unidad::parse(word));
        all.map(|unidad| (unidad.as_str(), unidad.symbol())).collect()
    }

    /// The possible contents of the boxes.
    fn looks(&self) -> &'static [(&'static str, &'static str)] {
        &[("precios", "Precios"), (COSTS, "Costes")]
    }

    fn look(&self) -> &'static str {
        if self.shows_costs { COSTS } else { "precios" }
    }

    fn back(&self) -> &'static str {
        PATH
    }
}

/// The part of the table that the page shows.
#[derive(Default)]
struct View {
    chapter: String,
    q: String,
    page: usize,
    shows_costs: bool,
}

impl View {
    /// The part of the table that the page showed when the form was sent.
    fn seen(fields: &FormFields) -> Self {
        Self {
            chapter: fields.text("visto.capitulo"),
            q: asked(&fields.text("visto.q")),
            page: fields.raw("visto.pagina").parse().unwrap_or(0),
            shows_costs: fields.raw("visto.mirar") == COSTS,
        }
    }

    /// The part that a button asks for. A search covers all chapters, and a chapter shows all its items.
    fn asked(fields: &FormFields, does: &str) -> Self {
        let seen = Self { shows_costs: fields.raw("mirar") == COSTS, ..Self::seen(fields) };
        let q = asked(&fields.text("q"));
        match does {
            "buscar" if !q.is_empty() => Self { q, ..seen }.everywhere(),
            "buscar" | "mostrar" => {
                Self { chapter: fields.text("capitulo"), q: String::new(), page: 0, ..seen }
            }
            _ => Self { page: fields.raw("ir").parse().unwrap_or(seen.page), ..seen },
        }
    }

    fn everywhere(self) -> Self {
        Self { chapter: ALL.to_owned(), page: 0, ..self }
    }
}

/// `GET /panel/empresa/tarifa/editar?de=…&q=…&mirar=…`: begins with the given version, or else with the one in force.
pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let shelf = Shelf::of(&state, &signed).await?;
    let base = match query.raw("de") {
        "" => shelf.table_of(&state, shelf.today).await?.0,
        word => Which::parse(word),
    };
    let table = shelf.table(&state, &base).await?;
    let edited =
        EditedTarifa { base, edits: Vec::new(), seen: shelf.fingerprint(), before: table.clone(), table };
    let view =
        View { q: asked(&query.text("q")), shows_costs: query.raw("mirar") == COSTS, ..View::default() };
    page(&state, &signed, edited, FormState::default(), &FormFields::default(), view).await
}

/// The table that is being changed: its base version, the changes so far, and the table before and after them.
struct EditedTarifa {
    base: Which,
    edits: Vec<TarifaEdit>,
    seen: String,
    before: Tarifa,
    table: Tarifa,
}

/// `POST /panel/empresa/tarifa/editar`: keeps the typed values and shows another part, raises prices, sets costs, adds
/// or withdraws an item, or continues to the review.
pub(crate) async fn collect(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let shelf = Shelf::of(&state, &signed).await?;
    let fields = read_form(&state, request).await?;
    resume(&state, &signed, &shelf, fields).await
}

/// Continues with the changes in a form.
pub(super) async fn resume(
    state: &WebState,
    signed: &Signed,
    shelf: &Shelf,
    fields: FormFields,
) -> PanelResult {
    let carried = Proposal::read(&fields).and_then(|proposal| match proposal.what {
        What::Edits { base, edits } => Some((base, edits, proposal.seen)),
        What::File(_) => None,
    });
    let (base, mut list, seen) = match carried {
        Some(carried) => carried,
        None => (shelf.table_of(state, shelf.today).await?.0, Vec::new(), shelf.fingerprint()),
    };
    let before = shelf.table(state, &base).await?;
    let mut table = before.clone();
    let (does, of) = fields.raw("hacer").split_once('.').unwrap_or((fields.raw("hacer"), ""));
    if does == "reponer" {
        list.retain(|edit| !matches!(edit, TarifaEdit::Remove { key } if key == of));
    }
    list.retain(|edit| table.edit(edit).is_ok());
    let mut form = FormState::default();
    edits::collect(&mut table, &mut list, &fields, &mut form);
    let mut view = View::asked(&fields, does);
    let mut added = None;
    if form.is_good() {
        match does {
            "subir" => edits::raise(&mut table, &mut list, &fields, &mut form),
            "costes" => edits::set_costs(&mut table, &mut list, &fields, &mut form),
            "quitar" => edits::remove(&mut table, &mut list, of, &mut form),
            // If a person filled in a new item but pressed another button, the item is added too, so that nothing is
            // lost.
            "nueva" | "revisar" if does == "nueva" || fields.has("nueva.concepto") => {
                added = new_item::add(&mut table, &mut list, &fields, &mut form);
            }
            _ => {}
        }
    }
    if does == "revisar" && form.is_good() {
        let proposal = Proposal::of_edits(shelf, base, list, seen);
        return review::page(state, signed, shelf, review::Review::new(proposal)).await;
    }
    // If there is an error, the page shows the part with the error, whatever the button asked for.
    if !form.is_good() {
        view = View::seen(&fields);
    }
    let mut typed = fields;
    if let Some(key) = added {
        view = View { q: key, ..view }.everywhere();
        typed.0.retain(|(name, _)| !name.starts_with("nueva."));
    }
    page(state, signed, EditedTarifa { base, edits: list, seen, before, table }, form, &typed, view).await
}

async fn page(
    state: &WebState,
    signed: &Signed,
    edited: EditedTarifa,
    form: FormState,
    typed: &FormFields,
    view: View,
) -> PanelResult {
    let EditedTarifa { base, edits, seen, before, table } = edited;
    let chapters: Vec<(String, String)> =
        table.capitulos().iter().map(|c| (c.key.clone(), c.nombre.clone())).collect();
    let first = || chapters.first().map(|(key, _)| key.clone()).unwrap_or_default();
    let known = |key: &str| chapters.iter().any(|(of, _)| of == key);
    let chapter = match view.chapter.as_str() {
        _ if !view.q.is_empty() => ALL.to_owned(),
        ALL => ALL.to_owned(),
        key if known(key) => key.to_owned(),
        _ => first(),
    };
    let found = fitting(&table, &chapter, &view.q);
    let pages = found.len().div_ceil(PAGE).max(1);
    let page = view.page.min(pages - 1);
    let fill = Fill {
        form: &form,
        typed,
        table: &table,
        names_chapters: chapter == ALL,
        shows_costs: view.shows_costs,
    };
    let shown = found.iter().skip(page * PAGE).take(PAGE);
    let status = if form.is_good() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let kept = |field: &str| if form.of(field).is_some() { typed.text(field) } else { String::new() };
    let (raise, costs) = (kept("sube"), kept("costes"));
    let is_filling = typed.has("nueva.concepto");
    let is_wrong = form.links().iter().any(|(field, _)| field.starts_with("nueva."));
    let new_item = NewItem::shown((is_filling || is_wrong).then_some(typed), &chapter);
    let page = TarifaEditorPage {
        frame: unsaved_frame(state, signed, "Cambiar precios").await?,
        tabs: TABS,
        base: base.word().to_owned(),
        base_name: base.name(),
        seen,
        edits: edits::write(&edits),
        changed: changed(&before, &table),
        items: shown.map(|p| fill.item(p)).collect(),
        found: found.len(),
        page,
        pages,
        recargos: table
            .recargos()
            .iter()
            .map(|r| {
                let value = edits::shown(&table, &format!("recargo.{}", r.when)).unwrap_or_default();
                fill.field(format!("recargo.{}", r.when), &r.concepto, value)
            })
            .collect(),
        levels: factors::by_name()
            .map(|p| fill.field(format!("provincia.{}", p.code()), p.nombre(), table.factor(p).as_factor()))
            .collect(),
        factors: Factors::of(&table),
        chapters,
        chapter,
        q: view.q,
        shows_costs: view.shows_costs,
        raise,
        raise_in: typed.text("sube.en"),
        costs,
        costs_in: typed.text("costes.en"),
        chapter_costs: table
            .capitulos()
            .iter()
            .filter_map(|c| Some((c.nombre.clone(), c.coste?.to_string())))
            .collect(),
        withdrawn: withdrawn(&before, &table, &edits),
        new_item,
        form,
    };
    Ok(private_page(status, &page))
}

/// The withdrawn items that can be restored, with their names.
fn withdrawn(before: &Tarifa, now: &Tarifa, edits: &[TarifaEdit]) -> Vec<(String, String)> {
    let of = |table: &Tarifa, key: &str| table.partidas().iter().find(|p| p.key == key).cloned();
    let name = |edit: &TarifaEdit| match edit {
        TarifaEdit::Remove { key } if of(now, key).is_none() => {
            let added = edits.iter().find_map(|edit| match edit {
                TarifaEdit::Add(item) if item.key == *key => Some((**item).clone()),
                _ => None,
            });
            let item = of(before, key).or(added)?;
            Some((item.key, item.concepto))
        }
        _ => None,
    };
    edits.iter().filter_map(name).collect()
}

fn changed(before: &Tarifa, after: &Tarifa) -> usize {
    let all = diff::diff(before, after);
    all.partidas.len() + all.others.len()
}

/// The items of a chapter, or of all chapters, that match the search, in the order of the chapters.
fn fitting<'t>(table: &'t Tarifa, chapter: &str, q: &str) -> Vec<&'t Partida> {
    let wanted = Wanted::new(q);
    let chapters = table.capitulos().iter().filter(|c| chapter == ALL || c.key == chapter);
    let of = |c: &'t embudo_domain::tarifa::TarifaChapter| {
        table.partidas().iter().filter(move |p| p.capitulo == c.key).map(move |p| (p, c.nombre.as_str()))
    };
    chapters.flat_map(of).filter(|(p, name)| wanted.has(p, name)).map(|(p, _)| p).collect()
}
