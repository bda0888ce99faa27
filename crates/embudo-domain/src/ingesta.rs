//! The body of an ingestion (contract §2.1): photos, notes and two flags, all of one call or none of it.

use crate::Zona;
use crate::cuerpo::{Cuerpo, Datos, Lista, Listas, revisar};
use crate::errores::Invalido;
use crate::esquema::{Campo, Tipo};
use crate::imagen::Imagen;
use crate::json::{Leidos, Valor};

enumeracion! {
    /// Whether a photo shows the place before or after the work.
    Momento { Antes = "antes", Despues = "despues" }
}

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub struct Ingesta {
    /// Photos and notes, in the order sent.
    pub items: Vec<Item>,
    /// Fire the profile signal.
    pub perfil_completo: bool,
    /// Build and deliver the quote.
    pub finalizar: bool,
}

/// One item.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A photo.
    Foto(FotoItem),
    /// A text note.
    Texto(TextoItem),
}

/// A photo as sent; zone and number may still have to be decided.
#[derive(Debug, Clone, PartialEq)]
pub struct FotoItem {
    /// The picture.
    pub imagen: Imagen,
    /// The zone, if named.
    pub zona: Option<Zona>,
    /// Before or after.
    pub momento: Momento,
    /// Its number, if given.
    pub orden: Option<f64>,
}

/// A note as sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextoItem {
    /// The text.
    pub texto: String,
    /// The zone, if named.
    pub zona: Option<Zona>,
}

const TIPO: Campo =
    Campo::requerido("tipo", Tipo::Uno(&["foto", "texto"]), "Qué es: foto o texto.", r#""foto""#);
const ZONA: Campo = Campo::opcional(
    "zona",
    Tipo::Uno(Zona::PALABRAS),
    "Zona. Si falta, se toma el tipo de reforma del lead; si tampoco se conoce, otro.",
    r#""cocina""#,
);

/// The fields of a photo item.
pub const CAMPOS_FOTO: &[Campo] = &[
    Campo::requerido("tipo", Tipo::Uno(&["foto"]), "Siempre foto.", r#""foto""#),
    Campo::requerido(
        "imagen",
        Tipo::Imagen,
        "Data URI «data:image/…;base64,…» o URL http(s). Se guarda tal como llega.",
        r#""https://ejemplo.es/cocina.jpg""#,
    ),
    ZONA,
    Campo::opcional(
        "momento",
        Tipo::Uno(Momento::PALABRAS),
        "Antes o después; por defecto antes.",
        r#""antes""#,
    ),
    Campo::opcional("orden", Tipo::Orden, "Posición. Si falta, sigue al máximo del lead.", "1"),
];

/// The fields of a text item.
pub const CAMPOS_TEXTO: &[Campo] = &[
    Campo::requerido("tipo", Tipo::Uno(&["texto"]), "Siempre texto.", r#""texto""#),
    Campo::requerido("texto", Tipo::TextoNoVacio, "La nota.", r#""Quiero isla central""#),
    ZONA,
];

/// An item is read before its `tipo` may be known, so by the fields of both kinds.
const CAMPOS_ITEM: &[Campo] =
    &[TIPO, CAMPOS_FOTO[1], CAMPOS_FOTO[2], CAMPOS_FOTO[3], CAMPOS_FOTO[4], CAMPOS_TEXTO[1]];

pub(crate) static ITEMS: Listas = Listas { campos: CAMPOS_ITEM, vacia: || Lista::Items(Vec::new()) };

impl Item {
    /// Checks one item by the fields of its kind; the other kind's fields are unknown keys to it.
    pub(crate) fn read(leidos: Leidos<'_>, base: &str, mal: &mut Invalido) -> Option<Self> {
        let campos = match leidos.valores.first() {
            Some(Some(Valor::Texto(t))) if t == "foto" => CAMPOS_FOTO,
            Some(Some(Valor::Texto(t))) if t == "texto" => CAMPOS_TEXTO,
            _ => &[TIPO],
        };
        let antes = mal.errores.len();
        let mut d = revisar(solo(leidos, campos), base, mal);
        if mal.errores.len() > antes || mal.errores.len() >= crate::errores::MAX_ERRORES {
            return None;
        }
        Some(match d.texto("tipo").as_deref() {
            Some("foto") => Self::Foto(FotoItem {
                imagen: d.imagen("imagen").expect("required"),
                zona: d.palabra("zona", Zona::parse),
                momento: d.palabra("momento", Momento::parse).unwrap_or(Momento::Antes),
                orden: d.numero("orden"),
            }),
            _ => Self::Texto(TextoItem {
                texto: d.texto("texto").expect("required"),
                zona: d.palabra("zona", Zona::parse),
            }),
        })
    }
}

/// The same object seen through a narrower table.
fn solo<'a>(leidos: Leidos<'a>, campos: &'static [Campo]) -> Leidos<'a> {
    let mut todos: Vec<_> = leidos.campos.iter().map(|c| c.nombre).zip(leidos.valores).collect();
    let valores = campos.iter().map(|c| {
        let (_, valor) = todos.iter_mut().find(|(nombre, _)| *nombre == c.nombre)?;
        valor.take()
    });
    let valores = valores.collect();
    let fuera = todos.iter().any(|(_, v)| matches!(v, Some(Valor::ConCaracterNulo)));
    Leidos { campos, valores, caracter_nulo_fuera: leidos.caracter_nulo_fuera || fuera }
}

impl Cuerpo for Ingesta {
    const CAMPOS: &'static [Campo] = &[
        Campo::opcional(
            "items",
            Tipo::Items,
            "Fotos y notas; por defecto, ninguna.",
            r#"[{"tipo":"foto","imagen":"https://ejemplo.es/cocina.jpg","zona":"cocina"},{"tipo":"texto","texto":"Quiero isla central"}]"#,
        ),
        Campo::opcional(
            "perfilCompleto",
            Tipo::Booleano,
            "Si es true, avisa de que el perfil está completo.",
            "false",
        ),
        Campo::opcional(
            "finalizar",
            Tipo::Booleano,
            "Si es true, hace el presupuesto y lo entrega.",
            "false",
        ),
    ];

    /// A flag counts as present only when `true`, so `{"finalizar": false}` alone is the empty call.
    fn reglas(d: &Datos, mal: &mut Invalido) {
        if d.elementos("items") == 0 && !d.es_cierto("perfilCompleto") && !d.es_cierto("finalizar") {
            mal.anotar(
                "",
                "cuerpo_vacio",
                "Envía al menos un elemento en items, o perfilCompleto o finalizar a true.",
            );
        }
    }

    fn es_repetible(&self) -> bool {
        self.finalizar
    }

    fn armar(mut d: Datos) -> Self {
        Self {
            items: d.items("items"),
            perfil_completo: d.booleano("perfilCompleto").unwrap_or(false),
            finalizar: d.booleano("finalizar").unwrap_or(false),
        }
    }
}
