//! From a body's bytes to a type of the business, or to the list of everything that is wrong with it.

use jiff::Timestamp;

use crate::consentimiento::Consentimiento;
use crate::contacto::{Email, Telefono};
use crate::errores::{Invalido, MAX_ERRORES};
use crate::esquema::{Campo, MAX_ENTERO, Tipo};
use crate::imagen::Imagen;
use crate::ingesta::Item;
use crate::json::{self, Leidos, Valor};
use crate::orden::MAX_ORDEN;
use crate::{fecha, ids};

/// A request body: its table of fields, and how its type is built once every field is right.
pub trait Cuerpo: Sized {
    /// The fields, in the order of the specification.
    const CAMPOS: &'static [Campo];

    /// Whether no body at all stands for an object without fields.
    const PUEDE_FALTAR: bool = false;

    /// Rules across fields (for example "at least one"); `presentes` tells which fields were sent.
    fn reglas(_: &Datos, _: &mut Invalido) {}

    /// Whether the same bytes again, without a key, may be the same call (contract §2.6).
    fn es_repetible(&self) -> bool {
        false
    }

    /// Builds the value. Every field has passed its check, and the required ones are there.
    fn armar(datos: Datos) -> Self;

    /// Reads a body: JSON, then each field, then the rules across fields.
    fn read(bytes: &[u8]) -> Result<Self, Invalido> {
        let bytes = if Self::PUEDE_FALTAR && bytes.is_empty() { b"{}" } else { bytes };
        let mut mal = Invalido::default();
        let datos = revisar(json::read(bytes, Self::CAMPOS)?, "", &mut mal);
        if mal.is_empty() {
            Self::reglas(&datos, &mut mal);
        }
        if mal.is_empty() { Ok(Self::armar(datos)) } else { Err(mal) }
    }
}

/// The checked fields of a body, taken out one by one while the type is built.
pub struct Datos {
    campos: &'static [Campo],
    datos: Vec<Option<Dato>>,
}

enum Dato {
    Texto(String),
    Numero(f64),
    Bool(bool),
    Fecha(Timestamp),
    Imagen(Imagen),
    Telefono(Telefono),
    Email(Email),
    Id(uuid::Uuid),
    Mapa(Vec<(String, String)>),
    Lista(Lista),
}

macro_rules! sacar {
    ($($(#[$doc:meta])* $metodo:ident: $variante:ident -> $tipo:ty;)+) => {$(
        $(#[$doc])*
        pub fn $metodo(&mut self, nombre: &str) -> Option<$tipo> {
            match self.sacar(nombre)? {
                Dato::$variante(v) => Some(v),
                _ => unreachable!("{nombre}: the table gives this field another kind"),
            }
        }
    )+};
}

impl Datos {
    fn posicion(&self, nombre: &str) -> usize {
        let encontrado = self.campos.iter().position(|c| c.nombre == nombre);
        encontrado.expect("every field that is read stands in the table")
    }

    fn sacar(&mut self, nombre: &str) -> Option<Dato> {
        let n = self.posicion(nombre);
        self.datos[n].take()
    }

    /// Whether a field was sent.
    pub fn hay(&self, nombre: &str) -> bool {
        self.datos[self.posicion(nombre)].is_some()
    }

    /// Whether a flag was sent as `true`.
    pub fn es_cierto(&self, nombre: &str) -> bool {
        matches!(self.datos[self.posicion(nombre)], Some(Dato::Bool(true)))
    }

    /// The names of the fields that were sent, in table order.
    pub fn enviados(&self) -> Vec<&'static str> {
        let pares = self.campos.iter().zip(&self.datos);
        pares.filter(|(_, d)| d.is_some()).map(|(c, _)| c.nombre).collect()
    }

    /// How many elements a list has; 0 when it was not sent.
    pub fn elementos(&self, nombre: &str) -> usize {
        match &self.datos[self.posicion(nombre)] {
            Some(Dato::Lista(Lista::Items(v))) => v.len(),
            Some(Dato::Lista(Lista::Consentimientos(v))) => v.len(),
            _ => 0,
        }
    }

    sacar! {
        /// A string, or the text of a free object.
        texto: Texto -> String;
        /// A flag.
        booleano: Bool -> bool;
        /// A number.
        numero: Numero -> f64;
        /// An instant.
        fecha: Fecha -> Timestamp;
        /// A photo's picture.
        imagen: Imagen -> Imagen;
        /// A telephone number.
        telefono: Telefono -> Telefono;
        /// An e-mail address.
        email: Email -> Email;
        /// A UUID.
        id: Id -> uuid::Uuid;
        /// Pairs of strings.
        mapa: Mapa -> Vec<(String, String)>;
    }

    /// A whole number, in the bounds of its table entry.
    pub fn entero(&mut self, nombre: &str) -> Option<i64> {
        self.numero(nombre).map(|n| n as i64)
    }

    /// One word of a closed list.
    pub fn palabra<T>(&mut self, nombre: &str, parse: fn(&str) -> Option<T>) -> Option<T> {
        self.texto(nombre).map(|t| parse(&t).expect("the table holds the same words as the enum"))
    }

    /// The items of an ingestion.
    pub fn items(&mut self, nombre: &str) -> Vec<Item> {
        match self.sacar(nombre) {
            Some(Dato::Lista(Lista::Items(v))) => v,
            _ => Vec::new(),
        }
    }

    /// The consents of a new lead.
    pub fn consentimientos(&mut self, nombre: &str) -> Vec<Consentimiento> {
        match self.sacar(nombre) {
            Some(Dato::Lista(Lista::Consentimientos(v))) => v,
            _ => Vec::new(),
        }
    }
}

/// A body in which no known field stands is the empty body (contract §2).
pub(crate) fn exigir_alguno(d: &Datos, mal: &mut Invalido) {
    if d.enviados().is_empty() {
        mal.anotar("", "cuerpo_vacio", "Envía al menos un campo.");
    }
}

/// A kind of list: the fields of its elements and how it starts.
pub(crate) struct Listas {
    pub campos: &'static [Campo],
    pub vacia: fn() -> Lista,
}

/// A list whose elements become types of the business while the body is read, so that a long one is never held twice.
#[derive(Debug)]
pub(crate) enum Lista {
    Items(Vec<Item>),
    Consentimientos(Vec<Consentimiento>),
}

impl Lista {
    pub(crate) fn read_element(&mut self, n: usize, elemento: Valor<'_>, mal: &mut Invalido) {
        let (nombre, antes) = match self {
            Self::Items(_) => ("items", mal.errores.len()),
            Self::Consentimientos(_) => ("consentimientos", mal.errores.len()),
        };
        let base = format!("/{nombre}/{n}");
        let leidos = match elemento {
            Valor::Objeto(leidos) => leidos,
            Valor::Nulo => return mal.anotar(base, "nulo", "No puede ser null: envía un objeto."),
            _ => return mal.anotar(base, "tipo", "Debe ser un objeto."),
        };
        match self {
            Self::Items(items) => items.extend(Item::read(leidos, &base, mal)),
            Self::Consentimientos(todos) => {
                let datos = revisar(leidos, &base, mal);
                // A full list of mistakes grows no more, so its length says nothing about this element.
                if mal.errores.len() == antes && antes < MAX_ERRORES {
                    todos.push(Consentimiento::armar(datos));
                }
            }
        }
    }
}

/// Checks every field of one object and notes what is wrong under `base`.
pub(crate) fn revisar(leidos: Leidos<'_>, base: &str, mal: &mut Invalido) -> Datos {
    if leidos.caracter_nulo_fuera {
        mal.anotar(base, "caracter_nulo", CARACTER_NULO);
    }
    let mut datos = Vec::with_capacity(leidos.campos.len());
    for (campo, valor) in leidos.campos.iter().zip(leidos.valores) {
        datos.push(match valor {
            Some(valor) => revisar_campo(campo, valor, base, mal),
            None => {
                if campo.requerido {
                    mal.anotar(format!("{base}/{}", campo.nombre), "requerido", "Falta este campo.");
                }
                None
            }
        });
    }
    Datos { campos: leidos.campos, datos }
}

const CARACTER_NULO: &str = "No se admite el carácter nulo (U+0000).";

fn revisar_campo(campo: &Campo, valor: Valor<'_>, base: &str, mal: &mut Invalido) -> Option<Dato> {
    if let Valor::Lista(lista, mal_dentro) = valor {
        mal.sumar(mal_dentro);
        return Some(Dato::Lista(lista));
    }
    match convertir(campo.tipo, valor) {
        Ok(dato) => Some(dato),
        Err((codigo, mensaje)) => {
            mal.anotar(format!("{base}/{}", campo.nombre), codigo, mensaje);
            None
        }
    }
}

type Falta = (&'static str, String);

fn convertir(tipo: Tipo, valor: Valor<'_>) -> Result<Dato, Falta> {
    match valor {
        Valor::Nulo => {
            return Err(("nulo", "No puede ser null: envía un valor u omite el campo.".to_owned()));
        }
        Valor::ConCaracterNulo => return Err(("caracter_nulo", CARACTER_NULO.to_owned())),
        _ => {}
    }
    match (tipo, valor) {
        (Tipo::Booleano, Valor::Bool(b)) => Ok(Dato::Bool(b)),
        (Tipo::Booleano, _) => falta("tipo", "Debe ser true o false."),
        (Tipo::Entero { min, max }, Valor::Numero(n)) => entero(n, min, max),
        (Tipo::Entero { .. }, _) => falta("tipo", "Debe ser un número entero."),
        (Tipo::Positivo, Valor::Numero(n)) if n > 0.0 => Ok(Dato::Numero(n)),
        (Tipo::Positivo, Valor::Numero(_)) => falta("rango", "Debe ser mayor que 0."),
        // Adding zero makes −0 a plain 0, which both engines keep alike.
        (Tipo::Orden, Valor::Numero(n)) if n.abs() <= MAX_ORDEN => Ok(Dato::Numero(n + 0.0)),
        (Tipo::Orden, Valor::Numero(_)) => falta("rango", "Debe estar entre -1e308 y 1e308."),
        (Tipo::Positivo | Tipo::Orden, _) => falta("tipo", "Debe ser un número."),
        (Tipo::ObjetoLibre, Valor::Libre(t)) => Ok(Dato::Texto(t.to_owned())),
        (Tipo::ObjetoLibre, _) => falta("tipo", "Debe ser un objeto."),
        (Tipo::MapaDeTextos, Valor::Mapa(pares)) => mapa(pares),
        (Tipo::MapaDeTextos, _) => falta("tipo", "Debe ser un objeto cuyos valores son textos."),
        (Tipo::Items | Tipo::Consentimientos, _) => falta("tipo", "Debe ser una lista."),
        (tipo, Valor::Texto(t)) => texto(tipo, t),
        _ => falta("tipo", "Debe ser un texto."),
    }
}

fn texto(tipo: Tipo, t: std::borrow::Cow<'_, str>) -> Result<Dato, Falta> {
    match tipo {
        Tipo::TextoNoVacio if t.is_empty() => falta("vacio", "No puede estar vacío."),
        Tipo::Uno(palabras) if !palabras.contains(&t.as_ref()) => {
            falta("valor", &format!("Debe ser uno de estos valores: {}.", palabras.join(", ")))
        }
        Tipo::FechaHora => fecha::parse(&t).map(Dato::Fecha).ok_or_else(|| {
            ("formato", "Debe ser una fecha y hora RFC 3339 con zona: 2026-11-14T10:30:00Z.".to_owned())
        }),
        Tipo::Imagen => Imagen::parse(&t).map(Dato::Imagen).ok_or_else(|| {
            (
                "formato",
                "Debe ser un data URI «data:image/…;base64,…» o una URL http(s) con servidor.".to_owned(),
            )
        }),
        Tipo::Telefono => Telefono::parse(&t).map(Dato::Telefono).map_err(|m| ("formato", m.to_owned())),
        Tipo::Email => Email::parse(&t).map(Dato::Email).map_err(|m| ("formato", m.to_owned())),
        Tipo::Id => ids::parse_uuid(&t)
            .map(Dato::Id)
            .ok_or_else(|| ("formato", "Debe ser un UUID con guiones.".to_owned())),
        _ => Ok(Dato::Texto(t.into_owned())),
    }
}

fn entero(n: f64, min: i64, max: i64) -> Result<Dato, Falta> {
    if n.fract() != 0.0 {
        return falta("tipo", "Debe ser un número entero.");
    }
    if n < min as f64 || n > max as f64 {
        let rango = match (min, max) {
            (min, MAX_ENTERO) => format!("Debe ser {min} o más (hasta 2^53 − 1)."),
            (min, max) => format!("Debe estar entre {min} y {max}."),
        };
        return falta("rango", &rango);
    }
    Ok(Dato::Numero(n))
}

fn mapa(pares: Vec<(String, Option<String>)>) -> Result<Dato, Falta> {
    let textos: Option<Vec<(String, String)>> = pares.into_iter().map(|(k, v)| v.map(|v| (k, v))).collect();
    textos.map(Dato::Mapa).ok_or_else(|| ("tipo", "Debe ser un objeto cuyos valores son textos.".to_owned()))
}

fn falta(codigo: &'static str, mensaje: &str) -> Result<Dato, Falta> {
    Err((codigo, mensaje.to_owned()))
}
