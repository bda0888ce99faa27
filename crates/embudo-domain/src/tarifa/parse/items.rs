//! The surcharges and the items of a table.

use std::collections::BTreeSet;

use super::super::{Base, Cause, FloorSpan, Partida, PartidaPrice, Recargo, Rule, TarifaChapter, Unidad};
use super::{CALIDADES, key, optional, source};
use crate::data::{Reader, Table};
use crate::decimal::Percentage;
use crate::money::Cents;
use crate::{RoomKind, Zona};

/// 100,000 €: with this and the other limits no quote reaches 10^17 cents.
pub(in crate::tarifa) const MAX_PRECIO: i64 = 10_000_000;
pub(in crate::tarifa) const MAX_PARTIDAS: usize = 1_000;
/// 200 %.
pub(in crate::tarifa) const MAX_RECARGO: i64 = 20_000;
const MAX_FLOOR: i64 = 50;

pub(super) fn recargos(l: &mut Reader<'_>, root: &mut Table<'_>) -> Vec<Recargo> {
    let mut parsed: Vec<Recargo> = Vec::new();
    if !root.has("recargo") {
        return parsed;
    }
    for mut t in root.tables(l, "recargo") {
        let when = t.word(l, "cuando", Cause::parse, Cause::WORDS);
        let concepto = t.text(l, "concepto");
        let minimum = when.map_or(0, least_recargo);
        let percentage = t.decimal(l, "porcentaje", 2, minimum..=MAX_RECARGO).map(Percentage);
        let floors = floors(l, &mut t, when, percentage);
        // Tables of version 2026.1 and earlier give a share of materials here. It is ignored: a surcharge has the share
        // of the items.
        if t.has("material") {
            material(l, &mut t);
        }
        if when.is_some_and(|c| parsed.iter().any(|r| r.when == c)) {
            t.wrong(l, "cuando", "Ya hay un recargo para este caso.");
        }
        t.close(l);
        if let (Some(when), Some(concepto), Some(percentage), Some(floors)) =
            (when, concepto, percentage, floors)
        {
            parsed.push(Recargo { when, concepto, percentage, floors });
        }
    }
    parsed
}

/// The lowest percentage that a cause may have. Only one cause may be negative: with two, a larger job could be a cent
/// cheaper.
pub(in crate::tarifa) const fn least_recargo(when: Cause) -> i64 {
    match when {
        Cause::UrgenciaBaja => -5_000,
        Cause::Estructural | Cause::UrgenciaAlta | Cause::SinAscensor => 0,
    }
}

/// The floors that count for carrying by hand. No other surcharge has floors.
fn floors(
    l: &mut Reader<'_>,
    t: &mut Table<'_>,
    when: Option<Cause>,
    percentage: Option<Percentage>,
) -> Option<Option<FloorSpan>> {
    if when? != Cause::SinAscensor {
        return Some(None);
    }
    let [first, last] = ["desde_planta", "hasta_planta"]
        .map(|field| t.decimal(l, field, 0, 1..=MAX_FLOOR).and_then(|floor| u8::try_from(floor).ok()));
    let span = FloorSpan { first: first?, last: last? };
    if span.first > span.last {
        t.wrong(l, "desde_planta", "Las plantas deben ir de menor a mayor: desde, hasta.");
        return None;
    }
    if percentage?.0 * i64::from(span.count(span.last)) > MAX_RECARGO {
        t.wrong(l, "porcentaje", "Entre todas las plantas el recargo pasa del 200 %.");
        return None;
    }
    Some(Some(span))
}

pub(super) fn partidas(
    l: &mut Reader<'_>,
    root: &mut Table<'_>,
    capitulos: &[TarifaChapter],
) -> Vec<Partida> {
    let tables = root.tables(l, "partida");
    if tables.len() > MAX_PARTIDAS {
        l.note_down(0, "partida", format!("Hay más de {MAX_PARTIDAS} partidas."));
        return Vec::new();
    }
    let mut views = BTreeSet::new();
    tables.into_iter().filter_map(|t| partida(l, t, capitulos, &mut views)).collect()
}

fn partida(
    l: &mut Reader<'_>,
    mut t: Table<'_>,
    capitulos: &[TarifaChapter],
    views: &mut BTreeSet<String>,
) -> Option<Partida> {
    let key = key(l, &mut t, views);
    let capitulo = t.interpret(l, "capitulo", "No hay ningún capítulo con esa clave.", |c| {
        capitulos.iter().any(|k| k.key == c).then(|| c.to_owned())
    });
    let words = format!("Debe ser uno de: {}.", Zona::WORDS.join(", "));
    let kinds = t.list(l, "tipos", &words, Zona::parse);
    if let Some(kinds) = &kinds {
        let distinct: BTreeSet<_> = kinds.iter().collect();
        if distinct.len() < kinds.len() {
            t.wrong(l, "tipos", "Nombra cada tipo una sola vez.");
        }
    }
    let zona = optional(&mut t, "zona", |t| t.word(l, "zona", Zona::parse, Zona::WORDS));
    let only_in = rooms(l, &mut t, "estancias");
    let not_in = rooms(l, &mut t, "salvo_estancias");
    let only_estructural = match t.has("solo_estructural") {
        true => t.boolean(l, "solo_estructural"),
        false => Some(false),
    };
    let concepto = t.text(l, "concepto");
    let unidad = t.word(l, "unidad", Unidad::parse, Unidad::WORDS);
    let cantidad = t.interpret(l, "cantidad", Rule::HELP, Rule::parse);
    if let (Some(unidad), Some(rule)) = (unidad, &cantidad)
        && !fits_unit(unidad, rule)
    {
        t.wrong(l, "cantidad", LUMP_SUM);
    }
    let precios = CALIDADES.map(|c| t.has(c.as_str()).then(|| precio(l, &mut t, c.as_str())));
    if precios.iter().all(Option::is_none) {
        t.wrong(l, "media", "Falta el precio: pon al menos una de basica, media o premium.");
    }
    let source = source(l, &mut t);
    t.close(l);
    let [basica, media, premium] = precios;
    Some(Partida {
        key: key?,
        capitulo: capitulo?,
        kinds: kinds?,
        zona: zona?,
        only_in: only_in?,
        not_in: not_in?,
        only_estructural: only_estructural?,
        concepto: concepto?,
        unidad: unidad?,
        cantidad: cantidad?,
        precios: [basica.flatten(), media.flatten(), premium.flatten()],
        source: source?,
        own: true,
    })
}

/// The message for a quantity that is not possible in its unit.
pub(in crate::tarifa) const LUMP_SUM: &str = "Una partida alzada (pa) tiene una cantidad fija.";

/// Whether this rule is possible in this unit.
pub(in crate::tarifa) fn fits_unit(unidad: Unidad, rule: &Rule) -> bool {
    unidad != Unidad::Pa || rule.base == Base::Fixed
}

/// A list of rooms; empty if the field is left out.
fn rooms(l: &mut Reader<'_>, t: &mut Table<'_>, field: &str) -> Option<Vec<RoomKind>> {
    if !t.has(field) {
        return Some(Vec::new());
    }
    let words = format!("Debe ser una de: {}.", RoomKind::WORDS.join(", "));
    let rooms = t.list(l, field, &words, RoomKind::parse)?;
    let distinct: BTreeSet<_> = rooms.iter().collect();
    if rooms.is_empty() || distinct.len() < rooms.len() {
        t.wrong(l, field, "Nombra al menos una estancia, y cada una una sola vez.");
        return None;
    }
    Some(rooms)
}

fn precio(l: &mut Reader<'_>, t: &mut Table<'_>, calidad: &str) -> Option<PartidaPrice> {
    let mut t = t.table(l, calidad)?;
    let precio = t.decimal(l, "precio", 2, 0..=MAX_PRECIO).map(Cents);
    let material = material(l, &mut t);
    let coste = optional(&mut t, "coste", |t| t.decimal(l, "coste", 2, 0..=MAX_PRECIO).map(Cents));
    let detail = t.has("detalle").then(|| t.text(l, "detalle")).flatten();
    t.close(l);
    Some(PartidaPrice { precio: precio?, material: material?, coste: coste?, detail })
}

fn material(l: &mut Reader<'_>, t: &mut Table<'_>) -> Option<Percentage> {
    t.decimal(l, "material", 2, 0..=10_000).map(Percentage)
}
