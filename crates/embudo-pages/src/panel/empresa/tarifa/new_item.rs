//! A new item for the next version: its fields, and how they become a change.

use embudo_domain::Zona;
use embudo_domain::decimal::{self, Percentage};
use embudo_domain::money::Cents;
use embudo_domain::search::fold;
use embudo_domain::tarifa::{PartidaPrice, Rule, Tarifa, TarifaEdit, Unidad};

use super::edits::{self, new_item};
use crate::panel::form_state::FormState;
use crate::panel::kit::choices::{CALIDADES, Choice, ZONAS};
use crate::parts::FormFields;

/// The maximum length of a key that is made from a name.
const MAX_KEY: usize = 40;
const NO_NUMBER: &str = "Escribe un número, como 12,5.";

/// The data of `panel/empresa/tarifa/new_item.html`: the text of its fields.
#[derive(Default)]
pub(super) struct NewItem {
    pub concepto: String,
    pub key: String,
    pub capitulo: String,
    pub unidad: String,
    pub cantidad: String,
    pub material: String,
    /// Code, name, price and cost of each quality.
    pub prices: Vec<Price>,
    /// Code, name, and whether it is ticked.
    pub kinds: Vec<(&'static str, &'static str, bool)>,
    /// Whether the form for a new item is unfolded, because it is being filled in.
    pub is_open: bool,
}

pub(super) struct Price {
    pub name: &'static str,
    pub precio: (String, String),
    pub coste: (String, String),
}

impl NewItem {
    /// The fields as they were typed, or empty.
    pub fn shown(typed: Option<&FormFields>, chapter: &str) -> Self {
        let text = |name: &str| typed.map(|typed| typed.text(name)).unwrap_or_default();
        let or = |name: &str, usual: &str| if typed.is_some() { text(name) } else { usual.to_owned() };
        let field = |name: String| (name.clone(), text(&name));
        let price = |(code, name): &Choice| Price {
            name,
            precio: field(format!("nueva.{code}.precio")),
            coste: field(format!("nueva.{code}.coste")),
        };
        let is_ticked = |code: &str| typed.is_some_and(|typed| chosen(typed).any(|kind| kind == code));
        Self {
            concepto: text("nueva.concepto"),
            key: text("nueva.clave"),
            capitulo: or("nueva.capitulo", chapter),
            unidad: or("nueva.unidad", "ud"),
            cantidad: or("nueva.cantidad", "1"),
            material: or("nueva.material", "0"),
            prices: CALIDADES.iter().map(price).collect(),
            kinds: ZONAS.iter().map(|(code, name)| (*code, *name, is_ticked(code))).collect(),
            is_open: typed.is_some(),
        }
    }
}

fn chosen(fields: &FormFields) -> impl Iterator<Item = &str> {
    fields.0.iter().filter(|(name, _)| name == "nueva.tipo").map(|(_, value)| value.as_str())
}

/// Adds the typed item. A value that cannot be used becomes an error of its field. Returns the key of the new item.
pub(super) fn add(
    table: &mut Tarifa,
    list: &mut Vec<TarifaEdit>,
    fields: &FormFields,
    form: &mut FormState,
) -> Option<String> {
    let concepto = fields.text("nueva.concepto").replace('\n', " ");
    let key = match fields.text("nueva.clave") {
        typed if typed.is_empty() => free_key(table, &concepto),
        typed => typed,
    };
    let unidad = Unidad::parse(fields.raw("nueva.unidad"));
    if unidad.is_none() {
        form.add("nueva.unidad", "Elige una unidad.");
    }
    let cantidad = Rule::parse(&fields.text("nueva.cantidad"));
    if cantidad.is_none() {
        form.add("nueva.cantidad", Rule::HELP);
    }
    let mut number = |name: &str| match fields.text(name) {
        text if text.is_empty() => None,
        text => {
            let read = decimal::from_spanish(&text, 2);
            if read.is_none() {
                form.add(name.to_owned(), NO_NUMBER);
            }
            read
        }
    };
    let material = Percentage(number("nueva.material").unwrap_or(0));
    let numbers = CALIDADES
        .iter()
        .map(|(code, _)| [number(&format!("nueva.{code}.precio")), number(&format!("nueva.{code}.coste"))]);
    let prices: Vec<Option<PartidaPrice>> = numbers
        .map(|[precio, coste]| {
            let coste = coste.map(Cents);
            precio.map(|precio| PartidaPrice { precio: Cents(precio), material, coste, detail: None })
        })
        .collect();
    for (price, (code, _)) in prices.iter().zip(CALIDADES) {
        let coste = format!("nueva.{code}.coste");
        if price.is_none()
            && !fields.text(&coste).is_empty()
            && form.of(&format!("nueva.{code}.precio")).is_none()
        {
            form.add(coste, "Pon también el precio de esa calidad.");
        }
    }
    let [basica, media, premium] = <[Option<PartidaPrice>; 3]>::try_from(prices).ok()?;
    let (unidad, cantidad) = (unidad.unwrap_or(Unidad::Ud), cantidad.or_else(|| Rule::parse("1"))?);
    let mut item = new_item(&key, fields.raw("nueva.capitulo"), &concepto, unidad, cantidad);
    item.precios = [basica, media, premium];
    item.kinds = ZONAS
        .iter()
        .filter(|(code, _)| chosen(fields).any(|kind| kind == *code))
        .filter_map(|(code, _)| Zona::parse(code))
        .collect();
    for (field, text) in table.wrong_with(&item) {
        let name = match field.as_str() {
            "" => String::new(),
            // All qualities share one field for the share of materials.
            share if share.ends_with(".material") => "nueva.material".to_owned(),
            field => format!("nueva.{field}"),
        };
        // A price that cannot be read is reported as such, and not also as missing.
        let is_told = form.of(&name).is_some() || (field == "media.precio" && has_unread_price(fields));
        if !is_told {
            form.add(name, text);
        }
    }
    if form.is_good() {
        edits::push(table, list, TarifaEdit::Add(Box::new(item)), "nueva.clave", form);
    }
    form.is_good().then_some(key)
}

fn has_unread_price(fields: &FormFields) -> bool {
    let texts = CALIDADES.iter().map(|(code, _)| fields.text(&format!("nueva.{code}.precio")));
    texts.into_iter().any(|text| !text.is_empty() && decimal::from_spanish(&text, 2).is_none())
}

/// An unused key, made from a name: «Toallero eléctrico» becomes `toallero-electrico`.
fn free_key(table: &Tarifa, concepto: &str) -> String {
    let folded = fold(concepto);
    let words = folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut key = String::new();
    for word in words {
        if key.len() + word.len() >= MAX_KEY {
            break;
        }
        if !key.is_empty() {
            key.push('-');
        }
        key.push_str(word);
    }
    if key.is_empty() {
        "partida".clone_into(&mut key);
    }
    let is_taken = |key: &str| table.partidas().iter().any(|p| p.key == key);
    let numbered = (2..).map(|n| format!("{key}-{n}"));
    std::iter::once(key.clone()).chain(numbered).find(|key| !is_taken(key)).unwrap_or(key)
}
