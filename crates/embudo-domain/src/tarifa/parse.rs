//! From text to a checked price table, with every mistake of the file.

use std::collections::BTreeSet;

use super::{Base, Cause, Partida, PartidaPrice, Recargo, Rule, Tarifa, TarifaChapter, TarifaKind, Unidad};
use crate::Zona;
use crate::data::{InvalidData, Reader, Table, is_key};
use crate::decimal::{Cantidad, Percentage};
use crate::money::Cents;
use crate::perfil::Calidad;
use crate::provincia::Provincia;

/// 100,000 €: together with the other limits no quote reaches 10^16 cents.
const MAX_PRECIO: i64 = 10_000_000;
const MAX_PARTIDAS: usize = 1_000;
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
    for zona in Zona::WORDS {
        match kinds.iter().filter(|t| t.kind.as_str() == *zona).count() {
            0 => l.note_down(0, "tipo", format!("Falta el tipo de reforma «{zona}».")),
            1 => {}
            _ => l.note_down(0, "tipo", format!("El tipo de reforma «{zona}» está repetido.")),
        }
    }
    let recargos = recargos(l, root);
    let partidas = partidas(l, root, &capitulos);
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
    })
}

fn provincias(l: &mut Reader<'_>, root: &mut Table<'_>) -> Vec<(Provincia, Percentage)> {
    let Some(mut table) = root.table(l, "provincias") else { return Vec::new() };
    let mut read_ones: Vec<(Provincia, Percentage)> = Vec::new();
    for (nombre, position) in table.remaining() {
        let factor = table.decimal(l, &nombre, 2, 2_500..=40_000).map(Percentage);
        match Provincia::parse(&nombre) {
            None => l.note_down(position, table.path(&nombre), "No es una provincia española."),
            Some(p) if read_ones.iter().any(|(another, _)| *another == p) => {
                l.note_down(position, table.path(&nombre), format!("La provincia de {p} está repetida."));
            }
            Some(p) => read_ones.extend(factor.map(|f| (p, f))),
        }
    }
    read_ones.sort_by_key(|(p, _)| *p);
    read_ones
}

fn capitulo(l: &mut Reader<'_>, mut t: Table<'_>, views: &mut BTreeSet<String>) -> Option<TarifaChapter> {
    let key = key(l, &mut t, views);
    let nombre = t.text(l, "nombre");
    t.close(l);
    Some(TarifaChapter { key: key?, nombre: nombre? })
}

fn kind(l: &mut Reader<'_>, mut t: Table<'_>) -> Option<TarifaKind> {
    let zona = t.word(l, "clave", Zona::parse, Zona::WORDS);
    let nombre = t.text(l, "nombre");
    let m2 = ["m2_minimo", "m2_bajo", "m2_supuesto", "m2_alto", "m2_maximo"]
        .map(|field| t.decimal(l, field, 2, 1..=1_000_000).map(Cantidad));
    let assumption = t.text(l, "supuesto");
    let not_included = t.texts(l, "no_incluye");
    if !m2.is_sorted() && !m2.contains(&None) {
        t.wrong(l, "m2_minimo", "Los m² deben ir de menor a mayor: mínimo, bajo, supuesto, alto, máximo.");
    }
    t.close(l);
    let [minimum, low, half, height, maximum] = m2;
    Some(TarifaKind {
        kind: zona?,
        nombre: nombre?,
        min_m2: minimum?,
        m2_low: low?,
        assumed_m2: half?,
        m2_high: height?,
        max_m2: maximum?,
        assumption: assumption?,
        not_included: not_included?,
    })
}

fn recargos(l: &mut Reader<'_>, root: &mut Table<'_>) -> Vec<Recargo> {
    let mut read_ones: Vec<Recargo> = Vec::new();
    if !root.has("recargo") {
        return read_ones;
    }
    for mut t in root.tables(l, "recargo") {
        let when = t.word(l, "cuando", Cause::parse, Cause::WORDS);
        let concepto = t.text(l, "concepto");
        // One negative percentage at most can hold for a job; two could make a larger job a cent cheaper.
        let minimum = if when == Some(Cause::UrgenciaBaja) { -5_000 } else { 0 };
        let percentage = t.decimal(l, "porcentaje", 2, minimum..=20_000).map(Percentage);
        // Tables of version 2026.1 and earlier name a share of materials here; a surcharge has that of the items.
        if t.has("material") {
            material(l, &mut t);
        }
        if when.is_some_and(|c| read_ones.iter().any(|r| r.when == c)) {
            t.wrong(l, "cuando", "Ya hay un recargo para este caso.");
        }
        t.close(l);
        if let (Some(when), Some(concepto), Some(percentage)) = (when, concepto, percentage) {
            read_ones.push(Recargo { when, concepto, percentage });
        }
    }
    read_ones
}

fn partidas(l: &mut Reader<'_>, root: &mut Table<'_>, capitulos: &[TarifaChapter]) -> Vec<Partida> {
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
        if kinds.is_empty() || distinct.len() < kinds.len() {
            t.wrong(l, "tipos", "Nombra al menos un tipo, y cada uno una sola vez.");
        }
    }
    let zona = t.has("zona").then(|| t.word(l, "zona", Zona::parse, Zona::WORDS));
    let only_estructural = match t.has("solo_estructural") {
        true => t.boolean(l, "solo_estructural"),
        false => Some(false),
    };
    let concepto = t.text(l, "concepto");
    let unidad = t.word(l, "unidad", Unidad::parse, Unidad::WORDS);
    let cantidad = t.interpret(l, "cantidad", Rule::HELP, Rule::parse);
    if let (Some(Unidad::Pa), Some(rule)) = (unidad, &cantidad)
        && rule.base != Base::Fixed
    {
        t.wrong(l, "cantidad", "Una partida alzada (pa) tiene una cantidad fija.");
    }
    let precios = CALIDADES.map(|c| t.has(c.as_str()).then(|| precio(l, &mut t, c.as_str())));
    if precios.iter().all(Option::is_none) {
        t.wrong(l, "media", "Falta el precio: pon al menos una de basica, media o premium.");
    }
    t.close(l);
    let [basica, media, premium] = precios;
    Some(Partida {
        key: key?,
        capitulo: capitulo?,
        kinds: kinds?,
        zona: zona.map_or(Some(None), |z| z.map(Some))?,
        only_estructural: only_estructural?,
        concepto: concepto?,
        unidad: unidad?,
        cantidad: cantidad?,
        precios: [basica.flatten(), media.flatten(), premium.flatten()],
    })
}

fn precio(l: &mut Reader<'_>, t: &mut Table<'_>, calidad: &str) -> Option<PartidaPrice> {
    let mut t = t.table(l, calidad)?;
    let precio = t.decimal(l, "precio", 2, 0..=MAX_PRECIO).map(Cents);
    let material = material(l, &mut t);
    let detail = t.has("detalle").then(|| t.text(l, "detalle")).flatten();
    t.close(l);
    Some(PartidaPrice { precio: precio?, material: material?, detail })
}

fn material(l: &mut Reader<'_>, t: &mut Table<'_>) -> Option<Percentage> {
    t.decimal(l, "material", 2, 0..=10_000).map(Percentage)
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

fn is_version(t: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'-';
    !t.is_empty() && t.len() <= 32 && t.bytes().all(allowed)
}

/// A table must be able to price whatever a lead may ask for.
fn coverage(l: &mut Reader<'_>, t: &Tarifa) {
    if t.kinds.len() < Zona::WORDS.len() {
        return;
    }
    for kind in &t.kinds {
        for calidad in CALIDADES {
            if t.partidas_of(kind.kind, calidad, false).next().is_none() {
                let missing = format!("No hay ninguna partida para {} en calidad {calidad}.", kind.kind);
                l.note_down(0, "partida", missing);
            }
        }
    }
}
