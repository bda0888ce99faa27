//! The data of the editor's template.

use std::cell::Cell;

use askama::Template;
use embudo_domain::Zona;
use embudo_domain::brand::Brand;
use embudo_domain::iva::{Answer, Contratante};
use embudo_domain::money::Cents;
use embudo_domain::nif::nif_hint;
use embudo_domain::presupuesto::draft::{DraftChapter, DraftLine, Room};
use embudo_domain::presupuesto::{Base, Character, DiscountValue, Draft};
use embudo_domain::record::LeadRecord;
use embudo_domain::tarifa::{Partida, Tarifa};

use super::fields::{
    Mistakes, Typed, area, format_number, of_adjustment, of_capitulo, of_line, of_payment, of_room, usual_of,
};
use super::sums::Sums;
use crate::panel::PanelFrame;
use crate::panel::form_state::FormState;
use crate::panel::kit::choices::{self, CALIDADES, Choice, URGENCIAS, YES_NO, ZONAS};
use crate::parts::{Input, Mistake, Shape};

pub(super) const UNIDADES: &[Choice] = &[("m2", "m²"), ("ml", "ml"), ("ud", "ud"), ("pa", "PA")];
const ANSWERS: &[Choice] = &[("desconocida", "No se sabe"), ("declarada", "Sí"), ("negada", "No")];
const CONTRATANTES: &[Choice] =
    &[("", "No se sabe"), choices::CONTRATANTES[0], choices::CONTRATANTES[1], choices::CONTRATANTES[2]];
const CHARACTERS: &[Choice] = &[
    ("", "Según lo que se sabe"),
    ("vinculante", "Vinculante: el cliente puede aceptarlo"),
    ("orientativo", "Orientativo: se cierra tras la visita"),
];
/// How many characters of a name fit into one line on a phone.
const LINE_LETTERS: usize = 38;
const DISCOUNTS: &[Choice] = &[("porcentaje", "%"), ("importe", "€")];

#[derive(Template)]
#[template(path = "panel/quotes/editor.html")]
pub(super) struct DraftEditorPage {
    pub frame: PanelFrame,
    pub form: FormState,
    pub done: Option<&'static str>,
    pub base: String,
    pub lead: String,
    pub nombre: String,
    pub is_review: bool,
    pub sums: Sums,
    pub rooms: Vec<RoomView>,
    pub items: Items,
    pub parts: Parts,
    pub payments: Vec<(usize, Field, Field)>,
    pub fotos: Vec<FotoView>,
    pub notas: Vec<(Tick, String)>,
}

/// A field: its name, its text, and its error.
pub(super) struct Field {
    pub name: String,
    pub text: String,
    pub mistake: Option<String>,
}

impl Field {
    fn input(&self, shape: Shape, label: &str) -> Input {
        Input::new(shape, &self.name, label, mistake(self.mistake.as_ref())).value(&self.text)
    }

    pub fn line(&self, label: &str) -> Input {
        self.input(Shape::Line("text"), label).max(2000).with("autocomplete", "off")
    }

    pub fn number(&self, label: &str) -> Input {
        self.line(label).with("inputmode", "decimal").class("campo-num")
    }

    pub fn percentage(&self, label: &str) -> Input {
        self.number(&format!("{label} %"))
    }

    /// A name without line breaks, which may wrap on the page.
    pub fn name(&self, label: &str) -> Input {
        let lines = self.text.chars().count() / LINE_LETTERS + 1;
        self.prose(label).max(2000).rows(u8::try_from(lines).unwrap_or(u8::MAX)).with("autocomplete", "off")
    }

    /// The search box of the price table. Its error gets the focus.
    pub fn table_box(&self, label: &str) -> Input {
        let mistake = mistake(self.mistake.as_ref()).map(|mistake| Mistake { has_focus: true, ..mistake });
        let input = Input::new(Shape::Line("text"), &self.name, label, mistake).value(&self.text);
        input
            .max(200)
            .with("autocomplete", "off")
            .with("list", "tarifa")
            .with("placeholder", "Nombre, capítulo o clave")
    }

    pub fn prose(&self, label: &str) -> Input {
        self.input(Shape::Long, label).max(20_000)
    }
}

fn mistake(text: Option<&String>) -> Option<Mistake> {
    Some(Mistake { text: text?.clone(), ..Mistake::default() })
}

pub(super) struct Select {
    pub name: String,
    pub chosen: String,
    pub choices: &'static [Choice],
    pub mistake: Option<String>,
}

impl Select {
    fn input(&self, label: &str) -> Input {
        Input::new(Shape::Select, &self.name, label, mistake(self.mistake.as_ref())).value(&self.chosen)
    }

    pub fn list(&self, label: &str) -> Input {
        self.input(label).choices(self.choices)
    }

    pub fn maybe(&self, label: &str) -> Input {
        self.input(label).choice("", "Sin decir").choices(self.choices)
    }
}

pub(super) struct Tick {
    pub name: String,
    pub is_on: bool,
}

pub(super) struct RoomView {
    pub id: u32,
    pub title: String,
    pub nombre: Field,
    pub kind: Select,
    pub m2: Field,
    pub measured: Tick,
    pub calidad: Select,
    pub estructural: Select,
    pub capitulos: Vec<ChapterView>,
    pub adjustments: Vec<(String, Field)>,
    pub table: Field,
    /// How many lines of the price table were removed.
    pub removed: usize,
    pub is_only: bool,
}

pub(super) struct ChapterView {
    pub n: usize,
    pub nombre: Field,
    pub lines: Vec<LineView>,
    /// The key under which the browser remembers that the chapter is folded.
    pub fold: String,
    /// The values of `data-cifra` by which the module finds the chapter's title and sum on the page.
    pub title: String,
    pub sum: String,
    pub total: String,
}

/// The fragments that a module updates after a save: the sums, and every amount in the form.
#[derive(Template)]
#[template(path = "panel/quotes/saved.html")]
pub(super) struct Saved {
    pub sums: Sums,
    pub rooms: Vec<RoomView>,
}

pub(super) struct LineView {
    pub id: String,
    pub concepto: Field,
    pub detail: Field,
    pub cantidad: Field,
    pub unidad: Select,
    pub precio: Field,
    /// The cost for the company, for people who may see it.
    pub coste: Option<Field>,
    pub discount: Field,
    pub material: Field,
    pub optional: Tick,
    /// The values of `data-cifra` by which the module finds the line's amount and tags on the page.
    pub sum: String,
    pub tags_name: String,
    /// The amount of the line. A dash while one of its numbers is wrong.
    pub importe: String,
    /// Short labels for what is special about the line.
    pub tags: Vec<String>,
    /// Whether the folded part is open because it contains an error.
    pub is_open: bool,
    pub is_first: bool,
    pub is_last: bool,
}

/// Everything except the lines.
pub(super) struct Parts {
    pub urgencia: Select,
    pub provincia: Field,
    pub discount: Field,
    pub discount_kind: Select,
    pub discount_reason: Field,
    pub intro: Field,
    pub extra: Field,
    pub site: Field,
    pub nif: Field,
    pub address: Field,
    pub start: Field,
    pub duration: Field,
    pub condiciones: Field,
    pub days: Field,
    pub character: Select,
    pub vivienda: Select,
    pub contratante: Select,
    pub two_years: Select,
    /// The current inherited values of company and lead: name and text of each hidden field.
    pub usual: [(String, String); 5],
    pub new_kind: Select,
    pub new_m2: Field,
    pub new_calidad: Select,
    pub payments_mistake: Option<String>,
    pub wishes: Option<(Tick, String)>,
    /// The budget that the client stated.
    pub target: Option<(Tick, String)>,
}

impl Parts {
    /// Whether the client's tax number looks mistyped.
    pub fn nif_hint(&self) -> String {
        nif_hint(&self.nif.text).unwrap_or_default()
    }
}

pub(super) struct FotoView {
    pub src: String,
    pub alt: String,
    pub tick: Tick,
    pub place: Field,
}

/// Makes the fields. A typed value that could not be read is shown again as it was typed.
pub(super) struct Maker<'a> {
    pub typed: Option<&'a Typed>,
    pub mistakes: &'a Mistakes,
    pub sees_costs: bool,
}

impl Maker<'_> {
    fn field(&self, name: String, text: String) -> Field {
        let mistake = self.mistakes.of(&name).map(str::to_owned);
        let typed = mistake.as_ref().and_then(|_| self.typed?.prose(&name));
        Field { text: typed.unwrap_or(text), mistake, name }
    }

    fn select(&self, name: String, chosen: &str, choices: &'static [Choice]) -> Select {
        let mistake = self.mistakes.of(&name).map(str::to_owned);
        Select { name, chosen: chosen.to_owned(), choices, mistake }
    }

    /// A field that does not belong to the draft. It shows the typed text again while it has an error.
    fn loose(&self, name: &str) -> Field {
        self.field(name.to_owned(), String::new())
    }

    pub fn rooms(&self, draft: &Draft) -> Vec<RoomView> {
        let is_only = draft.rooms.len() == 1;
        draft.rooms.iter().map(|room| self.room(room, is_only)).collect()
    }

    fn room(&self, room: &Room, is_only: bool) -> RoomView {
        let name = |part: &str| of_room(room.id, part);
        let facts = &room.facts;
        let kind = Zona::assumed(facts.kind);
        let estructural = facts.estructural.map_or("", |yes| if yes { "si" } else { "no" });
        let nombre = room.nombre.clone().unwrap_or_default();
        RoomView {
            id: room.id,
            title: if nombre.is_empty() { kind.heading(kind).to_owned() } else { nombre.clone() },
            nombre: self.field(name("nombre"), nombre),
            kind: self.select(name("tipo"), facts.kind.map_or("", Zona::as_str), ZONAS),
            m2: self.field(name("m2"), area(facts.m2_suelo)),
            measured: Tick { name: name("medidos"), is_on: facts.m2_suelo.is_some() && !facts.estimated },
            calidad: self.select(name("calidad"), facts.calidad.map_or("", |c| c.as_str()), CALIDADES),
            estructural: self.select(name("estructural"), estructural, YES_NO),
            capitulos: room.capitulos.iter().enumerate().map(|(n, c)| self.capitulo(room.id, n, c)).collect(),
            adjustments: room
                .adjustments
                .iter()
                .enumerate()
                .map(|(n, a)| {
                    (a.concepto.clone(), self.field(of_adjustment(room.id, n), format_number(a.percentage.0)))
                })
                .collect(),
            table: self.loose(&format!("tabla.{}", room.id)),
            removed: room.removed().count(),
            is_only,
        }
    }

    fn capitulo(&self, room: u32, n: usize, capitulo: &DraftChapter) -> ChapterView {
        let last = capitulo.lines.len().saturating_sub(1);
        let line = |(n, line): (usize, &DraftLine)| LineView {
            is_first: n == 0,
            is_last: n == last,
            ..self.line(line)
        };
        let lines = capitulo.lines.iter();
        let total = lines.clone().filter(|line| !line.optional).map(|line| self.importe(line));
        let total = total.collect::<Option<Vec<Cents>>>().and_then(Cents::sum);
        ChapterView {
            n,
            nombre: self.field(of_capitulo(room, n), capitulo.nombre.clone()),
            lines: lines.enumerate().map(line).collect(),
            fold: fold_of(room, n, capitulo),
            title: format!("titulo.{}", of_capitulo(room, n)),
            sum: format!("suma.{}", of_capitulo(room, n)),
            total: money(total),
        }
    }

    /// The amount of a line. `None` while one of its numbers is wrong.
    fn importe(&self, line: &DraftLine) -> Option<Cents> {
        let is_good = |part: &str| self.mistakes.of(&of_line(&line.id, part)).is_none();
        let is_right = ["cantidad", "precio", "descuento"].into_iter().all(is_good);
        let before = line.precio.by_cantidad(line.cantidad).filter(|_| is_right)?;
        before.checked_sub(before.part(line.discount)?)
    }

    fn line(&self, line: &DraftLine) -> LineView {
        let is_open = Cell::new(false);
        let field = |part: &str, text: String| self.field(of_line(&line.id, part), text);
        let folded = |part: &str, text: String| {
            let made = field(part, text);
            is_open.set(is_open.get() || made.mistake.is_some());
            made
        };
        let percentage = |value: i64| if value == 0 { String::new() } else { format_number(value) };
        let detail = folded("detalle", line.detail.clone().unwrap_or_default());
        let coste = self
            .sees_costs
            .then(|| folded("coste", line.coste.map(|c| format_number(c.0)).unwrap_or_default()));
        let discount = folded("descuento", percentage(line.discount.0));
        let material = folded("material", percentage(line.material.0));
        LineView {
            id: line.id.clone(),
            concepto: field("concepto", line.concepto.clone()),
            cantidad: field("cantidad", format_number(line.cantidad.0)),
            unidad: self.select(of_line(&line.id, "unidad"), line.unidad.as_str(), UNIDADES),
            precio: field("precio", format_number(line.precio.0)),
            optional: Tick { name: of_line(&line.id, "opcional"), is_on: line.optional },
            sum: of_line(&line.id, "importe"),
            tags_name: of_line(&line.id, "marcas"),
            importe: money(self.importe(line)),
            tags: tags(line),
            is_open: is_open.get(),
            detail,
            coste,
            discount,
            material,
            is_first: false,
            is_last: false,
        }
    }

    pub fn parts(&self, draft: &Draft, record: &LeadRecord, base: Base<'_>) -> Parts {
        let named = |name: &str, text: &str| self.field(name.to_owned(), text.to_owned());
        let terms = &draft.terms;
        let term = |part: &str, text: &Option<String>| {
            self.field(format!("terminos.{part}"), text.clone().unwrap_or_default())
        };
        let (value, kind) = match draft.discount.as_ref().map(|d| d.value) {
            None => (String::new(), "porcentaje"),
            Some(DiscountValue::Percentage(p)) => (format_number(p.0), "porcentaje"),
            Some(DiscountValue::Amount(amount)) => (format_number(amount.0), "importe"),
        };
        let reason = draft.discount.as_ref().and_then(|d| d.reason.clone()).unwrap_or_default();
        let (tax, of_lead) = (draft.condiciones(base.condiciones), base.condiciones);
        let contratante = |who: Option<Contratante>| who.map_or("", Contratante::as_str);
        let wishes = record.lead.perfil.taste_text.clone().filter(|text| !text.trim().is_empty());
        Parts {
            urgencia: self.select(
                "obra.urgencia".to_owned(),
                draft.job.urgencia.map_or("", |u| u.as_str()),
                URGENCIAS,
            ),
            provincia: named("obra.provincia", draft.job.provincia.as_deref().unwrap_or_default()),
            discount: named("descuento.valor", &value),
            discount_kind: self.select("descuento.tipo".to_owned(), kind, DISCOUNTS),
            discount_reason: named("descuento.motivo", &reason),
            intro: term("introduccion", &terms.intro),
            extra: term("textoAdicional", &terms.extra),
            site: term("direccionObra", &terms.site),
            nif: term("nifCliente", &terms.nif),
            address: term("direccionCliente", &terms.address),
            start: term("inicio", &terms.start.map(|day| day.to_string())),
            duration: term("duracion", &terms.duration),
            condiciones: named("condiciones", &condiciones(draft, base.brand)),
            days: named("dias", &draft.valid_days.unwrap_or(base.brand.valid_days).to_string()),
            character: self.select(
                "caracter".to_owned(),
                draft.character.map_or("", Character::as_str),
                CHARACTERS,
            ),
            vivienda: self.select("iva.vivienda".to_owned(), Answer::as_str(tax.vivienda), ANSWERS),
            contratante: self.select(
                "iva.contratante".to_owned(),
                contratante(tax.contratante),
                CONTRATANTES,
            ),
            two_years: self.select("iva.dosAnos".to_owned(), Answer::as_str(tax.two_years), ANSWERS),
            usual: [
                ("condiciones", base.brand.condiciones().join("\n")),
                ("dias", base.brand.valid_days.to_string()),
                ("iva.vivienda", Answer::as_str(of_lead.vivienda).to_owned()),
                ("iva.contratante", contratante(of_lead.contratante).to_owned()),
                ("iva.dosAnos", Answer::as_str(of_lead.two_years).to_owned()),
            ]
            .map(|(name, text)| (usual_of(name), text)),
            new_kind: self.select("nueva.tipo".to_owned(), "", ZONAS),
            new_m2: self.loose("nueva.m2"),
            new_calidad: self.select("nueva.calidad".to_owned(), "media", CALIDADES),
            payments_mistake: self.mistakes.of("pagos").map(str::to_owned),
            wishes: wishes.map(|text| {
                (Tick { name: "gustos".to_owned(), is_on: !draft.notas.without_wishes }, short(&text))
            }),
            target: record.lead.perfil.presupuesto_target_cents.filter(|target| *target > 0).map(|target| {
                let text = format!(
                    "«Nos hablaste de un presupuesto de {}», si el total no lo supera",
                    Cents(target).short()
                );
                (Tick { name: "cifra".to_owned(), is_on: !draft.notas.without_target }, text)
            }),
        }
    }

    pub fn payments(&self, draft: &Draft) -> Vec<(usize, Field, Field)> {
        let view = |(n, payment): (usize, &embudo_domain::presupuesto::Payment)| {
            let percentage = self.field(of_payment(n, "porcentaje"), format_number(payment.percentage.0));
            (n, percentage, self.field(of_payment(n, "momento"), payment.moment.clone()))
        };
        draft.terms.payments.iter().enumerate().map(view).collect()
    }

    pub fn fotos(&self, draft: &Draft, record: &LeadRecord) -> Vec<FotoView> {
        let view = |(n, (foto, is_on)): (usize, (&embudo_domain::foto::Foto, bool))| {
            let zona = foto.zona.heading(foto.zona);
            let momento = match foto.momento {
                embudo_domain::ingesta::Momento::Before => "antes",
                embudo_domain::ingesta::Momento::After => "después",
            };
            FotoView {
                src: format!("/panel/leads/{}/fotos/{}?mini", record.lead.id, foto.id),
                alt: format!("{zona}, {momento}"),
                tick: Tick { name: format!("foto.{}", foto.id), is_on },
                place: self.field(format!("foto.{}.orden", foto.id), (n + 1).to_string()),
            }
        };
        draft.fotos.arranged(&record.fotos).into_iter().enumerate().map(view).collect()
    }
}

/// The items of the price table. The price of one unit depends on the room, so each room names the column with its
/// prices.
pub(super) struct Items {
    pub all: Vec<ItemView>,
    /// The column of each room.
    columns: Vec<(u32, usize)>,
}

pub(super) struct ItemView {
    pub key: String,
    pub concepto: String,
    pub capitulo: String,
    pub unidad: &'static str,
    /// Empty if the item does not exist in the room's quality.
    pub precios: Vec<String>,
}

impl Items {
    pub fn column(&self, room: &u32) -> usize {
        self.columns.iter().find(|(id, _)| id == room).map_or(0, |(_, column)| *column)
    }
}

impl ItemView {
    /// The text beside the item's name in the browser's own list of suggestions.
    pub fn label(&self) -> String {
        let prices: Vec<&str> = self.precios.iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
        format!("{} · {} · {} / {}", self.capitulo, self.key, prices.join(" o "), self.unidad)
    }
}

pub(super) fn items(draft: &Draft, record: &LeadRecord, tarifa: &Tarifa) -> Items {
    let mut prices: Vec<Vec<Option<Cents>>> = Vec::new();
    let mut columns = Vec::new();
    for room in &draft.rooms {
        let own = draft.unit_prices(room, &record.lead, tarifa);
        let column = prices.iter().position(|other| *other == own).unwrap_or(prices.len());
        if column == prices.len() {
            prices.push(own);
        }
        columns.push((room.id, column));
    }
    let view = |(n, partida): (usize, &Partida)| {
        let named = tarifa.capitulos().iter().find(|c| c.key == partida.capitulo);
        let price = |column: &Vec<Option<Cents>>| column[n].map(|p| p.to_string()).unwrap_or_default();
        ItemView {
            key: partida.key.clone(),
            concepto: partida.concepto.clone(),
            capitulo: named.map_or(partida.capitulo.clone(), |c| c.nombre.clone()),
            unidad: partida.unidad.symbol(),
            precios: prices.iter().map(price).collect(),
        }
    };
    let all = tarifa.partidas().iter().enumerate().map(view).collect();
    Items { all, columns }
}

pub(super) fn notas(draft: &Draft, record: &LeadRecord, brand: &Brand) -> Vec<(Tick, String)> {
    let view = |nota: &embudo_domain::nota::Nota| {
        let is_on = draft.prints(nota, &record.lead, brand);
        (Tick { name: format!("nota.{}", nota.id), is_on }, short(&nota.text))
    };
    record.notas.iter().map(view).collect()
}

/// A key for the chapter that stays the same after a save: the key and zona of a chapter of the price table, or the
/// position of a chapter that a person added.
fn fold_of(room: u32, n: usize, capitulo: &DraftChapter) -> String {
    let zona = capitulo.zona.map_or("", Zona::as_str);
    match &capitulo.key {
        Some(key) => format!("{room}.{zona}.{key}"),
        None => format!("{room}.{n}"),
    }
}

fn money(amount: Option<Cents>) -> String {
    amount.map_or_else(|| "–".to_owned(), |amount| amount.to_string())
}

fn condiciones(draft: &Draft, brand: &Brand) -> String {
    draft.condiciones.clone().unwrap_or_else(|| brand.condiciones()).join("\n")
}

fn tags(line: &DraftLine) -> Vec<String> {
    let mut tags = Vec::new();
    if line.optional {
        tags.push("opcional".to_owned());
    }
    if line.discount.0 != 0 {
        tags.push(format!("−{}", line.discount));
    }
    match &line.table {
        None => tags.push("libre".to_owned()),
        Some(table) if *table != line.values() => tags.push("cambiada".to_owned()),
        Some(_) => {}
    }
    tags
}

/// The beginning of a text, long enough to recognise it.
fn short(text: &str) -> String {
    const MOST: usize = 240;
    let mut cut: String = text.chars().take(MOST).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}
