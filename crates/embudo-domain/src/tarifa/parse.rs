//! From text to a checked price table, with every mistake of the file.

use std::collections::BTreeSet;

use super::{
    Base, CapituloTarifa, Causa, Partida, PrecioPartida, Recargo, Regla, Tarifa, TipoTarifa, Unidad,
};
use crate::Zona;
use crate::datos::{DatosInvalidos, Lector, Tabla, es_clave};
use crate::decimal::{Cantidad, Porcentaje};
use crate::dinero::Cents;
use crate::perfil::Calidad;
use crate::provincia::Provincia;

/// 100,000 €: together with the other limits no quote reaches 10^16 cents.
const MAX_PRECIO: i64 = 10_000_000;
const MAX_PARTIDAS: usize = 1_000;
const CALIDADES: [Calidad; 3] = [Calidad::Basica, Calidad::Media, Calidad::Premium];

pub(super) fn parse(texto: &str) -> Result<Tarifa, DatosInvalidos> {
    let (mut l, mut raiz) = Lector::abrir(texto);
    let tarifa = tabla_entera(&mut l, &mut raiz);
    raiz.cerrar(&mut l);
    if let Some(t) = &tarifa {
        cobertura(&mut l, t);
    }
    l.cerrar(tarifa)
}

fn tabla_entera(l: &mut Lector<'_>, raiz: &mut Tabla<'_>) -> Option<Tarifa> {
    raiz.decimal(l, "formato", 0, 1..=1);
    let version = raiz.interpretar(
        l,
        "version",
        "Debe ser un texto corto con letras, cifras, puntos o guiones: \"2026.1\".",
        |t| es_version(t).then(|| t.to_owned()),
    );
    let vigente_desde = raiz.fecha(l, "vigente_desde");
    let notas = raiz.texto(l, "notas");
    let altura = raiz.decimal(l, "altura_m", 2, 150..=1_000).map(Cantidad);
    let redondeo_rango = raiz.decimal(l, "redondeo_rango", 2, 1..=1_000_000).map(Cents);
    let provincias = provincias(l, raiz);
    let capitulos: Vec<CapituloTarifa> = {
        let mut vistas = BTreeSet::new();
        let tablas = raiz.tablas(l, "capitulo");
        tablas.into_iter().filter_map(|t| capitulo(l, t, &mut vistas)).collect()
    };
    let tipos: Vec<TipoTarifa> = {
        let tablas = raiz.tablas(l, "tipo");
        tablas.into_iter().filter_map(|t| tipo(l, t)).collect()
    };
    for zona in Zona::PALABRAS {
        match tipos.iter().filter(|t| t.tipo.as_str() == *zona).count() {
            0 => l.anotar(0, "tipo", format!("Falta el tipo de reforma «{zona}».")),
            1 => {}
            _ => l.anotar(0, "tipo", format!("El tipo de reforma «{zona}» está repetido.")),
        }
    }
    let recargos = recargos(l, raiz);
    let partidas = partidas(l, raiz, &capitulos);
    Some(Tarifa {
        version: version?,
        vigente_desde: vigente_desde?,
        notas: notas?,
        altura: altura?,
        redondeo_rango: redondeo_rango?,
        provincias,
        capitulos,
        tipos,
        recargos,
        partidas,
    })
}

fn provincias(l: &mut Lector<'_>, raiz: &mut Tabla<'_>) -> Vec<(Provincia, Porcentaje)> {
    let Some(mut tabla) = raiz.tabla(l, "provincias") else { return Vec::new() };
    let mut leidas: Vec<(Provincia, Porcentaje)> = Vec::new();
    for (nombre, posicion) in tabla.restantes() {
        let factor = tabla.decimal(l, &nombre, 2, 2_500..=40_000).map(Porcentaje);
        match Provincia::parse(&nombre) {
            None => l.anotar(posicion, tabla.ruta(&nombre), "No es una provincia española."),
            Some(p) if leidas.iter().any(|(otra, _)| *otra == p) => {
                l.anotar(posicion, tabla.ruta(&nombre), format!("La provincia de {p} está repetida."));
            }
            Some(p) => leidas.extend(factor.map(|f| (p, f))),
        }
    }
    leidas.sort_by_key(|(p, _)| *p);
    leidas
}

fn capitulo(l: &mut Lector<'_>, mut t: Tabla<'_>, vistas: &mut BTreeSet<String>) -> Option<CapituloTarifa> {
    let clave = clave(l, &mut t, vistas);
    let nombre = t.texto(l, "nombre");
    t.cerrar(l);
    Some(CapituloTarifa { clave: clave?, nombre: nombre? })
}

fn tipo(l: &mut Lector<'_>, mut t: Tabla<'_>) -> Option<TipoTarifa> {
    let zona = t.palabra(l, "clave", Zona::parse, Zona::PALABRAS);
    let nombre = t.texto(l, "nombre");
    let m2 = ["m2_minimo", "m2_bajo", "m2_supuesto", "m2_alto", "m2_maximo"]
        .map(|campo| t.decimal(l, campo, 2, 1..=1_000_000).map(Cantidad));
    let supuesto = t.texto(l, "supuesto");
    let no_incluye = t.textos(l, "no_incluye");
    if !m2.is_sorted() && !m2.contains(&None) {
        t.mal(l, "m2_minimo", "Los m² deben ir de menor a mayor: mínimo, bajo, supuesto, alto, máximo.");
    }
    t.cerrar(l);
    let [minimo, bajo, medio, alto, maximo] = m2;
    Some(TipoTarifa {
        tipo: zona?,
        nombre: nombre?,
        m2_minimo: minimo?,
        m2_bajo: bajo?,
        m2_supuesto: medio?,
        m2_alto: alto?,
        m2_maximo: maximo?,
        supuesto: supuesto?,
        no_incluye: no_incluye?,
    })
}

fn recargos(l: &mut Lector<'_>, raiz: &mut Tabla<'_>) -> Vec<Recargo> {
    let mut leidos: Vec<Recargo> = Vec::new();
    if !raiz.tiene("recargo") {
        return leidos;
    }
    for mut t in raiz.tablas(l, "recargo") {
        let cuando = t.palabra(l, "cuando", Causa::parse, Causa::PALABRAS);
        let concepto = t.texto(l, "concepto");
        // One negative percentage at most can hold for a job; two could make a larger job a cent cheaper.
        let minimo = if cuando == Some(Causa::UrgenciaBaja) { -5_000 } else { 0 };
        let porcentaje = t.decimal(l, "porcentaje", 2, minimo..=20_000).map(Porcentaje);
        // Tables of version 2026.1 and earlier name a share of materials here; a surcharge has that of the items.
        if t.tiene("material") {
            material(l, &mut t);
        }
        if cuando.is_some_and(|c| leidos.iter().any(|r| r.cuando == c)) {
            t.mal(l, "cuando", "Ya hay un recargo para este caso.");
        }
        t.cerrar(l);
        if let (Some(cuando), Some(concepto), Some(porcentaje)) = (cuando, concepto, porcentaje) {
            leidos.push(Recargo { cuando, concepto, porcentaje });
        }
    }
    leidos
}

fn partidas(l: &mut Lector<'_>, raiz: &mut Tabla<'_>, capitulos: &[CapituloTarifa]) -> Vec<Partida> {
    let tablas = raiz.tablas(l, "partida");
    if tablas.len() > MAX_PARTIDAS {
        l.anotar(0, "partida", format!("Hay más de {MAX_PARTIDAS} partidas."));
        return Vec::new();
    }
    let mut vistas = BTreeSet::new();
    tablas.into_iter().filter_map(|t| partida(l, t, capitulos, &mut vistas)).collect()
}

fn partida(
    l: &mut Lector<'_>,
    mut t: Tabla<'_>,
    capitulos: &[CapituloTarifa],
    vistas: &mut BTreeSet<String>,
) -> Option<Partida> {
    let clave = clave(l, &mut t, vistas);
    let capitulo = t.interpretar(l, "capitulo", "No hay ningún capítulo con esa clave.", |c| {
        capitulos.iter().any(|k| k.clave == c).then(|| c.to_owned())
    });
    let palabras = format!("Debe ser uno de: {}.", Zona::PALABRAS.join(", "));
    let tipos = t.lista(l, "tipos", &palabras, Zona::parse);
    if let Some(tipos) = &tipos {
        let distintos: BTreeSet<_> = tipos.iter().collect();
        if tipos.is_empty() || distintos.len() < tipos.len() {
            t.mal(l, "tipos", "Nombra al menos un tipo, y cada uno una sola vez.");
        }
    }
    let zona = t.tiene("zona").then(|| t.palabra(l, "zona", Zona::parse, Zona::PALABRAS));
    let solo_estructural = match t.tiene("solo_estructural") {
        true => t.booleano(l, "solo_estructural"),
        false => Some(false),
    };
    let concepto = t.texto(l, "concepto");
    let unidad = t.palabra(l, "unidad", Unidad::parse, Unidad::PALABRAS);
    let cantidad = t.interpretar(l, "cantidad", Regla::AYUDA, Regla::parse);
    if let (Some(Unidad::Pa), Some(regla)) = (unidad, &cantidad)
        && regla.base != Base::Fija
    {
        t.mal(l, "cantidad", "Una partida alzada (pa) tiene una cantidad fija.");
    }
    let precios = CALIDADES.map(|c| t.tiene(c.as_str()).then(|| precio(l, &mut t, c.as_str())));
    if precios.iter().all(Option::is_none) {
        t.mal(l, "media", "Falta el precio: pon al menos una de basica, media o premium.");
    }
    t.cerrar(l);
    let [basica, media, premium] = precios;
    Some(Partida {
        clave: clave?,
        capitulo: capitulo?,
        tipos: tipos?,
        zona: zona.map_or(Some(None), |z| z.map(Some))?,
        solo_estructural: solo_estructural?,
        concepto: concepto?,
        unidad: unidad?,
        cantidad: cantidad?,
        precios: [basica.flatten(), media.flatten(), premium.flatten()],
    })
}

fn precio(l: &mut Lector<'_>, t: &mut Tabla<'_>, calidad: &str) -> Option<PrecioPartida> {
    let mut t = t.tabla(l, calidad)?;
    let precio = t.decimal(l, "precio", 2, 0..=MAX_PRECIO).map(Cents);
    let material = material(l, &mut t);
    let detalle = t.tiene("detalle").then(|| t.texto(l, "detalle")).flatten();
    t.cerrar(l);
    Some(PrecioPartida { precio: precio?, material: material?, detalle })
}

fn material(l: &mut Lector<'_>, t: &mut Tabla<'_>) -> Option<Porcentaje> {
    t.decimal(l, "material", 2, 0..=10_000).map(Porcentaje)
}

fn clave(l: &mut Lector<'_>, t: &mut Tabla<'_>, vistas: &mut BTreeSet<String>) -> Option<String> {
    let clave =
        t.interpretar(l, "clave", "Debe tener solo minúsculas sin tilde, cifras y guiones.", |c| {
            es_clave(c).then(|| c.to_owned())
        })?;
    if !vistas.insert(clave.clone()) {
        t.mal(l, "clave", format!("La clave «{clave}» está repetida."));
    }
    Some(clave)
}

fn es_version(t: &str) -> bool {
    let permitido = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'-';
    !t.is_empty() && t.len() <= 32 && t.bytes().all(permitido)
}

/// A table must be able to price whatever a lead may ask for.
fn cobertura(l: &mut Lector<'_>, t: &Tarifa) {
    if t.tipos.len() < Zona::PALABRAS.len() {
        return;
    }
    for tipo in &t.tipos {
        for calidad in CALIDADES {
            if t.partidas_de(tipo.tipo, calidad, false).next().is_none() {
                let falta = format!("No hay ninguna partida para {} en calidad {calidad}.", tipo.tipo);
                l.anotar(0, "partida", falta);
            }
        }
    }
}
