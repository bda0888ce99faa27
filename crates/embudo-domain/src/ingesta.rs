//! The body of an ingestion (contract §2.1): photos, notes and two flags. A call is applied completely or not at all.

use crate::Zona;
use crate::body::{Body, Data, Element, all_right, list_of};
use crate::errors::Invalid;
use crate::image::Image;
use crate::json::{ListKind, ParsedValues, Value};
use crate::schema::{Field, Kind};

enumeration! {
    /// Whether a photo shows the place before or after the work.
    Momento { Before = "antes", After = "despues" }
}

labels! {
    Momento { Before => "Antes", After => "Después" }
}

/// One ingestion call.
#[derive(Debug, Clone, PartialEq)]
pub struct Ingesta {
    /// Photos and notes, in the order sent.
    pub items: Vec<Item>,
    /// Whether to send the profile signal.
    pub perfil_completo: bool,
    /// Whether to price, draw and deliver the quote.
    pub finalizar: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    Foto(FotoItem),
    Text(TextItem),
}

/// A photo as sent; zone and number may still have to be decided.
#[derive(Debug, Clone, PartialEq)]
pub struct FotoItem {
    pub image: Image,
    pub zona: Option<Zona>,
    pub momento: Momento,
    pub orden: Option<f64>,
}

/// A note as sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextItem {
    pub text: String,
    pub zona: Option<Zona>,
}

const KIND: Field =
    Field::required("tipo", Kind::One(&["foto", "texto"]), "Qué es: foto o texto.", r#""foto""#);
const ZONA: Field = Field::optional(
    "zona",
    Kind::One(Zona::WORDS),
    "Zona. Si falta, se toma el tipo de reforma del lead; si tampoco se conoce, otro.",
    r#""cocina""#,
);

/// The fields of a photo item.
pub const FOTO_FIELDS: &[Field] = &[
    Field::required("tipo", Kind::One(&["foto"]), "Siempre foto.", r#""foto""#),
    Field::required(
        "imagen",
        Kind::Image,
        "Data URI «data:image/…;base64,…» o URL http(s). Se guarda tal como llega.",
        r#""https://ejemplo.es/cocina.jpg""#,
    ),
    ZONA,
    Field::optional(
        "momento",
        Kind::One(Momento::WORDS),
        "Antes o después; por defecto antes.",
        r#""antes""#,
    ),
    Field::optional("orden", Kind::Orden, "Posición. Si falta, sigue al máximo del lead.", "1"),
];

pub const TEXT_FIELDS: &[Field] = &[
    Field::required("tipo", Kind::One(&["texto"]), "Siempre texto.", r#""texto""#),
    Field::required("texto", Kind::NonEmptyText, "La nota.", r#""Quiero isla central""#),
    ZONA,
];

/// An item is read before its `tipo` is known, so it is read with the fields of both kinds.
const ITEM_FIELDS: &[Field] =
    &[KIND, FOTO_FIELDS[1], FOTO_FIELDS[2], FOTO_FIELDS[3], FOTO_FIELDS[4], TEXT_FIELDS[1]];

impl Element for Item {
    const FIELD_TABLE: &'static [Field] = ITEM_FIELDS;

    /// Checks one item by the fields of its kind. The fields of the other kind count as unknown keys.
    fn read(parsed: ParsedValues<'_>, base: &str, wrong: &mut Invalid) -> Option<Self> {
        let fields = match parsed.values.first() {
            Some(Some(Value::Text(t))) if t == "foto" => FOTO_FIELDS,
            Some(Some(Value::Text(t))) if t == "texto" => TEXT_FIELDS,
            _ => &[KIND],
        };
        let mut d = all_right(only(parsed, fields), base, wrong)?;
        Some(match d.text("tipo").as_deref() {
            Some("foto") => Self::Foto(FotoItem {
                image: d.image("imagen").expect("required"),
                zona: d.word("zona", Zona::parse),
                momento: d.word("momento", Momento::parse).unwrap_or(Momento::Before),
                orden: d.number("orden"),
            }),
            _ => Self::Text(TextItem {
                text: d.text("texto").expect("required"),
                zona: d.word("zona", Zona::parse),
            }),
        })
    }
}

/// The same object, reduced to the fields of a narrower table.
fn only<'a>(parsed: ParsedValues<'a>, fields: &'static [Field]) -> ParsedValues<'a> {
    let mut all: Vec<_> = parsed.fields.iter().map(|c| c.nombre).zip(parsed.values).collect();
    let values = fields.iter().map(|c| {
        let (_, value) = all.iter_mut().find(|(nombre, _)| *nombre == c.nombre)?;
        value.take()
    });
    let values = values.collect();
    let outside = all.iter().any(|(_, v)| matches!(v, Some(Value::WithNullChar)));
    ParsedValues { fields, values, has_null_char: parsed.has_null_char || outside }
}

impl Body for Ingesta {
    const LISTS: &'static [ListKind] = &[list_of::<Item>("items")];

    const FIELD_TABLE: &'static [Field] = &[
        Field::optional(
            "items",
            Kind::Items,
            "Fotos y notas; por defecto, ninguna.",
            r#"[{"tipo":"foto","imagen":"https://ejemplo.es/cocina.jpg","zona":"cocina"},{"tipo":"texto","texto":"Quiero isla central"}]"#,
        ),
        Field::optional(
            "perfilCompleto",
            Kind::Boolean,
            "Si es true, avisa de que el perfil está completo.",
            "false",
        ),
        Field::optional("finalizar", Kind::Boolean, "Si es true, hace el presupuesto y lo entrega.", "false"),
    ];

    /// A flag counts as present only when `true`, so `{"finalizar": false}` alone is the empty call.
    fn rules(d: &Data, wrong: &mut Invalid) {
        if d.elements("items") == 0 && !d.is_true("perfilCompleto") && !d.is_true("finalizar") {
            wrong.note_down(
                "",
                "cuerpo_vacio",
                "Envía al menos un elemento en items, o perfilCompleto o finalizar a true.",
            );
        }
    }

    fn is_repeatable(&self) -> bool {
        self.finalizar
    }

    fn assemble(mut d: Data) -> Self {
        Self {
            items: d.list("items"),
            perfil_completo: d.boolean("perfilCompleto").unwrap_or(false),
            finalizar: d.boolean("finalizar").unwrap_or(false),
        }
    }
}
