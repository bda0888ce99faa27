//! Reads a JSON body guided by its table of fields, without failing at the first mistake.
//!
//! Only what the table names is kept; everything else is read past (and still checked to be well-formed), so a body
//! of millions of unknown values costs no memory. Strings are borrowed from the body where JSON allows it. Of duplicate
//! keys the last wins. This module knows JSON only: whether a value fits its field is `cuerpo`'s business.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::cuerpo::{Lista, Listas};
use crate::errores::Invalido;
use crate::esquema::{Campo, Tipo};

/// Levels of nesting that a body may have (contract §1). serde_json stops there by itself; a raw value needs the count.
const MAX_NIVELES: usize = 127;

/// A value as it stood in the body.
#[derive(Debug)]
pub(crate) enum Valor<'a> {
    Nulo,
    Bool(bool),
    Numero(f64),
    Texto(Cow<'a, str>),
    /// An object read by its table.
    Objeto(Leidos<'a>),
    /// The text of an object of any shape.
    Libre(&'a str),
    /// Pairs of an object whose values should be strings; `None` marks one that is not.
    Mapa(Vec<(String, Option<String>)>),
    /// A list whose elements were checked while reading.
    Lista(Lista, Invalido),
    /// Well-formed, but of a kind that this field does not take.
    OtroTipo,
    /// Holds U+0000 somewhere.
    ConCaracterNulo,
}

/// The fields of one object: a slot per entry of its table.
#[derive(Debug)]
pub(crate) struct Leidos<'a> {
    pub campos: &'static [Campo],
    pub valores: Vec<Option<Valor<'a>>>,
    /// A key or value outside the table holds U+0000.
    pub caracter_nulo_fuera: bool,
}

/// Reads a whole body.
pub(crate) fn read<'a>(bytes: &'a [u8], campos: &'static [Campo]) -> Result<Leidos<'a>, Invalido> {
    let sin_bom = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut lector = serde_json::Deserializer::from_slice(sin_bom);
    let valor = Lector::Objeto(campos).deserialize(&mut lector).and_then(|v| lector.end().map(|()| v));
    match valor {
        Ok(Valor::Objeto(leidos)) => Ok(leidos),
        Ok(_) => Err(Invalido::uno("", "tipo", "El cuerpo debe ser un objeto JSON: { … }.")),
        Err(_) if sin_bom.is_empty() => {
            Err(Invalido::uno("", "json", "El cuerpo está vacío: envía un objeto JSON."))
        }
        Err(e) => Err(Invalido::uno(
            "",
            "json",
            format!("El cuerpo no es JSON válido: revisa la línea {}, columna {}.", e.line(), e.column()),
        )),
    }
}

/// What is expected at the place where the reader stands.
#[derive(Clone, Copy)]
pub(crate) enum Lector {
    /// Anything; structures are only named, not kept.
    Escalar,
    /// An object with these fields.
    Objeto(&'static [Campo]),
    /// An object of strings.
    Mapa,
    /// A list whose elements are objects with these fields.
    Lista(&'static Listas),
}

impl Lector {
    fn para(tipo: Tipo) -> Self {
        match tipo {
            Tipo::Items => Self::Lista(&crate::ingesta::ITEMS),
            Tipo::Consentimientos => Self::Lista(&crate::consentimiento::CONSENTIMIENTOS),
            Tipo::MapaDeTextos => Self::Mapa,
            _ => Self::Escalar,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Lector {
    type Value = Valor<'de>;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Valor<'de>, D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Lector {
    type Value = Valor<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Valor::Nulo)
    }

    fn visit_bool<E>(self, v: bool) -> Result<Self::Value, E> {
        Ok(Valor::Bool(v))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Self::Value, E> {
        Ok(Valor::Numero(v as f64))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Self::Value, E> {
        Ok(Valor::Numero(v as f64))
    }

    fn visit_f64<E>(self, v: f64) -> Result<Self::Value, E> {
        Ok(Valor::Numero(v))
    }

    /// A borrowed string had no escapes, so it cannot hold U+0000.
    fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
        Ok(Valor::Texto(Cow::Borrowed(v)))
    }

    fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
        if v.contains('\0') {
            return Ok(Valor::ConCaracterNulo);
        }
        Ok(Valor::Texto(Cow::Owned(v.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let Self::Lista(que) = self else {
            return Vigilante::RAIZ.visit_seq(seq).map(visto);
        };
        let mut lista = (que.vacia)();
        let mut mal = Invalido::default();
        let mut n = 0_usize;
        while let Some(elemento) = seq.next_element_seed(Lector::Objeto(que.campos))? {
            lista.read_element(n, elemento, &mut mal);
            n += 1;
        }
        Ok(Valor::Lista(lista, mal))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        match self {
            Self::Objeto(campos) => read_object(map, campos).map(Valor::Objeto),
            Self::Mapa => read_map(map),
            _ => Vigilante::RAIZ.visit_map(map).map(visto),
        }
    }
}

fn read_object<'de, A: MapAccess<'de>>(
    mut map: A,
    campos: &'static [Campo],
) -> Result<Leidos<'de>, A::Error> {
    let mut leidos =
        Leidos { campos, valores: campos.iter().map(|_| None).collect(), caracter_nulo_fuera: false };
    while let Some(clave) = map.next_key_seed(Clave)? {
        match campos.iter().position(|c| c.nombre == clave) {
            Some(n) if matches!(campos[n].tipo, Tipo::ObjetoLibre) => {
                leidos.valores[n] = Some(libre(map.next_value::<&RawValue>()?.get())?);
            }
            Some(n) => leidos.valores[n] = Some(map.next_value_seed(Lector::para(campos[n].tipo))?),
            None => {
                let en_valor = map.next_value_seed(Vigilante::RAIZ)?;
                leidos.caracter_nulo_fuera |= en_valor || clave.contains('\0');
            }
        }
    }
    Ok(leidos)
}

fn read_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<Valor<'de>, A::Error> {
    // Where each key stands, because a caller may send as many keys as fit into a body. One that comes again leaves a gap
    // where it stood before.
    let mut pares: Vec<Option<(String, Option<String>)>> = Vec::new();
    let mut donde: HashMap<Cow<'de, str>, usize> = HashMap::new();
    let mut nulo = false;
    while let Some(clave) = map.next_key_seed(Clave)? {
        let valor = match map.next_value_seed(Lector::Escalar)? {
            Valor::Texto(t) => Some(t.into_owned()),
            Valor::ConCaracterNulo => {
                nulo = true;
                None
            }
            _ => None,
        };
        nulo |= clave.contains('\0');
        pares.push(Some((clave.clone().into_owned(), valor)));
        if let Some(antes) = donde.insert(clave, pares.len() - 1) {
            pares[antes] = None;
        }
    }
    Ok(if nulo { Valor::ConCaracterNulo } else { Valor::Mapa(pares.into_iter().flatten().collect()) })
}

/// Reading past a value raw skips the checks on nesting and lone surrogates, so it is read once more.
fn libre<'a, E: serde::de::Error>(texto: &'a str) -> Result<Valor<'a>, E> {
    if !texto.starts_with('{') {
        return Ok(if texto == "null" { Valor::Nulo } else { Valor::OtroTipo });
    }
    let mut lector = serde_json::Deserializer::from_str(texto);
    let nulo = Vigilante { niveles: MAX_NIVELES - 1 }.deserialize(&mut lector).map_err(E::custom)?;
    Ok(if nulo { Valor::ConCaracterNulo } else { Valor::Libre(texto) })
}

fn visto<'a>(nulo: bool) -> Valor<'a> {
    if nulo { Valor::ConCaracterNulo } else { Valor::OtroTipo }
}

/// Reads an object's key, borrowed where it has no escapes.
struct Clave;

impl<'de> DeserializeSeed<'de> for Clave {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Clave {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(v))
    }

    fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(v.to_owned()))
    }
}

/// Reads past a value and tells whether it holds U+0000 anywhere.
#[derive(Clone, Copy)]
struct Vigilante {
    /// Levels that may still be opened.
    niveles: usize,
}

impl Vigilante {
    /// serde_json itself counts the levels of the document being read.
    const RAIZ: Self = Self { niveles: MAX_NIVELES + 1 };

    fn bajar<E: serde::de::Error>(self) -> Result<Self, E> {
        let niveles = self.niveles.checked_sub(1).ok_or_else(|| E::custom("too many levels"))?;
        Ok(Self { niveles })
    }
}

impl<'de> DeserializeSeed<'de> for Vigilante {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<bool, D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Vigilante {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_borrowed_str<E>(self, _: &'de str) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_str<E>(self, v: &str) -> Result<bool, E> {
        Ok(v.contains('\0'))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<bool, A::Error> {
        let dentro = self.bajar()?;
        let mut nulo = false;
        while let Some(n) = seq.next_element_seed(dentro)? {
            nulo |= n;
        }
        Ok(nulo)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        let dentro = self.bajar()?;
        let mut nulo = false;
        while let Some(clave) = map.next_key_seed(Clave)? {
            nulo |= clave.contains('\0');
            nulo |= map.next_value_seed(dentro)?;
        }
        Ok(nulo)
    }
}
