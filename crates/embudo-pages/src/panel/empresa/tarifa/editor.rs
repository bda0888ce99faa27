//! `/panel/empresa/tarifa/editar`: prices changed a chapter or a search at a time, or all by a percentage.
//!
//! The form carries all changes so far, so that one can go from chapter to chapter; a page has few enough fields for any table.

use askama::Template;
use axum::extract::{Request, State};
use embudo_domain::tarifa::{Partida, Tarifa, TarifaEdit, Unidad, diff};
use http::{StatusCode, Uri};

use super::factors::{self, Factors};
use super::posted::read_form;
use super::proposal::{Proposal, What};
use super::{PATH, Shelf, TABS, Tabs, Wanted, Which, asked, edits, frame, review};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::choices::CALIDADES;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{FormFields, private_page, read_fields};

/// Items of one page.
const PAGE: usize = 25;

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
    /// How many items differ by now.
    changed: usize,
    chapters: Vec<(String, String)>,
    chapter: String,
    q: String,
    raise: String,
    raise_in: String,
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

    fn back(&self) -> &'static str {
        PATH
    }
}

struct Item {
    key: String,
    concepto: Field,
    unidad: Field,
    symbol: &'static str,
    qualities: Vec<Quality>,
    /// Whether what is behind the fold needs to be seen.
    is_open: bool,
}

impl Item {
    fn price_of(&self) -> String {
        format!("precio de {}", self.key)
    }
}

struct Quality {
    name: &'static str,
    fields: Option<[Field; 3]>,
}

/// One field: its name, its label, what stands in it.
struct Field {
    name: String,
    label: String,
    value: String,
}

/// What is looked at.
#[derive(Default)]
struct View {
    chapter: String,
    q: String,
    page: usize,
}

/// `GET /panel/empresa/tarifa/editar?de=…`: begins from a version, else from the one in force.
pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let shelf = Shelf::of(&state, &signed).await?;
    let base = match query.raw("de") {
        "" => shelf.table_of(&state, shelf.today).await?.0,
        word => Which::parse(word),
    };
    let table = shelf.table(&state, &base).await?;
    let work = Work { base, edits: Vec::new(), seen: shelf.fingerprint(), before: table.clone(), table };
    page(&state, &signed, work, FormState::default(), &FormFields::default(), View::default()).await
}

/// What is being changed.
struct Work {
    base: Which,
    edits: Vec<TarifaEdit>,
    seen: String,
    before: Tarifa,
    table: Tarifa,
}

/// `POST /panel/empresa/tarifa/editar`: keeps what was typed and shows more, raises prices, or goes on to the review.
pub(crate) async fn collect(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let shelf = Shelf::of(&state, &signed).await?;
    let fields = read_form(&state, request).await?;
    resume(&state, &signed, &shelf, fields).await
}

/// Goes on with what a form carries.
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
    list.retain(|edit| table.edit(edit).is_ok());
    let mut form = FormState::default();
    edits::collect(&mut table, &mut list, &fields, &mut form);
    let does = fields.raw("hacer");
    if does == "subir" && form.is_good() {
        edits::raise(&mut table, &mut list, &fields, &mut form);
    }
    if does == "revisar" && form.is_good() {
        let proposal = Proposal::of_edits(shelf, base, list, seen);
        return review::page(state, signed, shelf, review::Review::new(proposal)).await;
    }
    // A mistake is shown where it was made, whatever else was asked for.
    let moved = form.is_good();
    let view = View {
        chapter: fields.text(if moved { "capitulo" } else { "visto.capitulo" }),
        q: asked(&fields.text(if moved { "q" } else { "visto.q" })),
        page: fields.raw(if moved { "ir" } else { "visto.pagina" }).parse().unwrap_or(0),
    };
    page(state, signed, Work { base, edits: list, seen, before, table }, form, &fields, view).await
}

async fn page(
    state: &WebState,
    signed: &Signed,
    work: Work,
    form: FormState,
    typed: &FormFields,
    view: View,
) -> PanelResult {
    let Work { base, edits, seen, before, table } = work;
    let chapters: Vec<(String, String)> =
        table.capitulos().iter().map(|c| (c.key.clone(), c.nombre.clone())).collect();
    let first = || chapters.first().map(|(key, _)| key.clone()).unwrap_or_default();
    let known = |key: &str| chapters.iter().any(|(of, _)| of == key);
    let chapter = match view.chapter.as_str() {
        // A search without a chapter looks everywhere.
        "" | "todos" if !view.q.is_empty() || view.chapter == "todos" => "todos".to_owned(),
        key if known(key) => key.to_owned(),
        _ => first(),
    };
    let found = fitting(&table, &chapter, &view.q);
    let pages = found.len().div_ceil(PAGE).max(1);
    let page = view.page.min(pages - 1);
    let fill = Fill { form: &form, typed };
    let shown = found.iter().skip(page * PAGE).take(PAGE);
    let status = if form.is_good() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let keeps_raise = form.of("sube").is_some();
    let page = TarifaEditorPage {
        frame: frame(state, signed, "Cambiar precios").await?,
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
        raise: if keeps_raise { typed.text("sube") } else { String::new() },
        raise_in: typed.text("sube.en"),
        form,
    };
    Ok(private_page(status, &page))
}

fn changed(before: &Tarifa, after: &Tarifa) -> usize {
    let all = diff::diff(before, after);
    all.partidas.len() + all.others.len()
}

/// The items of a chapter, or of all, that have what is looked for, in the order of the chapters.
fn fitting<'t>(table: &'t Tarifa, chapter: &str, q: &str) -> Vec<&'t Partida> {
    let wanted = Wanted::new(q);
    let chapters = table.capitulos().iter().filter(|c| chapter == "todos" || c.key == chapter);
    let of = |c: &'t embudo_domain::tarifa::TarifaChapter| {
        table.partidas().iter().filter(move |p| p.capitulo == c.key).map(move |p| (p, c.nombre.as_str()))
    };
    chapters.flat_map(of).filter(|(p, name)| wanted.has(p, name)).map(|(p, _)| p).collect()
}

/// Fills fields with what the table says, or with what was typed where that is wrong.
struct Fill<'a> {
    form: &'a FormState,
    typed: &'a FormFields,
}

impl Fill<'_> {
    fn field(&self, name: String, label: &str, value: String) -> Field {
        let value = if self.form.of(&name).is_some() { self.typed.text(&name) } else { value };
        Field { name, label: label.to_owned(), value }
    }

    fn item(&self, p: &Partida) -> Item {
        let value = |kind: &str, code: &str| edits::item_field(p, kind, code);
        let quality = |(code, name): &(&'static str, &'static str)| Quality {
            name,
            fields: value("precio", code).map(|precio| {
                let label = |what: &str| format!("{what}, {}", name.to_lowercase());
                let other = |kind: &str, what: &str| {
                    let now = value(kind, code).unwrap_or_default();
                    self.field(format!("{kind}.{}.{code}", p.key), &label(what), now)
                };
                [
                    self.field(format!("precio.{}.{code}", p.key), &label("Precio"), precio),
                    other("material", "Materiales en %"),
                    other("detalle", "Qué incluye"),
                ]
            }),
        };
        let qualities: Vec<Quality> = CALIDADES.iter().map(quality).collect();
        let concepto = self.field(
            format!("concepto.{}", p.key),
            "Texto del presupuesto",
            value("concepto", "").unwrap_or_default(),
        );
        let unidad =
            self.field(format!("unidad.{}", p.key), "Unidad", value("unidad", "").unwrap_or_default());
        let is_wrong = |field: &Field| self.form.of(&field.name).is_some();
        let folded = qualities.iter().filter_map(|q| q.fields.as_ref()).flat_map(|f| &f[1..]);
        let is_open = folded.chain([&concepto, &unidad]).any(is_wrong);
        Item { key: p.key.clone(), symbol: p.unidad.symbol(), concepto, unidad, qualities, is_open }
    }
}
