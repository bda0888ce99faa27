//! A price table as text, in the one form that the program writes.

use std::fmt::Write;

use super::{Partida, PrecioPartida, Tarifa};
use crate::datos::entre_comillas;
use crate::decimal::escribir as decimal;
use crate::perfil::Calidad;

pub(super) fn escribir(t: &Tarifa) -> String {
    let mut s = String::new();
    let salida = &mut s;
    linea(salida, "formato", 1);
    linea(salida, "version", entre_comillas(&t.version));
    linea(salida, "vigente_desde", t.vigente_desde);
    linea(salida, "notas", entre_comillas(&t.notas));
    linea(salida, "altura_m", decimal(t.altura.0, 2));
    linea(salida, "redondeo_rango", decimal(t.redondeo_rango.0, 2));
    salida.push_str("\n[provincias]\n");
    for (provincia, factor) in &t.provincias {
        linea(salida, &entre_comillas(provincia.nombre()), decimal(factor.0, 2));
    }
    for c in &t.capitulos {
        salida.push_str("\n[[capitulo]]\n");
        linea(salida, "clave", entre_comillas(&c.clave));
        linea(salida, "nombre", entre_comillas(&c.nombre));
    }
    for k in &t.tipos {
        salida.push_str("\n[[tipo]]\n");
        linea(salida, "clave", entre_comillas(k.tipo.as_str()));
        linea(salida, "nombre", entre_comillas(&k.nombre));
        linea(salida, "m2_minimo", decimal(k.m2_minimo.0, 2));
        linea(salida, "m2_bajo", decimal(k.m2_bajo.0, 2));
        linea(salida, "m2_supuesto", decimal(k.m2_supuesto.0, 2));
        linea(salida, "m2_alto", decimal(k.m2_alto.0, 2));
        linea(salida, "m2_maximo", decimal(k.m2_maximo.0, 2));
        linea(salida, "supuesto", entre_comillas(&k.supuesto));
        linea(salida, "no_incluye", lista(k.no_incluye.iter().map(String::as_str)));
    }
    for r in &t.recargos {
        salida.push_str("\n[[recargo]]\n");
        linea(salida, "cuando", entre_comillas(r.cuando.as_str()));
        linea(salida, "concepto", entre_comillas(&r.concepto));
        linea(salida, "porcentaje", decimal(r.porcentaje.0, 2));
    }
    for p in &t.partidas {
        partida(salida, p);
    }
    s
}

fn partida(salida: &mut String, p: &Partida) {
    salida.push_str("\n[[partida]]\n");
    linea(salida, "clave", entre_comillas(&p.clave));
    linea(salida, "capitulo", entre_comillas(&p.capitulo));
    linea(salida, "tipos", lista(p.tipos.iter().map(|z| z.as_str())));
    if let Some(zona) = p.zona {
        linea(salida, "zona", entre_comillas(zona.as_str()));
    }
    if p.solo_estructural {
        linea(salida, "solo_estructural", true);
    }
    linea(salida, "concepto", entre_comillas(&p.concepto));
    linea(salida, "unidad", entre_comillas(p.unidad.as_str()));
    linea(salida, "cantidad", entre_comillas(&p.cantidad.to_string()));
    for (calidad, precio) in Calidad::PALABRAS.iter().zip(&p.precios) {
        if let Some(precio) = precio {
            linea(salida, calidad, precio_en_linea(precio));
        }
    }
}

fn precio_en_linea(p: &PrecioPartida) -> String {
    let detalle =
        p.detalle.as_deref().map(|d| format!(", detalle = {}", entre_comillas(d))).unwrap_or_default();
    format!("{{ precio = {}, material = {}{detalle} }}", decimal(p.precio.0, 2), decimal(p.material.0, 2))
}

fn lista<'a>(textos: impl Iterator<Item = &'a str>) -> String {
    let textos: Vec<String> = textos.map(entre_comillas).collect();
    format!("[{}]", textos.join(", "))
}

fn linea(salida: &mut String, campo: &str, valor: impl std::fmt::Display) {
    writeln!(salida, "{campo} = {valor}").expect("writing to a string cannot fail");
}
