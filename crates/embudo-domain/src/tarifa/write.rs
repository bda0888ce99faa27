//! A price table as text, in the one form that the program writes.

use std::fmt::Write;

use super::{ALL_ITEMS, Partida, PartidaPrice, SHIPPED_ITEMS, Source, Tarifa};
use crate::data::in_quotes;
use crate::decimal::write as decimal;
use crate::perfil::Calidad;

pub(super) fn write(t: &Tarifa) -> String {
    let mut s = String::new();
    let output = &mut s;
    line(output, "formato", 1);
    line(output, "version", in_quotes(&t.version));
    line(output, "vigente_desde", t.vigente_desde);
    line(output, "notas", in_quotes(&t.notas));
    line(output, "altura_m", decimal(t.height.0, 2));
    line(output, "redondeo_rango", decimal(t.range_rounding.0, 2));
    line(output, SHIPPED_ITEMS, shipped(t));
    output.push_str("\n[provincias]\n");
    for (provincia, factor) in &t.provincias {
        line(output, &in_quotes(provincia.nombre()), decimal(factor.0, 2));
    }
    for c in &t.capitulos {
        output.push_str("\n[[capitulo]]\n");
        line(output, "clave", in_quotes(&c.key));
        line(output, "nombre", in_quotes(&c.nombre));
        if let Some(coste) = c.coste {
            line(output, "coste", decimal(coste.0, 2));
        }
    }
    for k in &t.kinds {
        output.push_str("\n[[tipo]]\n");
        line(output, "clave", in_quotes(k.kind.as_str()));
        if let Some(room_kind) = k.room_kind {
            line(output, "estancia", in_quotes(room_kind.as_str()));
        }
        line(output, "nombre", in_quotes(&k.nombre));
        line(output, "m2_minimo", decimal(k.min_m2.0, 2));
        line(output, "m2_bajo", decimal(k.m2_low.0, 2));
        line(output, "m2_supuesto", decimal(k.assumed_m2.0, 2));
        line(output, "m2_alto", decimal(k.m2_high.0, 2));
        line(output, "m2_maximo", decimal(k.max_m2.0, 2));
        line(output, "supuesto", in_quotes(&k.assumption));
        line(output, "no_incluye", list(k.not_included.iter().map(String::as_str)));
        if let Some(rule) = k.assumed_banos {
            line(output, "banos_supuestos", in_quotes(&rule.to_string()));
        }
        source(output, k.source.as_ref());
    }
    for r in &t.recargos {
        output.push_str("\n[[recargo]]\n");
        line(output, "cuando", in_quotes(r.when.as_str()));
        line(output, "concepto", in_quotes(&r.concepto));
        line(output, "porcentaje", decimal(r.percentage.0, 2));
        if let Some(floors) = r.floors {
            line(output, "desde_planta", floors.first);
            line(output, "hasta_planta", floors.last);
        }
    }
    for p in &t.partidas {
        partida(output, p);
    }
    s
}

/// The list of the items with shipped prices.
fn shipped(t: &Tarifa) -> String {
    if t.partidas.iter().all(|p| !p.own) {
        return list([ALL_ITEMS].into_iter());
    }
    list(t.partidas.iter().filter(|p| !p.own).map(|p| p.key.as_str()))
}

fn partida(output: &mut String, p: &Partida) {
    output.push_str("\n[[partida]]\n");
    line(output, "clave", in_quotes(&p.key));
    line(output, "capitulo", in_quotes(&p.capitulo));
    line(output, "tipos", list(p.kinds.iter().map(|z| z.as_str())));
    if let Some(zona) = p.zona {
        line(output, "zona", in_quotes(zona.as_str()));
    }
    for (field, rooms) in [("estancias", &p.only_in), ("salvo_estancias", &p.not_in)] {
        if !rooms.is_empty() {
            line(output, field, list(rooms.iter().map(|e| e.as_str())));
        }
    }
    if p.only_estructural {
        line(output, "solo_estructural", true);
    }
    line(output, "concepto", in_quotes(&p.concepto));
    line(output, "unidad", in_quotes(p.unidad.as_str()));
    line(output, "cantidad", in_quotes(&p.cantidad.to_string()));
    for (calidad, precio) in Calidad::WORDS.iter().zip(&p.precios) {
        if let Some(precio) = precio {
            line(output, calidad, line_price(precio));
        }
    }
    source(output, p.source.as_ref());
}

fn source(output: &mut String, source: Option<&Source>) {
    let Some(source) = source else { return };
    let year = source.published.map(|year| format!(", publicada = {year}")).unwrap_or_default();
    let link =
        source.link.as_deref().map(|link| format!(", enlace = {}", in_quotes(link))).unwrap_or_default();
    line(output, "fuente", format!("{{ texto = {}{year}{link} }}", in_quotes(&source.text)));
}

fn line_price(p: &PartidaPrice) -> String {
    let detail = p.detail.as_deref().map(|d| format!(", detalle = {}", in_quotes(d))).unwrap_or_default();
    let coste = p.coste.map(|c| format!(", coste = {}", decimal(c.0, 2))).unwrap_or_default();
    let (precio, material) = (decimal(p.precio.0, 2), decimal(p.material.0, 2));
    format!("{{ precio = {precio}, material = {material}{coste}{detail} }}")
}

fn list<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<String> = texts.map(in_quotes).collect();
    format!("[{}]", texts.join(", "))
}

fn line(output: &mut String, field: &str, value: impl std::fmt::Display) {
    writeln!(output, "{field} = {value}").expect("writing to a string cannot fail");
}
