//! The chapters by zone: pictures, notes and lines.

use embudo_domain::calculo::{Capitulo, Linea};
use embudo_domain::dinero::Cents;
use embudo_domain::presupuesto::Documento;
use serde::Serialize;

use crate::fotos::{self, Fila, Lista};
use crate::texto::Limpieza;
use embudo_domain::palabras;

/// Notes beyond so many characters are not printed.
const NOTAS_MAXIMO: usize = 40_000;
/// A line this long may break across pages; shorter ones never do.
const LINEA_LARGA: usize = 900;

/// A zone as it is printed.
#[derive(Serialize)]
pub(super) struct ZonaImpresa {
    nombre: String,
    total: Option<String>,
    filas: Vec<Fila>,
    notas: Vec<Vec<String>>,
    capitulos: Vec<CapituloImpreso>,
}

#[derive(Serialize)]
struct CapituloImpreso {
    nombre: String,
    total: String,
    lineas: Vec<LineaImpresa>,
}

#[derive(Serialize)]
struct LineaImpresa {
    concepto: String,
    detalle: Option<String>,
    cantidad: String,
    unidad: &'static str,
    precio: String,
    importe: String,
    larga: bool,
}

/// What to show by zone; surcharges over several zones stand by themselves at the end.
pub(super) fn zonas(
    d: &Documento,
    listas: &[Lista],
    l: &mut Limpieza<'_>,
    avisos: &mut Vec<String>,
) -> Vec<ZonaImpresa> {
    let tipo = d.calculo.tipo;
    let (capitulos, ajustes) = d.capitulos();
    let con_precio = d.zonas().iter().filter(|z| capitulos.iter().any(|c| c.zona == **z)).count();
    let mut caben = NOTAS_MAXIMO;
    let mut impresas: Vec<ZonaImpresa> = d
        .zonas()
        .into_iter()
        .map(|zona| {
            let nombre = palabras::zona(zona, tipo);
            let suyas = d.fotos.iter().zip(listas).enumerate().filter(|(_, (f, _))| f.zona == zona);
            let suyas: Vec<_> = suyas.map(|(n, (foto, lista))| (n, foto, lista)).collect();
            let suyos: Vec<&Capitulo> = capitulos.iter().filter(|c| c.zona == zona).collect();
            let total = Cents::suma(suyos.iter().map(|c| c.total));
            let notas = d.notas.iter().filter(|n| n.zona == zona).map(|n| {
                let texto: String = n.texto.chars().take(caben).collect();
                caben -= texto.chars().count();
                if texto.len() < n.texto.len() {
                    avisos.push("Las notas son tan largas que no se imprimen enteras.".to_owned());
                }
                l.parrafos(&texto)
            });
            let notas: Vec<Vec<String>> = notas.filter(|n| !n.is_empty()).collect();
            ZonaImpresa {
                nombre: nombre.to_owned(),
                total: total.filter(|_| con_precio > 1 && !suyos.is_empty()).map(|t| t.to_string()),
                filas: fotos::filas(&suyas, nombre),
                notas,
                capitulos: suyos.into_iter().map(|c| capitulo(c, l)).collect(),
            }
        })
        // A zone of which only unreadable photos are known has nothing to show.
        .filter(|z| !(z.filas.is_empty() && z.notas.is_empty() && z.capitulos.is_empty()))
        .collect();
    impresas.extend(ajustes.map(|c| ZonaImpresa {
        nombre: l.linea(&c.nombre),
        total: Some(c.total.to_string()),
        filas: Vec::new(),
        notas: Vec::new(),
        capitulos: vec![capitulo(c, l)],
    }));
    avisos.dedup();
    impresas
}

fn capitulo(c: &Capitulo, l: &mut Limpieza<'_>) -> CapituloImpreso {
    let lineas = c.lineas.iter().map(|n| linea(n, l)).collect();
    CapituloImpreso { nombre: l.linea(&c.nombre), total: c.total.to_string(), lineas }
}

fn linea(n: &Linea, l: &mut Limpieza<'_>) -> LineaImpresa {
    LineaImpresa {
        larga: n.concepto.len() + n.detalle.as_ref().map_or(0, String::len) > LINEA_LARGA,
        concepto: l.frase(&n.concepto),
        detalle: n.detalle.as_ref().map(|t| l.frase(t)),
        cantidad: n.cantidad.con_decimales(),
        unidad: n.unidad.simbolo(),
        precio: n.precio.to_string(),
        importe: n.importe.to_string(),
    }
}
