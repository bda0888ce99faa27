//! Reads a text into a checked price table, or reports every mistake of the file.

pub(super) mod items;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::{
    ALL_ITEMS, Base, Partida, Rule, SHIPPED_ITEMS, Scope, Source, Tarifa, TarifaChapter, TarifaKind,
};
use crate::data::{InvalidData, Reader, Table, is_key};
use crate::decimal::{Cantidad, Percentage};
use crate::money::Cents;
use crate::perfil::Calidad;
use crate::provincia::Provincia;
use crate::{RoomKind, Zona};

/// The years in which a source may have been published.
const YEARS: std::ops::RangeInclusive<i64> = 1990..=2100;
const MAX_LINK: usize = 500;
const CALIDADES: [Calidad; 3] = [Calidad::Basica, Calidad::Media, Calidad::Premium];

pub(super) fn parse(text: &str) -> Result<Tarifa, InvalidData> {
    let (mut l, mut root) = Reader::open(text);
    let tarifa = whole_table(&mut l, &mut root);
    root.close(&mut l);
    if let Some(t) = &tarifa {
        coverage(&mut l, t);
    }
    l.close(tarifa)
}

fn whole_table(l: &mut Reader<'_>, root: &mut Table<'_>) -> Option<Tarifa> {
    root.decimal(l, "formato", 0, 1..=1);
    let version = root.interpret(
        l,
        "version",
        "Debe ser un texto corto con letras, cifras, puntos o guiones: \"2026.1\".",
        |t| is_version(t).then(|| t.to_owned()),
    );
    let vigente_desde = root.date(l, "vigente_desde");
    let notas = root.text(l, "notas");
    let height = root.decimal(l, "altura_m", 2, 150..=1_000).map(Cantidad);
    let shipped = optional(root, SHIPPED_ITEMS, |root| root.texts(l, SHIPPED_ITEMS));
    let range_rounding = root.decimal(l, "redondeo_rango", 2, 1..=1_000_000).map(Cents);
    let provincias = provincias(l, root);
    let capitulos: Vec<TarifaChapter> = {
        let mut views = BTreeSet::new();
        let tables = root.tables(l, "capitulo");
        tables.into_iter().filter_map(|t| capitulo(l, t, &mut views)).collect()
    };
    let kinds: Vec<TarifaKind> = {
        let tables = root.tables(l, "tipo");
        tables.into_iter().filter_map(|t| kind(l, t)).collect()
    };
    each_kind_once(l, &kinds);
    let recargos = items::recargos(l, root);
    let mut partidas = items::partidas(l, root, &capitulos);
    if let Some(shipped) = shipped.as_ref()? {
        let is_shipped = |p: &Partida| shipped.iter().any(|key| key == ALL_ITEMS || *key == p.key);
        partidas.iter_mut().for_each(|p| p.own = !is_shipped(p));
    } else {
        compared_with_shipped(&mut partidas);
    }
    Some(Tarifa {
        version: version?,
        vigente_desde: vigente_desde?,
        notas: notas?,
        height: height?,
        range_rounding: range_rounding?,
        provincias,
        capitulos,
        kinds,
        recargos,
        partidas,
        scales_own: false,
    })
}

/// Older tables do not say whose their prices are: prices that differ from the shipped ones count as the company's own.
fn compared_with_shipped(partidas: &mut [Partida]) {
    static SHIPPED: LazyLock<Tarifa> = LazyLock::new(Tarifa::por_defecto);
    let prices = |p: &Partida| p.precios.each_ref().map(|price| price.as_ref().map(|price| price.precio));
    for partida in partidas {
        let same = SHIPPED.partidas.iter().find(|p| p.key == partida.key);
        partida.own = same.is_none_or(|same| prices(same) != prices(partida));
    }
}

fn each_kind_once(l: &mut Reader<'_>, kinds: &[TarifaKind]) {
    for zona in Zona::WORDS.iter().filter_map(|z| Zona::parse(z)) {
        let count = |room_kind| kinds.iter().filter(|t| t.kind == zona && t.room_kind == room_kind).count();
        match count(None) {
            0 => l.note_down(0, "tipo", format!("Falta el tipo de reforma «{zona}».")),
            1 => {}
            _ => l.note_down(0, "tipo", format!("El tipo de reforma «{zona}» está repetido.")),
        }
        for room_kind in RoomKind::WORDS.iter().filter_map(|e| RoomKind::parse(e)) {
            if count(Some(room_kind)) > 1 {
                let repeated = format!("La estancia «{room_kind}» del tipo «{zona}» está repetida.");
                l.note_down(0, "tipo", repeated);
            }
        }
    }
}

fn provincias(l: &mut Reader<'_>, root: &mut Table<'_>) -> Vec<(Provincia, Percentage)> {
    let Some(mut table) = root.table(l, "provincias") else { return Vec::new() };
    let mut parsed: Vec<(Provincia, Percentage)> = Vec::new();
    for (nombre, position) in table.remaining() {
        let factor = table.decimal(l, &nombre, 2, 2_500..=40_000).map(Percentage);
        match Provincia::parse(&nombre) {
            None => l.note_down(position, table.path(&nombre), "No es una provincia española."),
            Some(p) if parsed.iter().any(|(another, _)| *another == p) => {
                l.note_down(position, table.path(&nombre), format!("La provincia de {p} está repetida."));
            }
            Some(p) => parsed.extend(factor.map(|f| (p, f))),
        }
    }
    parsed.sort_by_key(|(p, _)| *p);
    parsed
}

fn capitulo(l: &mut Reader<'_>, mut t: Table<'_>, views: &mut BTreeSet<String>) -> Option<TarifaChapter> {
    let key = key(l, &mut t, views);
    let nombre = t.text(l, "nombre");
    let coste =
        optional(&mut t, "coste", |t| t.decimal(l, "coste", 2, 0..=Percentage::HUNDRED.0).map(Percentage));
    t.close(l);
    Some(TarifaChapter { key: key?, nombre: nombre?, coste: coste? })
}

fn kind(l: &mut Reader<'_>, mut t: Table<'_>) -> Option<TarifaKind> {
    let zona = t.word(l, "clave", Zona::parse, Zona::WORDS);
    let room_kind = optional(&mut t, "estancia", |t| t.word(l, "estancia", RoomKind::parse, RoomKind::WORDS));
    let nombre = t.text(l, "nombre");
    let m2 = ["m2_minimo", "m2_bajo", "m2_supuesto", "m2_alto", "m2_maximo"]
        .map(|field| t.decimal(l, field, 2, 1..=1_000_000).map(Cantidad));
    let assumption = t.text(l, "supuesto");
    let not_included = t.texts(l, "no_incluye");
    let assumed_banos = optional(&mut t, "banos_supuestos", |t| {
        let help = "Debe ser una cantidad entera que sale del suelo: «2» o «suelo*0.012 entero min 1 max 6».";
        t.interpret(l, "banos_supuestos", help, |r| Rule::parse(r).filter(is_count))
    });
    let source = source(l, &mut t);
    if !m2.is_sorted() && !m2.contains(&None) {
        t.wrong(l, "m2_minimo", "Los m² deben ir de menor a mayor: mínimo, bajo, supuesto, alto, máximo.");
    }
    t.close(l);
    let [minimum, low, half, height, maximum] = m2;
    Some(TarifaKind {
        kind: zona?,
        room_kind: room_kind?,
        nombre: nombre?,
        min_m2: minimum?,
        m2_low: low?,
        assumed_m2: half?,
        m2_high: height?,
        max_m2: maximum?,
        assumption: assumption?,
        not_included: not_included?,
        assumed_banos: assumed_banos?,
        source: source?,
    })
}

/// Whether a rule computes a whole number of pieces from the floor area.
fn is_count(rule: &Rule) -> bool {
    match rule.base {
        Base::Fixed => rule.coefficient_thousandths % 1_000 == 0,
        Base::Floor => rule.integer && [rule.minimum, rule.maximum].iter().flatten().all(|c| c.0 % 100 == 0),
        _ => false,
    }
}

/// The source with which a price was compared; `Some(None)` if the table does not name one.
fn source(l: &mut Reader<'_>, t: &mut Table<'_>) -> Option<Option<Source>> {
    optional(t, "fuente", |t| {
        let mut t = t.table(l, "fuente")?;
        let text = t.text(l, "texto");
        let published = optional(&mut t, "publicada", |t| {
            t.decimal(l, "publicada", 0, YEARS).and_then(|year| i16::try_from(year).ok())
        });
        let link = optional(&mut t, "enlace", |t| {
            let help = "Debe ser una dirección que empiece por https:// o http://.";
            t.interpret(l, "enlace", help, |a| is_link(a).then(|| a.to_owned()))
        });
        t.close(l);
        Some(Source { text: text?, published: published?, link: link? })
    })
}

fn is_link(text: &str) -> bool {
    let has_scheme = text.starts_with("https://") || text.starts_with("http://");
    has_scheme && text.len() <= MAX_LINK && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// A field that may be left out: `Some(None)` if it is absent, `None` if it is wrong.
fn optional<'t, T>(
    t: &mut Table<'t>,
    field: &str,
    read: impl FnOnce(&mut Table<'t>) -> Option<T>,
) -> Option<Option<T>> {
    if t.has(field) { read(t).map(Some) } else { Some(None) }
}

fn key(l: &mut Reader<'_>, t: &mut Table<'_>, views: &mut BTreeSet<String>) -> Option<String> {
    let key = t.interpret(l, "clave", "Debe tener solo minúsculas sin tilde, cifras y guiones.", |c| {
        is_key(c).then(|| c.to_owned())
    })?;
    if !views.insert(key.clone()) {
        t.wrong(l, "clave", format!("La clave «{key}» está repetida."));
    }
    Some(key)
}

pub(super) fn is_version(t: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'-';
    !t.is_empty() && t.len() <= 32 && t.bytes().all(allowed)
}

/// A table must be able to price whatever a lead may ask for.
fn coverage(l: &mut Reader<'_>, t: &Tarifa) {
    for missing in uncovered(t) {
        l.note_down(0, "partida", missing);
    }
}

/// The jobs for which the table has no item, in Spanish.
pub(super) fn uncovered(t: &Tarifa) -> Vec<String> {
    let mut all = Vec::new();
    let types = t.kinds.iter().filter(|k| k.room_kind.is_none());
    if types.count() < Zona::WORDS.len() {
        return all;
    }
    for kind in &t.kinds {
        for calidad in CALIDADES {
            let TarifaKind { kind, room_kind, .. } = *kind;
            if t.partidas_of(Scope { kind, room_kind, calidad, estructural: false }).next().is_none() {
                let room = room_kind.map(|e| format!(" ({e})")).unwrap_or_default();
                all.push(format!("No hay ninguna partida para {kind}{room} en calidad {calidad}."));
            }
        }
    }
    all
}
