//! The fields of an item in the editor of prices.

use embudo_domain::decimal;
use embudo_domain::perfil::Calidad;
use embudo_domain::tarifa::{Partida, Tarifa};

use super::{edits, is_shipped};
use crate::panel::form_state::FormState;
use crate::panel::kit::choices::CALIDADES;
use crate::parts::FormFields;

pub(super) struct Item {
    pub key: String,
    /// The name of the item's chapter, if the page shows several chapters.
    pub chapter: Option<String>,
    /// Whether the company added the item, and so may withdraw it.
    pub is_made: bool,
    /// The name of the values in its boxes, for a screen reader.
    pub spoken: String,
    pub concepto: Field,
    pub unidad: Field,
    pub symbol: &'static str,
    pub qualities: Vec<Quality>,
    /// Whether the folded part is open, because it contains something to see.
    pub is_open: bool,
}

pub(super) struct Quality {
    pub name: &'static str,
    /// The price or the cost, the share of materials, and the description.
    pub fields: Option<[Field; 3]>,
    /// The placeholder of an empty box.
    pub placeholder: String,
    /// The cost if the boxes contain prices, and the price if they contain costs.
    pub beside: String,
}

/// One field: its name, its label, and its text.
pub(super) struct Field {
    pub name: String,
    pub label: String,
    pub value: String,
}

/// Fills the fields with the values of the table, or with a typed value that is wrong.
pub(super) struct Fill<'a> {
    pub form: &'a FormState,
    pub typed: &'a FormFields,
    pub table: &'a Tarifa,
    /// Whether the items show the name of their chapter.
    pub names_chapters: bool,
    pub shows_costs: bool,
}

impl Fill<'_> {
    pub fn field(&self, name: String, label: &str, value: String) -> Field {
        let value = if self.form.of(&name).is_some() { self.typed.text(&name) } else { value };
        Field { name, label: label.to_owned(), value }
    }

    pub fn item(&self, p: &Partida) -> Item {
        let value = |kind: &str, code: &str| edits::item_field(p, kind, code);
        let (main, word) = if self.shows_costs { ("coste", "Coste") } else { ("precio", "Precio") };
        let quality = |(code, name): &(&'static str, &'static str)| {
            let (coste, precio) = self.known(p, code);
            Quality {
                name,
                fields: value(main, code).map(|now| {
                    let label = |what: &str| format!("{what}, {}", name.to_lowercase());
                    let other = |kind: &str, what: &str| {
                        let now = value(kind, code).unwrap_or_default();
                        self.field(format!("{kind}.{}.{code}", p.key), &label(what), now)
                    };
                    [
                        self.field(format!("{main}.{}.{code}", p.key), &label(word), now),
                        other("material", "Materiales en %"),
                        other("detalle", "Qué incluye"),
                    ]
                }),
                placeholder: if self.shows_costs { coste.clone() } else { String::new() },
                beside: match (self.shows_costs, coste.is_empty()) {
                    (true, _) => format!("precio {precio}"),
                    (false, true) => String::new(),
                    (false, false) => format!("coste {coste}"),
                },
            }
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
        let chapter = self.table.capitulos().iter().find(|c| c.key == p.capitulo && self.names_chapters);
        Item {
            key: p.key.clone(),
            chapter: chapter.map(|c| c.nombre.clone()),
            is_made: !is_shipped(&p.key),
            spoken: format!("{} de {}", word.to_lowercase(), p.key),
            symbol: p.unidad.symbol(),
            concepto,
            unidad,
            qualities,
            is_open,
        }
    }

    /// The cost and the price in one quality. The cost is the item's own, or else the percentage of its chapter.
    /// Unknown values are empty.
    fn known(&self, p: &Partida, code: &str) -> (String, String) {
        let Some(price) = Calidad::parse(code).and_then(|calidad| p.precio(calidad)) else {
            return (String::new(), String::new());
        };
        let coste = self.table.coste(p, price, price.precio).map(|c| decimal::in_spanish(c.0, 2));
        (coste.unwrap_or_default(), decimal::in_spanish(price.precio.0, 2))
    }
}
